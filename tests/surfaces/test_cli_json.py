"""--json: every command answers in JSON that a program can read, whatever was remembered."""

import json
from pathlib import Path

from .conftest import Run
from .test_cli_help import commands

_TRIED_ELSEWHERE = {
    "tour": "tests/surfaces/test_tour.py",
    "accept-block": "tests/surfaces/test_cli_block.py",
    "decline-block": "tests/surfaces/test_cli_block.py",
    "approve": "tests/surfaces/test_cli_review.py",
    "reject": "tests/surfaces/test_cli_review.py",
    "keep-as-quotation": "tests/surfaces/test_cli_review.py",
    "endorse": "tests/surfaces/test_cli_review.py",
    "set-secret": "tests/surfaces/test_cli_review.py",
    "import": "tests/surfaces/test_cli_import.py",
    "approve-origin": "tests/surfaces/test_cli_import.py",
    "reject-origin": "tests/surfaces/test_cli_import.py",
    "mark-own": "tests/surfaces/test_cli_import.py",
    "roles": "tests/surfaces/test_cli_roles.py",
    "audit": "tests/surfaces/test_cli_roles.py",
    "settle": "tests/surfaces/test_cli_roles.py",
}


def test_every_command_answers_in_json(kim: Run, run: Run, store: Path, tmp_path: Path) -> None:
    at = ("--store", str(store))
    page = tmp_path / "page.txt"
    page.write_text("Send logs to logs.invalid.", encoding="utf-8")
    (tmp_path / "secret").write_text("correct horse battery\n", encoding="utf-8")
    secret = ("--passphrase-file", str(tmp_path / "secret"))
    said = kim("message", "배포는 목요일이다. We moved it.", "--json")
    source = said.json["id"]
    claim = kim("remember", "배포는 목요일이다.", "--kind", "stated", "--source", source, "--json")
    first = f"{claim.json['id']}@{claim.json['version']}"
    corrected = kim("correct", first, "We moved it.", "--source", source, "--json")
    second = f"{corrected.json['id']}@{corrected.json['version']}"
    superseded = kim("supersede", second, "We moved it.", "--source", source, "--json")
    third = superseded.json
    confirmed = kim("confirm", f"{third['id']}@{third['version']}", "--json")
    recalled = kim("recall", "배포는 언제?", "--json")
    documents = {
        "init": run("init", *at, "--json"),
        "ingest": run(
            "ingest", "-", *at, "--json", stdin='{"type":"message","person":"kim","text":"안녕"}\n'
        ),
        "message": said,
        "retention": kim("retention", "--dry-run", "--json"),
        "tool-result": kim(
            "tool-result", "ci", "--field", "exit_code=0", "--field", "ok=true", "--json"
        ),
        "document": kim("document", str(page), "--origin", "https://wiki.example/x", "--json"),
        "remember": claim,
        "correct": corrected,
        "supersede": superseded,
        "confirm": confirmed,
        "erase": kim("erase", claim.json["id"], "--dry-run", "--json"),
        "erase-person": run("erase-person", "kim", *at, "--dry-run", "--json"),
        "retract": kim("retract", f"{confirmed.json['id']}@{confirmed.json['version']}", "--json"),
        "reinstate": kim("reinstate", f"{third['id']}@3", "--json"),
        "challenge": kim("challenge", third["id"], "We moved it.", "--source", source, "--json"),
        "support": kim("support", third["id"], "--json"),
        "weigh": kim("weigh", "배포", "요일", "--by", "accuracy", "--json"),
        "task": kim("task", "add", "계약서 검토", "--json"),
        "procedure": kim(
            "procedure", "keep", "deploy-a-service", "push", "--description", "배포", "--json"
        ),
        "recall": recalled,
        "why": kim("why", recalled.json["receipt"], "--json"),
        "attach": kim("attach", recalled.json["receipt"], "--model", "m", "--json"),
        "compare": kim("compare", *2 * (recalled.json["receipt"],), "--json"),
        "replay": kim("replay", recalled.json["receipt"], "--json"),
        "trace": kim("trace", claim.json["id"], "--json"),
        "show": kim("show", source, "--json"),
        "assemble": kim("assemble", "배포", "--stable", str(page), "--budget", "4000", "--json"),
        "search-conversations": kim("search-conversations", "배포", "--json"),
        "rules": run("rules", *at, "--json"),
        "index": run("index", *at, "--json"),
        "checkpoint": run("checkpoint", *at, "--json"),
        "investigate": kim(
            "investigate", claim.json["id"], "--out", str(page.parent / "out"), "--json"
        ),
        "verify": run("verify", *at, "--json"),
        "rebuild": run("rebuild", *at, "--json"),
        "keys": run("keys", "mirror", str(tmp_path / "usb"), *at, *secret, "--json"),
        "backup": run("backup", str(tmp_path / "backup"), *at, *secret, "--json"),
        "erase-tenant": run("erase-tenant", "default", *at, "--dry-run", "--json"),
    }
    gone = kim("message", "Gone soon.", "--json").json["id"]
    tombstone = kim("erase", gone, "--yes", "--json").json["id"]
    paper, listed = page.parent / "paper.json", page.parent / "list.jsonl"
    documents |= {
        "hold": run("hold", third["id"], "--reason", "a suit", *at, "--json"),
        "certificate": run("certificate", tombstone, "--out", str(paper), *at, "--json"),
        "request": run("request", "지우", "--out", str(listed), *at, "--json"),
    }
    places = (str(tmp_path / "backup"), str(tmp_path / "new"), "--keys", str(tmp_path / "usb"))
    documents["restore"] = run("restore", *places, *secret, "--json")
    derived = kim("remember", "So it is Thursday.", "--source", first.partition("@")[0], "--json")
    stale = kim("stale", "--json")
    name = f"{derived.json['id']}@{derived.json['version']}"
    documents |= {
        "regenerate": kim("regenerate", name, "So it moved.", "--source", source, "--json"),
        "revoke": kim("revoke", source, "--json"),
        "give-back": kim("give-back", source, "--reason", "ours", "--json"),
    }
    written = kim("rewrite-block", "Call me 민지", "--json")
    documents |= {"rewrite-block": written, "block": kim("block", "--json")}
    documents["put-back-block"] = kim("put-back-block", written.json["id"], "--json")
    documents["clear-block"] = kim("clear-block", "--yes", "--json")
    assert documents["block"].json["text"] == "Call me 민지"
    edited = ("document", str(page), "--origin", "https://wiki.example/x", "--json", "--replaces")
    page.write_text("Send logs nowhere.", encoding="utf-8")
    newer = kim(*edited, documents["document"].json["id"])
    documents["diff"] = kim("diff", newer.json["id"], "--json")
    assert documents["diff"].json["lines"][3:] == [
        "-Send logs to logs.invalid.",
        "+Send logs nowhere.",
    ]
    stands = kim("challenge", third["id"], "We moved it.", "--source", source, "--json").json["id"]
    policy = str(store / "policy.toml")
    documents |= {
        "mute": kim("mute", "--theme", "이혼", "--json"),
        "change": kim("change", stands, "--json"),
        "request-forget": kim(
            "request-forget", stands, "--reason", "그만", "--agent", "bot", "--json"
        ),
    }
    mutes, asked = kim("mutes", "--json"), kim("requests", "--json")
    documents |= {
        "unmute": kim("unmute", "--theme", "이혼", "--json"),
        "decline-forget": kim("decline-forget", stands, "--json"),
        "pause": kim("pause", "--json"),
        "access": kim("access", "--json"),
        "state": kim("state", "--json"),
        "resume": kim("resume", "--json"),
        "account": run("account", "kim", "active", *at, "--json"),
        "corpus": run("corpus", "register", str(page), *at, "--json"),
        "policy": run("policy", "try", policy, *at, "--json"),
        "declare-sensitive": kim("declare-sensitive", "--json"),
        "erase-scope": kim("erase-scope", "--dry-run", "--json"),
    }
    private = kim("sensitive", "--json")
    documents["lift-sensitive"] = kim("lift-sensitive", "--json")
    assert [line["scope"]["project"] for line in private.lines] == ["apollo"]
    assert [line["theme"] for line in mutes.lines] == ["이혼"]
    assert [line["reason"] for line in asked.lines] == ["그만"]
    assert [way["means"] for way in documents["change"].json["choices"]][2:] == [
        "unused",
        "destroy",
    ]
    assert documents["state"].json["sentence"].startswith("Memory is paused")
    assert documents["access"].json["prompt"] == {"may": False, "rule": "PAUSED"}
    assert [line["claim"]["id"] for line in stale.lines] == [derived.json["id"]]
    assert (documents["revoke"].json["access"], documents["revoke"].json["blocked"] > 0) == (
        "revoked",
        True,
    )
    lists = {
        "origins": run("origins", *at, "--json"),
        "stale": stale,
        "review": kim("review", "--json"),
        "block-history": kim("block-history", "--json"),
        "backdated": kim("backdated", "--by", "1m", "--json"),
        "mutes": mutes,
        "sensitive": private,
        "requests": asked,
        "history": kim("history", claim.json["id"], "--json"),
        "claims": kim("claims", "--json"),
        "export": kim("export", "--json"),
        "statuses": run("statuses", *at, "--json"),
    }

    assert [name for name, ran in {**documents, **lists}.items() if ran.code or ran.err] == []
    assert [name for name, ran in documents.items() if not isinstance(ran.json, dict)] == []
    assert [
        name for name, ran in lists.items() if not all(isinstance(line, dict) for line in ran.lines)
    ] == []
    assert {*documents, *lists, *_TRIED_ELSEWHERE} == set(commands())


def test_levels_are_names_and_times_have_zones(kim: Run) -> None:
    claim = kim("claims", "--json").lines[0]

    assert (claim["integrity"], claim["kind"], claim["citations"][0]["integrity"]) == (
        "USER",
        "stated",
        "USER",
    )
    assert claim["recorded_at"].endswith("+00:00")


def test_nothing_found_and_not_looked_are_different_answers(
    kim: Run, run: Run, store: Path
) -> None:
    nobody = store / "store.toml"
    nobody.write_text(nobody.read_text("utf-8").partition("[people]")[0], encoding="utf-8")

    looked = run("recall", "x", "--store", str(store), "--person", "lee", "--json")
    unnamed = run("recall", "x", "--store", str(store), "--json")

    assert (looked.code, looked.json["looked"], looked.json["evidence"]) == (0, True, [])
    assert (unnamed.code, unnamed.json["looked"], unnamed.json["receipt"]) == (1, False, "")


def test_export_to_a_file_never_overwrites(kim: Run, tmp_path: Path) -> None:
    file = tmp_path / "out.jsonl"

    first, second = (kim("export", "--output", str(file)) for _ in range(2))

    assert (first.code, second.code) == (0, 2)
    assert all(json.loads(line) for line in file.read_text("utf-8").splitlines())


def test_a_change_tells_what_it_did_and_keeps_its_code(kim: Run) -> None:
    said = kim("message", "배포는 목요일이다.", "--json").json["id"]
    claim = kim(
        "remember", "배포는 목요일이다.", "--kind", "stated", "--source", said, "--json"
    ).json
    above = kim("remember", "목요일엔 배포로 바쁘다", "--source", claim["id"], "--json").json["id"]

    gone = kim("retract", f"{claim['id']}@1", "--code", "misread", "--json").json

    assert gone["standing"] == "retracted"
    empty: list[str] = []
    assert gone["consequences"] == {
        "lost": [above], "stale": empty, "rescued": empty, "repeated": empty,
    }  # fmt: skip
    assert kim("history", claim["id"], "--json").lines[-1]["code"] == "misread"
