"""C01: every field of a claim survives the store, a reopening, the export and the command line."""

import json
import os
import pwd
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from muniment import Claim, Integrity, Memory, Session
from muniment.claims import Authority

SEOUL = ZoneInfo("Asia/Seoul")


def everything_set(kim: Session) -> Claim:
    """Keep a claim that leaves no field at its default which a writer can set, and return it as it stands at last."""
    said = kim.message(
        "메일로는 「저 고기 안 먹어요」라고 썼지요. 저 고기 안 먹어요. 정말로요 🌱",
        said_at=datetime(2026, 2, 1, 12, tzinfo=SEOUL),
    )
    first = kim.remember(
        "저 고기는 가끔 먹어요",
        category="preference",
        sources=[said],
        subject="kim",
        attribute="diet",
        value="omnivore",
    )
    stated = kim.correct(
        first, "저 고기 안 먹어요", sources=[said], gist="vegetarian", value="none"
    )
    full = kim.remember(
        "저 고기 안 먹어요",
        kind="stated",
        category="constraint",
        gist="vegetarian",
        sources=[said, stated],
        subject="kim",
        attribute="diet",
        value="vegetarian",
        valid_from=datetime(2026, 1, 1, tzinfo=SEOUL),
        valid_to=datetime(2036, 1, 1, tzinfo=SEOUL),
        expires_at=datetime(2035, 1, 1, tzinfo=SEOUL),
        recheck_at=datetime(2034, 1, 1, tzinfo=SEOUL),
        recheck_when="the doctor says otherwise",
    )
    again = kim.message("네, 저 고기 안 먹어요. 맞아요.")
    return kim.confirm(
        full,
        sources=[again],
        expires_at=datetime(2035, 6, 1, tzinfo=SEOUL),
        recheck_at=datetime(2034, 6, 1, tzinfo=SEOUL),
        reason="asked again",
    )


def test_every_field_holds_what_was_given(memory: Memory) -> None:
    kim = memory.session(person="kim", project="apollo", org="acme")

    claim = everything_set(kim)

    assert (claim.kind, claim.asked_kind, claim.category) == ("stated", "stated", "constraint")
    assert (claim.quote, claim.gist) == ("저 고기 안 먹어요", "vegetarian")
    assert (claim.subject, claim.attribute, claim.value) == ("kim", "diet", "vegetarian")
    assert claim.scope.named() == {"org": "acme", "person": "kim", "project": "apollo"}
    assert (claim.integrity.name, claim.authority.name) == ("USER", "DIRECT")
    assert claim.origins == ("person:kim",)
    assert claim.valid_from == datetime(2025, 12, 31, 15, tzinfo=UTC)
    assert claim.valid_to == datetime(2035, 12, 31, 15, tzinfo=UTC)
    assert claim.zone == "Asia/Seoul"
    assert claim.expires_at == datetime(2035, 5, 31, 15, tzinfo=UTC)
    assert claim.recheck_at == datetime(2034, 5, 31, 15, tzinfo=UTC)
    assert claim.recheck_when == "the doctor says otherwise"
    assert claim.confirmed_at is not None
    assert [kim.source(one).text for one in claim.confirmed_by] == [
        "네, 저 고기 안 먹어요. 맞아요."
    ]
    assert (claim.version, claim.seen_count, claim.standing) == (2, 1, "active")
    assert (claim.decision.verdict, claim.decision.rule) == ("allow", "OWN_WORDS")
    assert claim.decision.reason and claim.recorded_at.tzinfo is UTC


def test_the_span_is_that_of_the_persons_own_words_in_the_raw_text(memory: Memory) -> None:
    kim = memory.session(person="kim", project="apollo", org="acme")

    claim = everything_set(kim)

    by_source = next(item for item in claim.citations if item.medium)
    source = kim.source(by_source.id)
    assert source.text[by_source.start : by_source.end] == by_source.quote == claim.quote
    assert source.said_at == datetime(2026, 2, 1, 3, tzinfo=UTC)


def test_what_replaces_names_what_it_replaced_and_the_other_way_round(memory: Memory) -> None:
    kim = memory.session(person="choi")
    said = kim.message("production 이에요. staging 이 아니라.")
    old = kim.remember("staging", kind="stated", sources=[said])
    new = kim.correct(old, "production", sources=[said])
    newer = kim.supersede(new, "아니라", sources=[said])

    assert (new.corrects, newer.supersedes) == ((old.id,), (new.id,))
    assert kim.claim(old.id).replaced_by == new.id
    assert kim.claim(new.id).replaced_by == newer.id


def test_a_reopened_store_gives_the_same_claim(quick: Callable[..., Memory]) -> None:
    before = quick()
    claim = everything_set(before.session(person="kim"))
    before.close()

    after = quick().session(person="kim").claim(claim.id)

    assert after == claim


def test_a_rebuilt_graph_gives_the_same_claim(quick: Callable[..., Memory]) -> None:
    memory = quick()
    kim = memory.session(person="kim")
    claim = everything_set(kim)

    assert memory.rebuild()
    assert kim.claim(claim.id) == claim


def test_an_export_line_is_the_claim_and_reads_as_korean(memory: Memory) -> None:
    kim = memory.session(person="kim", project="apollo", org="acme")
    claim = everything_set(kim)

    (line,) = [line for line in kim.export() if json.loads(line).get("id") == claim.id]

    assert "저 고기 안 먹어요" in line
    given = json.loads(line)
    assert given.pop("type") == "claim"
    assert given.pop("record")["wordings"][0]["quote"] == claim.quote
    assert Claim.model_validate_json(json.dumps(given)) == kim.claim(claim.id)


def test_an_export_holds_every_source_too(memory: Memory) -> None:
    kim = memory.session(person="kim", project="apollo", org="acme")
    claim = everything_set(kim)

    sources = {
        given["id"]: given["text"]
        for given in map(json.loads, kim.export())
        if given["type"] == "source"
    }

    assert {item.id for item in claim.citations if item.medium} <= set(sources)
    assert any("정말로요 🌱" in text for text in sources.values())


@pytest.mark.slow
def test_the_command_line_shows_every_field(quick: Callable[..., Memory], tmp_path: Path) -> None:
    memory = quick()
    user = pwd.getpwuid(os.getuid()).pw_name
    claim = everything_set(memory.session(person=user))
    memory.close()

    ran = subprocess.run(
        [
            *(
                sys.executable,
                "-c",
                "from muniment.surfaces.cli import main; raise SystemExit(main())",
            ),
            *("show", claim.id, "--json", "--store", str(tmp_path / "store")),
        ],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )

    if ran.returncode == 2 and "need packages" in ran.stderr:
        pytest.skip("the extra cli is not installed")
    assert ran.returncode == 0, ran.stderr
    shown = json.loads(ran.stdout)
    given = {name: shown[name] for name in Claim.model_fields}
    given["integrity"] = Integrity[given["integrity"]]
    given["authority"] = Authority[given["authority"]]
    for item in given["citations"]:
        item["integrity"] = Integrity[item["integrity"]]
    assert Claim.model_validate_json(json.dumps(given)) == claim


def test_a_moment_keeps_its_microseconds(memory: Memory) -> None:
    kim = memory.session(person="kim")
    said = kim.message("끝나는 때가 있다")
    end = datetime(2031, 1, 1, 0, 0, 0, 123457, tzinfo=UTC) + timedelta(microseconds=1)

    claim = kim.remember("끝나는 때가 있다", kind="stated", sources=[said], expires_at=end)

    assert kim.claim(claim.id).expires_at == end
