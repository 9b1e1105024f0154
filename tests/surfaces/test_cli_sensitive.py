"""What is sensitive, and what is never kept, on the command line, in English and Korean."""

from pathlib import Path

import pytest

from .conftest import Run


@pytest.fixture
def korean(monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    """Let the screen speak Korean; `run` has cleared the environment before."""
    monkeypatch.setenv("LANG", "ko_KR.UTF-8")


def test_a_scope_is_declared_listed_and_lifted(kim: Run) -> None:
    assert "nothing is declared sensitive here" in kim("sensitive").out

    declared = kim("declare-sensitive", "--admit", "diarist")
    assert (declared.code, "sensitive" in declared.out, "project apollo" in declared.out) == (
        0,
        True,
        True,
    )
    assert "agents that may act for its owner: diarist" in declared.out
    assert "as it was" in kim("declare-sensitive", "--admit", "diarist").out
    assert kim("sensitive", "--json").json["agents"] == ["diarist"]
    assert "staging" in kim("recall", "where do we deploy?").out

    refused = kim("message", "hello", "--agent", "helper")
    assert (refused.code, "SENSITIVE_SCOPE" in refused.err) == (4, True)
    asked = kim("recall", "where do we deploy?", "--agent", "helper")
    assert "staging" not in asked.out and "not looked into" in asked.out
    assert "staging" in kim("recall", "where do we deploy?", "--agent", "diarist").out
    assert kim("lift-sensitive", "--agent", "diarist").code == 4

    assert "ordinary again" in kim("lift-sensitive").out
    assert "staging" in kim("recall", "where do we deploy?", "--agent", "helper").out


def test_a_sensitive_claim_comes_with_a_need(kim: Run, korean: None) -> None:
    said = kim("message", "저는 매일 세르쿼카뷁을 먹어요.", "--json").json["id"]
    kept = kim(
        "remember", "저는 매일 세르쿼카뷁을 먹어요.", "--kind", "stated", "--source", said, "--sensitive", "--json"
    )  # fmt: skip
    assert kept.json["sensitive"] is True

    asked = kim("recall", "매일 무엇을 먹지?")
    assert "세르쿼카뷁" not in asked.out
    assert "필요를 밝혀 물을 때만 나온다 · SENSITIVE" in " ".join(asked.out.split())
    assert "세르쿼카뷁" in kim("recall", "매일 무엇을 먹지?", "--need", "의사가 물었다").out
    assert "민감함 · sensitive" in " ".join(kim("claims").out.split())
    assert "다시 보통" in kim("lift-sensitive", kept.json["id"]).out
    assert kim("declare-sensitive", kept.json["id"], "--admit", "x").code == 2


def test_a_credential_is_refused_with_the_way_out(kim: Run) -> None:
    secret = "Plumquux2024!"
    said = kim("message", f"my database password is {secret}", "--json")
    assert secret not in said.out and "[credential removed]" in said.json["text"]

    refused = kim("remember", f"the password is {secret}", "--source", said.json["id"])
    assert (refused.code, "CREDENTIAL" in refused.err, "op://" in refused.err) == (4, True, True)
    assert secret not in refused.err + refused.out
    kept = kim(
        "remember", "the password is in op://team/db/password", "--source", said.json["id"], "--value",
        "op://team/db/password", "--attribute", "password", "--json",
    )  # fmt: skip
    assert kept.json["value"] == "op://team/db/password"


def test_a_scope_is_erased_whole(kim: Run, run: Run, store: Path) -> None:
    assert kim("declare-sensitive").code == 0
    looked = kim("erase-scope", "--dry-run")
    assert (looked.code, "would" in looked.out) == (0, True)
    assert "staging" in kim("claims").out

    assert kim("erase-scope", "--yes").code == 0
    assert "staging" not in kim("claims").out
    assert run("verify", "--store", str(store)).code == 0
