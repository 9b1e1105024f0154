"""A store of each format stays readable for ever.

`format1.zip` was made by `python tests/lineage/test_golden.py --regenerate`. It is made once for a format: a store that
this version cannot open any more is a fault of this version, not a reason to make the store anew.
"""

import sys
import tempfile
import zipfile
from datetime import timedelta
from pathlib import Path

import pytest

from muniment import IntegrityError, Memory
from muniment.testing import HandClock, findings, flat_embedder

GOLDEN = Path(__file__).with_name("golden")
POLICY = (
    'format = 1\n[tools.deploy]\nfields = { environment = "identifier", exit_code = "integer" }\n'
)
WANTED = [
    ("We deploy to staging on Fridays.", "stated", "corrected"),
    ("We deploy to production on Fridays.", "stated", "active"),
    ("저는 고기를 안 먹어요", "stated", "active"),
    ("environment: production", "observed", "active"),
    ("Pay invoices to account 99.", "external", "active"),
    ("The risk of a deploy is low.", "inferred", "stale"),
    ("I am on leave.", "stated", "expired"),
]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """The golden store, unpacked."""
    with zipfile.ZipFile(GOLDEN / "format1.zip") as packed:
        packed.extractall(tmp_path)
    return tmp_path / "store"


def opened(store: Path) -> Memory:
    """Return the memory of a store, a day after it was made."""
    clock = HandClock()
    clock.move(timedelta(days=1))
    return Memory.open(store, clock=clock, embedder=flat_embedder())


def shown(memory: Memory) -> list[tuple[str, str, str]]:
    """Return what kim sees, in words."""
    kim = memory.session(person="kim", project="apollo")
    return [(one.words, one.kind.value, one.standing.value) for one in kim.claims()]


def test_its_words_are_read(store: Path) -> None:
    with opened(store) as memory:
        assert sorted(shown(memory)) == sorted(WANTED)
        kim = memory.session(person="kim", project="apollo")
        answer = kim.recall("where do we deploy?", limit=100)
        assert {item.claim.words for item in answer.evidence} == {
            words for words, _, standing in WANTED if standing == "active"
        }


def test_its_graph_is_its_journal(store: Path) -> None:
    with opened(store) as memory:
        assert memory.store.notes == []
        assert findings(memory) == ()


def test_its_files_are_verified_before_it_is_opened(store: Path) -> None:
    assert Memory.verify_files(store).findings == ()


def test_it_is_read_from_its_journal_alone(store: Path) -> None:
    (store / "default" / "lineage.duckdb").unlink()

    with opened(store) as memory:
        assert sorted(shown(memory)) == sorted(WANTED)
        assert findings(memory) == ()


def test_it_can_be_written_on(store: Path) -> None:
    with opened(store) as memory:
        kim = memory.session(person="kim", project="apollo")
        assert kim.message("저는 고기를 안 먹어요", key="golden-1").id in memory.store.state.ids
        before = memory.store.state.seq
        kim.message("저는 고기를 안 먹어요", key="golden-1")
        assert memory.store.state.seq == before
        kim.remember("I am back.", kind="stated", sources=[kim.message("I am back.")])
    with opened(store) as memory:
        assert ("I am back.", "stated", "active") in shown(memory)


def test_its_files_are_verified_as_they_are(store: Path) -> None:
    assert Memory.verify_files(store).findings == ()  # its graph lacks the tables of later versions


def test_its_words_need_its_key(store: Path) -> None:
    (store / "store.key").write_text("00" * 32, encoding="ascii")

    with pytest.raises(IntegrityError):
        opened(store)


def make(store: Path) -> None:
    """Make the golden store of the present format."""
    clock = HandClock()
    Memory.open(store, clock=clock, embedder=flat_embedder()).close()
    (store / "policy.toml").write_text(POLICY, encoding="utf-8")
    (store / "store.toml").write_text("format = 1\n", encoding="utf-8")
    with Memory.open(store, clock=clock, embedder=flat_embedder()) as memory:
        kim = memory.session(person="kim", project="apollo")
        agent = memory.session(person="kim", project="apollo", agent="helper")
        said = kim.message("We deploy to staging on Fridays.")
        wrong = kim.remember(said.text, kind="stated", category="decision", sources=[said])
        agent.remember("The risk of a deploy is low.", sources=[wrong])
        said = kim.message("We deploy to production on Fridays.")
        kim.correct(wrong, said.text, sources=[said], reason="it was never staging")
        said = kim.message("저는 고기를 안 먹어요", key="golden-1")
        kim.remember(
            said.text, kind="stated", category="constraint", gist="vegetarian", sources=[said]
        )
        result = agent.tool_result("deploy", {"environment": "production", "exit_code": 0})
        agent.remember(
            "environment: production", kind="observed", field="environment", sources=[result]
        )
        page = agent.document("Pay invoices to account 99.", origin="https://wiki.example")
        agent.remember(page.text, kind="external", sources=[page])
        said = kim.message("I am on leave.")
        kim.remember(
            said.text, kind="stated", sources=[said], expires_at=clock.now + timedelta(hours=8)
        )
        kim.recall("where do we deploy?")


def regenerate() -> None:
    """Write the golden store of the present format beside this file."""
    with tempfile.TemporaryDirectory() as folder:
        make(Path(folder) / "store")
        GOLDEN.mkdir(exist_ok=True)
        with zipfile.ZipFile(GOLDEN / "format1.zip", "w", zipfile.ZIP_DEFLATED) as packed:
            for path in sorted(Path(folder).rglob("*")):
                kept = path.relative_to(folder)
                if path.is_file() and "index.lance" not in kept.parts and path.name != "lock":
                    packed.write(path, kept)


if __name__ == "__main__" and "--regenerate" in sys.argv:
    regenerate()
