"""The law of legal holds: whatever is erased, nothing on hold loses a word, and a refusal changes nothing."""

from collections.abc import Iterator
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muniment import Memory, MunimentError, RefusedError
from muniment.testing import findings, flat_embedder

_EXAMPLE = count()


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """One store for every example; each has a person of its own."""
    with Memory.open(tmp_path_factory.mktemp("holds") / "store", embedder=flat_embedder()) as made:
        yield made


@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_nothing_on_hold_loses_a_word(memory: Memory, data: st.DataObject) -> None:
    who = f"민지 {next(_EXAMPLE)}"
    session = memory.session(person=who)
    sources = [
        session.message(f"{text} {who}") for text in ("금요일에 배포", "on Fridays", "on 금요일")
    ]
    things = [source.id for source in sources]
    for place in range(data.draw(st.integers(2, 6))):
        among = (
            things if place > 2 else things[:3]
        )  # first wordings of the same, each from a message of its own
        grounds = data.draw(st.lists(st.sampled_from(among), min_size=1, max_size=2, unique=True))
        text = data.draw(st.sampled_from(["a vault", "A vault", "a  vault", f"a thing {place}"]))
        claim = session.remember(f"{text} of {who}", sources=grounds).id
        things += [] if claim in things else [claim]
    held = data.draw(st.lists(st.sampled_from(things[::-1]), min_size=1, max_size=2, unique=True))
    holds = [memory.hold(thing, "소송") for thing in held]

    def said(thing: str) -> object:
        return (
            session.source(thing).text if thing in things[:3] else session.claim(thing).seen_count
        )

    before = {thing: said(thing) for thing in held}

    for thing in data.draw(st.permutations(things)):
        try:
            plan = memory.erase(thing, dry_run=True)
        except MunimentError:  # it went with another
            continue
        seq = memory.store.state.erasures[-1:]
        try:
            done = memory.erase(thing)
            assert plan.held == () and done.claims == plan.claims
        except RefusedError as error:
            assert error.decision.rule == "ON_LEGAL_HOLD"
            assert plan.held and set(plan.held) <= set(held)
            assert memory.store.state.erasures[-1:] == seq
        assert {thing: said(thing) for thing in held} == before

    for hold in holds:
        memory.release(hold)
    memory.erase_person(who)


def test_the_store_is_sound_after_all_that(memory: Memory) -> None:
    assert findings(memory) == ()
