"""The law of exports: whatever a person did, her export makes the same of an empty store, and nothing higher (V07)."""

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from muniment import Claim, Memory, MunimentError, Session
from muniment.testing import HandClock, findings, flat_embedder

TEXTS = ("The gate opens at nine.", "문은 아홉 시에 연다.", "I like tea. 차를 좋아한다.")
# The moment, the rule, the store; and what an erasure leaves a gap in.
HERE = {"recorded_at", "written_at", "confirmed_at", "given_at", "decision", "note", "store", "key"}
GAPS = {"version", "record", "echoes", "supersedes", "corrects", "challenges", "replaced_by"}


class _Life:
    """A person and her agent, who do things to the claim at a place among those there are."""

    def __init__(self, memory: Memory) -> None:
        self.kim = memory.session(person="kim", project="apollo")
        self.bot = memory.session(person="kim", project="apollo", agent="bot")

    def claim(self, place: int) -> Claim:
        """Return one of the claims."""
        claims = list(self.kim.claims())
        return claims[place % len(claims)]

    def said(self, place: int, session: Session | None = None) -> str:
        """Say one of the texts and return the message."""
        return (session or self.kim).message(TEXTS[place % len(TEXTS)]).id


def _replace(verb: str) -> Callable[[_Life, int], object]:
    def do(life: _Life, place: int) -> object:
        text, claim = TEXTS[(place + 1) % len(TEXTS)], life.claim(place)
        return getattr(life.kim, verb)(claim, text, sources=[life.said(place + 1)], reason="왜냐면")

    return do


DEEDS: dict[str, Callable[[_Life, int], object]] = {
    "state": lambda life, place: life.kim.remember(
        TEXTS[place % len(TEXTS)], kind="stated", sources=[life.said(place)]
    ),
    "guess": lambda life, place: life.bot.remember("a guess", sources=[life.claim(place)]),
    "read": lambda life, place: life.bot.remember(
        TEXTS[place % len(TEXTS)],
        kind="external",
        sources=[life.bot.document(TEXTS[place % len(TEXTS)], origin="https://a.example")],
    ),
    "correct": _replace("correct"),
    "supersede": _replace("supersede"),
    "challenge": lambda life, place: life.bot.challenge(
        life.claim(place), "no, at ten", sources=[life.said(place, life.bot)]
    ),
    "retract": lambda life, place: life.kim.retract(life.claim(place)),
    "reinstate": lambda life, place: life.kim.reinstate(
        life.claim(place), sources=[life.said(place)]
    ),
    "confirm": lambda life, place: life.kim.confirm(life.claim(place)),
    "mute": lambda life, place: life.kim.mute(life.claim(place)),
    "forget": lambda life, place: life.bot.request_forget(life.claim(place)),
    "erase": lambda life, place: life.kim.erase(life.claim(place)),
    "erase source": lambda life, place: life.kim.erase(life.claim(place).citations[0].id),
    "block": lambda life, place: life.kim.rewrite_block("\n".join(TEXTS[: place % 3 + 1])),
    "import": lambda life, place: life.bot.import_lines(TEXTS, origin="file:a"),
}


def compared(lines: list[str], cut: set[str]) -> list[str]:
    """Return the lines of an export, sorted, without some fields."""

    def clean(fields: dict[str, Any]) -> dict[str, Any]:
        return {name: one for name, one in fields.items() if name not in cut}

    return sorted(json.dumps(json.loads(line, object_hook=clean), sort_keys=True) for line in lines)


def empty_store(folder: Path, key: str) -> Memory:
    """Return a store that holds nothing and knows another by its key."""
    Memory.open(folder, embedder=flat_embedder()).close()
    policy = folder / "policy.toml"
    policy.write_text(f'format = 1\nstores = ["{key}"]\n', encoding="utf-8")
    return Memory.open(folder, clock=HandClock(), embedder=flat_embedder())


@settings(max_examples=8, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(sorted(DEEDS)), st.integers(0, 5)), max_size=14))
def test_an_export_makes_the_same_of_an_empty_store(deeds: list[tuple[str, int]]) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        with Memory.open(folder / "a", clock=HandClock(), embedder=flat_embedder()) as memory:
            life = _Life(memory)
            for deed, place in (("state", 0), *deeds):
                with suppress(MunimentError, ZeroDivisionError):  # refused, or nothing is there
                    DEEDS[deed](life, place)
            lines, erased = list(life.kim.export()), bool(memory.store.state.erasures)
            again = life.kim.import_lines(lines)
            assert (again.accepted, again.left_out) == (0, ())
            key = memory.signer.key
        with empty_store(folder / "b", key) as other:
            kim = other.session(person="kim", project="apollo")
            report = kim.import_lines(lines)
            assert (report.decision.rule, report.left_out) == ("OWN_EXPORT", ())
            cut = HERE | GAPS if erased else HERE
            assert compared(list(kim.export()), cut) == compared(lines, cut)
            assert kim.import_lines(lines).accepted == 0
            assert findings(other) == ()
