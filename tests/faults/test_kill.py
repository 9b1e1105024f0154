"""Kill -9 at every point of a write, and at any other moment: what was acknowledged is there, nothing is by halves."""

import random
import re
from pathlib import Path
from typing import Protocol

import pytest

from muniment import Memory
from muniment.testing import flat_embedder

KILLED = -9

FAILPOINTS = (
    "erase.before_index",
    "erase.destroyed",
    "erase.half_destroyed",
    "erase.recorded",
    "graph.before_post",
    "graph.posted",
    "head.durable",
    "head.written",
    "journal.before_write",
    "journal.durable",
    "journal.half_written",
    "journal.segment_made",
    "journal.written",
    "keys.before_write",
    "keys.durable",
)
ONCE = ("journal.segment_made",)  # once in 64 MiB
ERASING = tuple(name for name in FAILPOINTS if name.startswith("erase."))  # test_kill_erasing.py
RETAINING = ("retention.batch",)  # tests/acceptance/test_p06_retention.py
ELSEWHERE = ("backup", "mirror", "restore", "tenant")  # test_kill_copies.py
SELDOM = ("keys.before_write", "keys.durable")  # once in 512 payloads


class Nursing(Protocol):
    """What the fixture `nursery` can do."""

    def live(
        self,
        store: Path,
        acks: Path,
        *,
        seed: int = 0,
        failpoint: str = "",
        passage: int = 1,
        kill_after: float = 0.0,
    ) -> int: ...


class Sound(Protocol):
    """What the fixture `sound` does."""

    def __call__(self, store: Path, acks: Path) -> None: ...


def test_every_failpoint_of_the_code_is_killed_at() -> None:
    root = Path(__file__).resolve().parents[2]
    named = {
        name
        for source in (*root.glob("lineage/*.py"), *root.glob("muniment/*.py"))
        for name in re.findall(r'reach\("([a-z_.]+)"\)', source.read_text(encoding="utf-8"))
    }

    copies = Path(__file__).with_name("test_kill_copies.py").read_text(encoding="utf-8")
    there = {name for name in named if name.partition(".")[0] in ELSEWHERE}
    # Killed at where the index is made anew: tests/acceptance/test_r04_index_rebuild.py.
    rebuilt = {"index.key_renewed", "index.forgotten", "index.batch"}
    assert named - there - set(RETAINING) - rebuilt == set(FAILPOINTS)
    assert {
        name
        for name in there
        if f'"{name}"' not in copies and f'"{name.partition(".")[2]}"' not in copies
    } == set()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("failpoint", "passage"),
    [(name, 1) for name in FAILPOINTS if name not in ERASING]
    + [("head.written", 2), ("head.durable", 2)],
)
def test_a_new_store_survives_the_first_passage(
    failpoint: str, passage: int, nursery: Nursing, sound: Sound, tmp_path: Path
) -> None:
    store, acks = tmp_path / "store", tmp_path / "acks"

    assert nursery.live(store, acks, failpoint=failpoint, passage=passage) == KILLED

    sound(store, acks)


@pytest.mark.slow
def test_one_store_survives_being_killed_everywhere_again_and_again(
    nursery: Nursing, sound: Sound, tmp_path: Path
) -> None:
    store, acks = tmp_path / "store", tmp_path / "acks"
    Memory.open(store, embedder=flat_embedder()).close()
    for passage in (1, 2, 5):
        for failpoint in FAILPOINTS:
            if failpoint in (*ONCE, *ERASING) or (failpoint in SELDOM and passage > 2):
                continue
            ended = nursery.live(store, acks, failpoint=failpoint, passage=passage, seed=passage)

            assert (failpoint, ended) == (failpoint, KILLED)
            sound(store, acks)


@pytest.mark.slow
def test_a_store_survives_being_killed_at_any_moment(
    nursery: Nursing, sound: Sound, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    kills = 200 if request.config.getoption("--exhaustive") else 60
    choose = random.Random(20260302)
    store, acks = tmp_path / "store0", tmp_path / "acks0"
    for kill in range(kills):
        if kill % 20 == 0:  # a store grows with each life; its checks would take ever longer
            store, acks = tmp_path / f"store{kill}", tmp_path / f"acks{kill}"
        ended = nursery.live(store, acks, seed=kill, kill_after=choose.uniform(0.01, 0.4))

        assert ended in (KILLED, 0)
        sound(store, acks)
