"""Independence never rises by quoting, summarising, echoing, recalling, taking in again or trying again."""

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muniment import Memory, Session, Source
from muniment.claims import canonical_text, canonical_words
from muniment.lineage import RUN, PrintMap, matches, prints_of
from muniment.testing import flat_embedder

WORDS = (
    *"We deploy the planner to staging on Fridays after lunch 3.5 #ops".split(),
    *"배포는 금요일 오후에 한다 담당은 이지은이다 회의가 열 시 저는 고기를 안 먹어요".split(),
    *("naïve", "ﬁrst", "staging에서", "C++", "①", "👩\u200d💻", "값이\u200b"),
)
sentences = (
    st.lists(st.sampled_from(WORDS), min_size=3, max_size=14)
    .map(" ".join)
    .filter(lambda text: len(canonical_words(text)) >= 3)
)


class Told:
    """A person, two agents, and a claim of hers that rests on pages and was given out."""

    def __init__(self, memory: Memory, words: str, pages: int) -> None:
        self.memory, self.words, self.numbers = memory, words, count()
        self.kim = memory.session(person="kim")
        self.bots = [memory.session(person="kim", agent=name) for name in ("one", "two")]
        for number in range(pages):
            page = self.kim.document(
                f"{'Page' * (number + 1)}: {words}!", origin=f"https://{number}.example"
            )
            self.claim = self.kim.remember(words, kind="external", sources=[page])
        self.answer = self.kim.recall(words)
        assert self.claim.id in [item.claim.id for item in self.answer.evidence]

    def bot(self) -> Session:
        """Return an agent, one after the other."""
        return self.bots[next(self.numbers) % 2]

    def again(self, source: Source) -> None:
        """Let the words be remembered from a source once more, as they are and in other words."""
        self.bot().remember(self.words, kind="external", sources=[source])
        self.bot().remember(self.words, sources=[source])
        self.bot().remember("it is as they say", sources=[source])


def quote(told: Told) -> None:
    told.kim.remember(told.words, kind="external", sources=[told.claim.citations[0].id])


def summary(told: Told) -> None:
    made = told.bot().remember("it is as they say", sources=[told.claim])
    told.bot().remember("so it is", sources=[made, told.claim])


def echo(told: Told) -> None:
    number = next(told.numbers)
    text = f"News no. {number}.\n{told.words}, they say.\nMore on page {number}."
    told.again(told.bot().document(text, origin=f"https://news{number}.example"))


def letters(told: Told) -> None:
    number = next(told.numbers)
    text = f"{number} {told.words.upper().replace(' ', '   ')}\u200b"
    page = told.bot().document(text, origin=f"https://loud{number}.example")
    told.bot().remember("it is as they say", sources=[page])
    told.bot().remember(told.words, sources=[page])


def agents(told: Told) -> None:
    told.again(told.bot().message(f"I remember: {told.words}"))
    told.again(told.bot().tool_result(f"browser{next(told.numbers)}", text=told.words))


def herself(told: Told) -> None:
    said = told.kim.message(told.words)
    told.kim.remember(told.words, kind="stated", sources=[said])
    told.again(said)
    told.again(
        told.kim.message(parts=[("pasted", told.words, f"https://{next(told.numbers)}.example")])
    )


def recall(told: Told) -> None:
    bot = told.bot()
    answer = bot.recall(told.words)
    recalled, own = ("recalled", told.words, answer.receipt), ("own", "\nThat is all I know.")
    told.again(bot.message(parts=[recalled, own]))
    bot.search_conversations(told.words)
    list(bot.export())


def reingest(told: Told) -> None:
    for origin in ("https://0.example", f"https://mirror{next(told.numbers)}.example"):
        told.again(told.kim.document(f"Page: {told.words}!", origin=origin))


def retry(told: Told) -> None:
    page = told.kim.document(f"Again {told.words}", origin="https://retry.example", key="page")
    told.kim.remember(told.words, kind="external", sources=[page], key="claim")
    told.again(page)


WAYS = (quote, summary, echo, letters, agents, herself, recall, reingest, retry)


def counts(told: Told) -> Iterator[tuple[str, int]]:
    for claim in told.kim.claims():
        yield claim.id, told.kim.evidence_of(claim).independent


@settings(max_examples=25, deadline=None)
@given(
    words=sentences,
    pages=st.integers(1, 2),
    ways=st.lists(st.sampled_from(WAYS), min_size=1, max_size=5),
)
def test_no_way_of_saying_it_again_raises_independence(
    tmp_path_factory: pytest.TempPathFactory,
    words: str,
    pages: int,
    ways: list[Callable[[Told], None]],
) -> None:
    with Memory.open(tmp_path_factory.mktemp("s") / "store", embedder=flat_embedder()) as memory:
        told = Told(memory, words, pages)
        assert told.kim.evidence_of(told.claim).independent == pages
        for way in ways:
            way(told)
        for claim, independent in counts(told):
            assert independent <= pages, (claim, told.kim.evidence_of(claim).why)
        assert told.kim.evidence_of(told.claim).independent == pages
        origins = told.kim.evidence_of(told.claim).origins
        assert origins == pages


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "words", ["배포는 금요일 오후에 한다", "We deploy to staging on Fridays after lunch"]
)
def test_each_way_twice(tmp_path: Path, way: Callable[[Told], None], words: str) -> None:
    with Memory.open(tmp_path / "store", embedder=flat_embedder()) as memory:
        told = Told(memory, words, 1)
        for _ in range(2):
            way(told)
            assert {independent for _, independent in counts(told)} <= {0, 1}
        found = told.kim.evidence_of(told.claim)
        assert (found.independent, found.origins) == (1, 1)


# --- the fingerprints ----------------------------------------------------------------------------------------------


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=200))
def test_the_words_are_those_of_the_canonical_text_and_stand_where_it_says(text: str) -> None:
    found = canonical_words(text)

    spoken = [piece for piece in (canonical_text(token) for token in text.split()) if piece]
    assert " ".join(word for word, _, _ in found) == " ".join(spoken)
    assert all(word in canonical_text(text[start:end]).split() for word, start, end in found)


@settings(max_examples=100, deadline=None)
@given(
    kept=st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=12), max_size=8),
    said=st.lists(st.sampled_from("abc"), min_size=RUN, max_size=20),
    least=st.sampled_from((0.3, 0.8)),
)
def test_the_map_finds_what_counting_by_hand_finds(
    kept: list[list[str]], said: list[str], least: float
) -> None:
    found_in = PrintMap()
    for node, words in enumerate(kept):
        found_in.enter(node, b"key", words)
        if node % 3 == 2:
            found_in.settle(most=0)
    prints = np.frombuffer(prints_of(b"key", said, RUN), dtype=np.uint64)
    runs = {tuple(said[at : at + RUN]) for at in range(len(said) - RUN + 1)}

    found = {one.node: one.share for one in found_in.find(prints, len(runs), least, 100)}

    by_hand: dict[int, float] = {}
    for node, words in enumerate(kept):
        theirs = {tuple(words[at : at + RUN]) for at in range(len(words) - RUN + 1)}
        if theirs:
            share = len(theirs & runs) / min(len(theirs), max(2, len(runs)))
            if share >= least and theirs & runs:
                by_hand[node] = share
    assert found == pytest.approx(by_hand)


def test_words_of_other_scopes_are_never_looked_at(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "store", embedder=flat_embedder()) as memory:
        told = Told(memory, "We deploy to staging on Fridays", 1)
        mine = told.kim.acting.readable()

        assert [match.node for match in matches(memory.store, mine, told.words)]
        assert matches(memory.store, frozenset(), told.words) == []
        lee = memory.session(person="lee")
        lee.document(told.words, origin="https://lee.example")
        assert set(memory.store.given) <= mine
