"""Retention on the command line: shown first, asked about, carried out as shown, told after; in both languages."""

import io
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from muniment import Memory
from muniment.testing import HandClock, flat_embedder

from .conftest import Run

POLICY = """format = 1
preset = "journal"
[retention]
message = 30
[retention.claim]
fact = 30
"""


class Terminal(io.StringIO):
    """A standard input at which somebody sits."""

    def isatty(self) -> bool:
        """Return that it is a terminal."""
        return True


def answering(words: str) -> Callable[[str], str]:
    """Return somebody who gives the same answer to every question."""

    def answer(_: str) -> str:
        return words

    return answer


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """Return a store in which kim and lee said something long ago."""
    place = tmp_path / "old"
    clock = HandClock(datetime.now(UTC) - timedelta(days=400))
    Memory.open(place, clock=clock, embedder=flat_embedder()).close()
    (place / "policy.toml").write_text(POLICY, "utf-8")
    with Memory.open(place, clock=clock, embedder=flat_embedder()) as memory:
        for name in ("kim", "lee"):
            session = memory.session(person=name)
            for words, category in (("기차는 7:40", "fact"), ("땅콩 알레르기", "constraint")):
                said = session.message(f"{words} {name}")
                session.remember(said.text, kind="stated", category=category, sources=[said])
    return place


def test_it_is_shown_carried_out_and_listed(run: Run, old: Path) -> None:
    mine = ("--store", str(old), "--person", "kim")

    shown = run("retention", "--dry-run", *mine)
    said = " ".join(shown.out.split())
    assert shown.code == 0 and "2 things would be destroyed: 1 sources, 1 claims" in said
    assert "retention.claim.fact" in said and "STILL_NEEDED" in said and "not determined:" in said
    nobody = run("retention", *mine)
    assert (nobody.code, "nobody is there to ask" in nobody.err) == (2, True)

    done = run("retention", "--yes", "--json", *mine)
    assert done.code == 0 and len(done.json["due"]) == 2 and done.json["person"] == "kim"
    assert "기차" not in run("claims", *mine).out and "땅콩" in run("claims", *mine).out
    listed = run("retention", "list", *mine, "--json")
    assert [line["id"] for line in listed.lines] == [done.json["id"]]
    assert "2 things" not in run("retention", "--dry-run", *mine).out


def test_everybodys_is_for_operators_and_asked_about(
    run: Run, old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    everybody = ("--everybody", "--store", str(old))
    monkeypatch.setattr("builtins.input", answering("no"))
    real = io.StringIO
    monkeypatch.setattr(
        io, "StringIO", lambda text="": Terminal(text) if text == "tty" else real(text)
    )
    asked = run("retention", *everybody, stdin="tty")
    assert asked.code == 1 and "4 things would be destroyed" in " ".join(asked.out.split())
    assert len(run("claims", "--store", str(old), "--person", "lee", "--json").lines) == 2
    monkeypatch.setattr("builtins.input", answering("yes"))
    agreed = run("retention", *everybody, stdin="tty")
    assert agreed.code == 0 and "4 things were destroyed" in " ".join(agreed.out.split())
    assert len(run("claims", "--store", str(old), "--person", "lee", "--json").lines) == 1
    listed = " ".join(run("retention", "list", *everybody).out.split())
    assert "retention.claim.fact: 2 destroyed, 0 over and kept" in listed
    assert "retention.message: 2 destroyed, 2 over and kept" in listed

    (old / "store.toml").write_text('format = 1\noperators = ["nobody-at-all"]\n', "utf-8")
    refused = run("retention", "--dry-run", *everybody)
    assert (refused.code, "NOT_YOUR_ROLE" in refused.err) == (4, True)


def test_bad_input_says_the_way_out(run: Run, old: Path) -> None:
    mine = ("--store", str(old), "--person", "kim")
    for words, told in (
        (("--at", "2027-01-01T00:00Z"), "goes with --dry-run only"),
        (("--dry-run", "--at", "2027-01-01"), "no time zone"),
        (("--dry-run", "--at", "tomorrow"), "is not a time"),
        (("list", "--yes"), "leave --dry-run and --yes away"),
    ):
        ran = run("retention", *words, *mine)
        assert ran.code == 2 and told in " ".join(ran.err.split()), ran
    agent = run("retention", "--dry-run", *mine, "--agent", "bot")
    assert agent.code == 4 and "ONLY_THE_PERSON" in agent.err


def test_rules_and_the_notice_of_an_account_tell_it_in_korean(
    run: Run, old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANG", "ko_KR.UTF-8")
    at = ("--store", str(old))

    rules = run("policy", "rules", *at, "--json").json
    assert {"retention.message", "retention.closed.message"} <= {
        rule["name"] for rule in rules["retention"]
    }
    assert "그 밖의 것에는 기한이 없습니다" in run("policy", "rules", *at).out
    assert run("rules", *at, "--json").json["days"] == {"fact": 30}
    assert "길어야 30일" in " ".join(run("rules", *at).out.split())
    told = " ".join(run("account", "kim", "closed", *at).out.split())
    first = f"{datetime.now(UTC) + timedelta(days=30):%Y-%m-%d}"
    assert f"메시지: 30일, 곧 {first}부터 기한이 지납니다(retention.closed.message)." in told
    assert "저절로 없어지지 않습니다" in told
    shown = " ".join(run("retention", "--dry-run", *at, "--person", "kim").out.split())
    assert "KEPT_BY_ACCOUNT" not in shown and "기한" in shown
