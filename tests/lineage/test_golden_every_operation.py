"""A store that holds every operation of the journal stays readable for ever.

`every-operation.zip` was made by `python tests/lineage/test_golden_every_operation.py --regenerate`, when the
operations beyond the first eleven had come. It is not made anew: a store that this version cannot open any more is a
fault of this version.
"""

import sys
import tempfile
import zipfile
from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import get_args

import pytest

from muniment import Memory
from muniment.claims import Header
from muniment.testing import HandClock, findings, flat_embedder

GOLDEN = Path(__file__).with_name("golden") / "every-operation.zip"
SECRET = "golden secret 열쇠"
RESTORED_FROM_A_BACKUP = "restore"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """The golden store, unpacked."""
    with zipfile.ZipFile(GOLDEN) as packed:
        packed.extractall(tmp_path)
    return tmp_path / "store"


def opened(store: Path) -> Memory:
    """Return the memory of a store, a day after it was made."""
    clock = HandClock()
    clock.move(timedelta(days=1))
    return Memory.open(store, clock=clock, embedder=flat_embedder())


def operations() -> set[str]:
    """Return the operations that the first golden store and this one are to hold together."""
    return {shape.model_fields["op"].default for shape in get_args(get_args(Header)[0])}


def test_it_holds_every_operation_but_restoring(store: Path) -> None:
    with opened(store) as memory:
        counted = Counter(
            memory.store.header(seq).op for seq in range(1, memory.store.state.seq + 1)
        )
        assert operations() - set(counted) == {RESTORED_FROM_A_BACKUP}


def test_everything_in_it_stands_as_it_did(store: Path) -> None:
    with opened(store) as memory:
        assert memory.store.notes == []
        kim = memory.session(person="kim", project="apollo")
        standings = {
            claim.words: (claim.standing.value, bool(claim.muted)) for claim in kim.claims()
        }
        assert standings == {
            "Never deploy on Fridays.": ("active", False),
            "저는 차를 마셔요": ("active", True),
            "Use tabs.": ("active", False),
            "Wiki says the port is 8080.": ("stale", False),
        }
        assert kim.block().text == "Call me 민지\nWorks on apollo"
        assert [one.target for one in memory.holds()] == [
            next(one.id for one in kim.claims() if one.words == "Never deploy on Fridays.")
        ]
        assert [(one.theme, one.claim != "") for one in kim.mutes()] == [
            ("이혼", False),
            ("", True),
        ]
        assert not memory.session(person="kim", project="hidden").can_use_prompt_memory
        assert [len(one.origins) for one in memory.origins() if len(one.origins) > 1] == [2]
        kim.prove(SECRET)
        assert findings(memory) == ()


def test_it_is_read_from_its_journal_alone(store: Path) -> None:
    with opened(store) as memory:
        wanted = [claim for claim in memory.session(person="kim", project="apollo").claims()]
    (store / "default" / "lineage.duckdb").unlink()
    with opened(store) as memory:
        assert list(memory.session(person="kim", project="apollo").claims()) == wanted
        assert findings(memory) == ()


def test_its_files_are_verified_as_they_are(store: Path) -> None:
    assert Memory.verify_files(store).findings == ()


def make(store: Path) -> None:
    """Make the golden store."""
    clock = HandClock()
    Memory.open(store, clock=clock, embedder=flat_embedder()).close()
    (store / "store.toml").write_text("format = 1\n", encoding="utf-8")
    with Memory.open(store, clock=clock, embedder=flat_embedder()) as memory:
        kim = memory.session(person="kim", project="apollo")
        agent = memory.session(person="kim", project="apollo", agent="helper")
        said = kim.message("Never deploy on Fridays.")
        rule = kim.remember(said.text, kind="stated", category="constraint", sources=[said])
        memory.hold(rule.id, "court")
        tea = kim.remember(
            "저는 차를 마셔요", kind="stated", sources=[kim.message("저는 차를 마셔요")]
        )
        kim.mute(theme="이혼")
        kim.mute(tea)
        page = kim.document("Wiki says the port is 8080.", origin="https://wiki.example")
        kim.remember(page.text, kind="external", sources=[page])
        kim.document("Wiki says the port is 9090.", origin="https://wiki.example", replaces=page)
        kim.document("Mirror of the wiki.", origin="https://mirror.example")
        memory.same_origin("https://wiki.example", "https://mirror.example", reason="same editor")
        gone = kim.message("Forget this.")
        lost = kim.remember(gone.text, kind="stated", sources=[gone])
        agent.request_forget(lost)
        agent.attach(agent.recall("deploy?"), answer="금요일, on Fridays", trace="t-1")
        list(kim.export())
        kim.erase(gone)
        outside = kim.document("Use tabs.", origin="https://style.example")
        style = kim.remember("Use tabs.", kind="external", category="preference", sources=[outside])
        kim.remember("Use tabs.", kind="external", category="preference", sources=[outside])
        kim.rewrite_block("Call me 민지")
        agent.lower_mark(kim.mark)
        memory.session(person="kim", agent="other").rewrite_block("Call me 민지\nWorks on apollo")
        kim.confirm(rule)
        kim.revoke(said)
        kim.give_back(said)
        kim.set_secret(SECRET)
        try:
            agent.retract(kim.claim(rule.id))
        except PermissionError:
            pass
        assert style.id
        memory.session(person="kim", project="hidden").pause("project")
        memory.session(person="kim", project="diary").declare_sensitive(agents=["diarist"])
        memory.set_account("kim", "free")
        memory.set_account("kim", "active")
        memory.retention()
        vouched = store.parent / "payees.txt"
        vouched.write_text("Hanbit, 110-222\n", encoding="utf-8")
        memory.register_corpus("payees", vouched, reason="signed")
        memory.revoke_corpus("payees")
        vouched.unlink()


def regenerate() -> None:
    """Write the golden store."""
    with tempfile.TemporaryDirectory() as folder:
        make(Path(folder) / "store")
        with zipfile.ZipFile(GOLDEN, "w", zipfile.ZIP_DEFLATED) as packed:
            for path in sorted(Path(folder).rglob("*")):
                kept = path.relative_to(folder)
                if path.is_file() and "index.lance" not in kept.parts and path.name != "lock":
                    packed.write(path, kept)


if __name__ == "__main__" and "--regenerate" in sys.argv:
    regenerate()
