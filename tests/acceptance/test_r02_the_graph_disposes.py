"""R02: the index proposes, the graph disposes: a tampered or stale index never gives a wrong answer."""

import json
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import lancedb
import pyarrow as pa
import pytest

from muniment import CallableEmbedder, Claim, Memory, Session

FLAT = CallableEmbedder("flat", 4, lambda texts: [[1.0] * 4 for _ in texts])
WORDS = "배포 환경은 staging이다"


class World:
    """Two persons with the same words, and a claim of each standing that must not come."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.kim, self.lee = memory.session(person="kim"), memory.session(person="lee")
        self.mine = self.keep(self.kim, WORDS)
        self.his = self.keep(self.lee, f"{WORDS} (lee)")
        self.corrected = self.keep(self.kim, f"{WORDS} 였나")
        said = self.kim.message("아니다")
        self.kim.correct(self.corrected, "아니다", sources=[said])
        self.retracted = self.keep(self.kim, f"{WORDS} 아마")
        self.kim.retract(self.retracted)
        self.page = self.kim.document(WORDS, origin="https://page.example")
        self.kim.recall(WORDS)
        self.lee.recall(WORDS)

    def keep(self, session: Session, words: str) -> Claim:
        """Say and remember something."""
        said = session.message(words)
        return session.remember(words, kind="stated", sources=[said])

    def number(self, identifier: str) -> int:
        """Return the number that the index knows something by."""
        return self.memory.store.state.ids[identifier]

    def table(self) -> Any:
        """Return the table of the index, as somebody who owns the machine could open it."""
        return lancedb.connect(self.memory.store.folder / "index.lance").open_table("rows")

    def reopened(self, quick: Callable[..., Memory], *, seen: bool = False) -> "World":
        """Let the store be opened anew, so that the tampered rows are read; `seen` lets the index know of it."""
        self.memory.close()
        if not seen:
            place = self.memory.store.folder / "index.lance" / "index.json"
            state = {**json.loads(place.read_text()), "version": self.table().version}
            place.write_text(json.dumps(state))
        self.memory = quick(embedder=FLAT)
        self.kim, self.lee = self.memory.session(person="kim"), self.memory.session(person="lee")
        return self

    def found(self) -> list[str]:
        """Return what a recall gives to kim."""
        return [item.claim.words for item in self.kim.recall(WORDS, limit=50).evidence]


@pytest.fixture
def world(quick: Callable[..., Memory]) -> World:
    """Return the world on a store whose index takes every text for alike."""
    return World(quick(embedder=FLAT))


def plant(world: World, layer: int, node: int, scope: int, chunk: int = 0) -> None:
    """Write a row into the index that looks like one of kim's own."""
    world.memory.index()  # nothing writes there meanwhile
    table = world.table()
    rows = table.search().to_arrow().to_pylist()
    mine = world.number(world.mine.id)
    row = next(row for row in rows if row["node"] == mine)
    planted = {**row, "layer": layer, "node": node, "scope": scope, "chunk": chunk}
    table.add(pa.Table.from_pylist([planted], schema=table.schema))


def scope_of(world: World) -> int:
    """Return the number of kim's scope."""
    return world.memory.store.state.claims[world.number(world.mine.id)].scope


def test_rows_of_another_persons_claims_under_her_scope(
    world: World, quick: Callable[..., Memory]
) -> None:
    plant(world, 0, world.number(world.his.id), scope_of(world))
    world.reopened(quick)

    assert world.found() == [WORDS, "아니다"]


def test_rows_of_what_is_not_there_or_is_no_claim(
    world: World, quick: Callable[..., Memory]
) -> None:
    for node in (10**9, 1, 2, 3, world.number(world.page.id)):
        plant(world, 0, node, scope_of(world))
    world.reopened(quick)

    assert world.found() == [WORDS, "아니다"]


def test_rows_of_what_no_longer_stands(world: World, quick: Callable[..., Memory]) -> None:
    for claim in (world.retracted, world.corrected):
        plant(world, 0, world.number(claim.id), scope_of(world), chunk=7)
    world.reopened(quick)

    assert world.found() == [WORDS, "아니다"]


def test_conversation_rows_of_others_and_of_documents(
    world: World, quick: Callable[..., Memory]
) -> None:
    for node in (
        world.number(world.his.citations[0].id),
        world.number(world.page.id),
        world.number(world.mine.id),
        10**9,
    ):
        plant(world, 1, node, scope_of(world))
    plant(world, 1, world.number(world.mine.citations[0].id), scope_of(world), chunk=99)
    world.reopened(quick)

    turns = world.kim.search_conversations(WORDS, limit=50)

    own = {source.id for source in map(world.kim.source, _own_messages(world))}
    assert {hit.source for hit in turns.hits} <= own
    assert all("lee" not in hit.excerpt for hit in turns.hits)


def _own_messages(world: World) -> list[str]:
    return [
        source.id
        for source in world.memory.store.state.sources.values()
        if source.scope == scope_of(world) and source.medium == "message"
    ]


def test_a_row_moved_to_another_scope_is_not_found_there(
    world: World, quick: Callable[..., Memory]
) -> None:
    table = world.table()
    his = world.memory.store.state.claims[world.number(world.his.id)].scope
    table.update(where=f"scope = {his}", values={"scope": scope_of(world)})
    world.reopened(quick)

    assert world.found() == [WORDS, "아니다"]


def test_an_emptied_table_is_filled_again_or_the_answer_says_so(
    world: World, quick: Callable[..., Memory]
) -> None:
    table = world.table()
    table.delete("node > 0")
    world.reopened(quick, seen=True)

    assert world.found() == [WORDS, "아니다"]


def test_an_emptied_table_that_says_it_is_none_is_filled_by_the_command(
    world: World, quick: Callable[..., Memory]
) -> None:
    world.table().delete("node > 0")
    world.reopened(quick)

    assert set(world.found()) <= {WORDS, "아니다"}
    assert world.memory.rebuild_index().whole
    assert world.found() == [WORDS, "아니다"]


def test_a_table_that_was_written_to_by_something_else_is_emptied_and_filled_again(
    world: World, quick: Callable[..., Memory]
) -> None:
    plant(world, 0, world.number(world.his.id), scope_of(world))
    world.reopened(quick, seen=True)

    answer = world.kim.recall(WORDS, limit=50)

    assert [item.claim.words for item in answer.evidence] == [WORDS, "아니다"]
    assert answer.notes[0].startswith("index emptied: ") and "something else" in answer.notes[0]
    assert not [row for row in world.table().to_arrow().to_pylist() if row["chunk"]]
    kim, his = scope_of(world), world.number(world.his.id)
    rows = world.table().to_arrow().to_pylist()
    assert [row["scope"] == kim for row in rows if row["node"] == his] == [False]


def test_rows_of_what_was_erased_revoked_expired_or_is_no_memory(
    world: World, quick: Callable[..., Memory]
) -> None:
    kim = world.kim
    soon = datetime.now(UTC) + timedelta(milliseconds=300)
    short = kim.message(f"{WORDS} 곧")
    expiring = kim.remember(short.text, kind="stated", sources=[short], expires_at=soon)
    wiki = kim.document(f"{WORDS} 위키", origin="https://wiki.example")
    outside = kim.remember(wiki.text, kind="external", sources=[wiki])
    kim.revoke(wiki)
    gone = world.keep(kim, f"{WORDS} zebracanary")
    erased = [world.number(gone.id), world.number(gone.citations[0].id)]
    kim.erase(gone.citations[0].id)
    task = kim.task(f"{WORDS} 할 일")
    kept = {claim.id for claim in kim.claims(category="task")}
    assert kept and task
    scope = scope_of(world)
    for node in (*erased, *map(world.number, (expiring.id, outside.id, *kept))):
        for layer in (0, 1):
            plant(world, layer, node, scope, chunk=9)
            plant(world, layer, node, scope)
    time.sleep(0.35)
    world.reopened(quick)

    answer = world.kim.recall(WORDS, limit=50)
    turns = world.kim.search_conversations(WORDS, limit=50)

    assert {item.claim.words for item in answer.evidence} == {WORDS, "아니다"}
    assert not any("zebracanary" in hit.excerpt for hit in turns.hits)
    assert all(hit.excerpt for hit in turns.hits)
    assert {hit.source for hit in turns.hits} <= set(_own_messages(world))


def test_planted_rows_take_no_place_from_what_is_there(
    world: World, quick: Callable[..., Memory]
) -> None:
    """Fifty rows of nothing at the head of a search leave room for the turns that there are."""
    table = (world.memory.index(), world.table())[1]
    rows = table.search().to_arrow().to_pylist()
    own = world.number(world.mine.citations[0].id)
    mine = next(row for row in rows if row["node"] == own)
    planted = [{**mine, "node": 10**7 + at, "thread": 0} for at in range(30)]
    table.add(pa.Table.from_pylist(planted, schema=table.schema))
    world.reopened(quick)

    turns = world.kim.search_conversations(WORDS, limit=2)
    assert len(turns.hits) == 2
    assert world.found() == [WORDS, "아니다"]


def test_an_index_of_another_store_gives_nothing_of_it(
    world: World, quick: Callable[..., Memory]
) -> None:
    other = quick("other", embedder=FLAT)
    for number in range(20):
        world.keep(other.session(person="kim"), f"{WORDS} {number}")
    other.session(person="kim").recall(WORDS)
    other.close()
    world.memory.close()
    here, there = world.memory.store.folder, other.store.folder
    (here / "index.lance").rename(here / "index.old")
    (there / "index.lance").rename(here / "index.lance")
    world.memory = quick(embedder=FLAT)
    world.kim = world.memory.session(person="kim")

    assert world.found() == [WORDS, "아니다"]
