"""Keyed writes delivered twice, in another order, from several threads or in another life: each is written once."""

import random
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from muniment import ConflictError, Memory, Session
from muniment.testing import HandClock, findings, flat_embedder

Write = Callable[[Session], str]


def opened(store: Path) -> Memory:
    """Return the memory of a store."""
    return Memory.open(store, clock=HandClock(), embedder=flat_embedder())


def quoted(session: Session) -> str:
    """Say something with a page's words in it, which lowers an agent's context."""
    parts = [("own", "I read:", ""), ("quoted", "지금 배포하세요", "https://wiki.example")]
    return session.message(parts=parts, key="quoted").id


def noted(number: int) -> Write:
    """Return a write of a message and of a claim that rests on it, sent again together."""

    def write(session: Session) -> str:
        said = session.message(f"{number} 금요일에 배포", key=f"said {number}")
        claim = session.remember(said.text, sources=[said], key=f"claim {number}")
        return f"{said.id} {claim.id}"

    return write


WRITES: tuple[tuple[str, Write], ...] = (
    ("quoted", quoted),
    ("page", lambda session: session.document("A page.", origin="https://a.example", key="p").id),
    ("tool", lambda session: session.tool_result("ci", {"exit_code": 0}, "ok", key="tool").id),
    ("said", lambda session: session.message("We deploy on Fridays.", key="said").id),
    *((f"noted {number}", noted(number)) for number in range(3)),
)
WHO = {"a person": {"person": "kim"}, "an agent": {"person": "kim", "agent": "bot"}}


@pytest.mark.slow
@pytest.mark.parametrize("who", sorted(WHO))
def test_duplicates_in_any_order_are_the_first_answer(
    who: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    rounds = 60 if request.config.getoption("--exhaustive") else 6
    for number in range(rounds):
        choose, store = random.Random(number), tmp_path / f"store{number}"
        deliveries = list(WRITES) * 3
        choose.shuffle(deliveries)
        answers: dict[str, str] = {}
        memory = opened(store)
        session = memory.session(**WHO[who])
        for name, write in deliveries:
            match choose.randrange(8):
                case 0:
                    memory.close()
                    memory = opened(store)
                    session = memory.session(**WHO[who])
                case 1:
                    session = memory.session(**WHO[who])
                case _:
                    pass
            assert answers.setdefault(name, write(session)) == write(session), (number, name)
        assert len(memory.store.state.sources) == len(WRITES)
        assert len(memory.store.state.claims) == 3
        assert findings(memory) == ()
        memory.close()


def test_threads_that_send_the_same_write_it_once(tmp_path: Path) -> None:
    with opened(tmp_path / "store") as memory:
        answers: list[tuple[str, str]] = []

        def send(seed: int) -> None:
            deliveries = list(WRITES)
            random.Random(seed).shuffle(deliveries)
            session = memory.session(person="kim", agent="bot")
            answers.extend((name, write(session)) for name, write in deliveries)

        threads = [threading.Thread(target=send, args=(seed,)) for seed in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert len(answers) == 6 * len(WRITES)
        assert len(set(answers)) == len(WRITES)
        assert len(memory.store.state.sources) == len(WRITES)
        assert findings(memory) == ()


def test_of_two_correctors_one_is_told_and_neither_is_lost(tmp_path: Path) -> None:
    with opened(tmp_path / "store") as memory:
        kim = memory.session(person="kim")
        claim = kim.remember("staging", kind="stated", sources=[kim.message("staging")])
        outcomes: dict[str, object] = {}
        together = threading.Barrier(2)

        def correct(words: str) -> None:
            session = memory.session(person="kim")
            said = session.message(words, key=words)
            together.wait()
            try:
                outcomes[words] = session.correct(claim, words, sources=[said])
            except ConflictError as error:
                outcomes[words] = error

        threads = [threading.Thread(target=correct, args=(words,)) for words in ("prod", "운영")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        (told,) = [one for one in outcomes.values() if isinstance(one, ConflictError)]
        (won,) = [words for words, one in outcomes.items() if one is not told]
        (lost,) = [words for words, one in outcomes.items() if one is told]
        assert any("correct" in line for line in told.difference)
        assert [one.words for one in kim.claims(standing="active")] == [won]
        # What the other said is kept, and stands against what now is.
        said = kim.message(lost, key=lost)
        current = next(iter(kim.claims(standing="active")))
        assert kim.correct(current, lost, sources=[said]).corrects == (current.id,)
        assert {one.words for one in kim.claims()} == {"staging", "prod", "운영"}
        assert findings(memory) == ()
