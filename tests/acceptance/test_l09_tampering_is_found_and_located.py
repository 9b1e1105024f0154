"""L09: the journal shows every change: flipping any byte is found and located, and proofs check offline."""

import json
import random
import shutil
from base64 import b64decode
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from muniment import InvalidError, Memory, RefusedError, Soundness, Verification
from muniment.lineage import Tree, encode_record, is_consistent, is_included, is_signed, read_anchor
from muniment.testing import HandClock, flat_embedder


def opened(store: Path) -> Memory:
    """Return the memory of a store."""
    return Memory.open(store, clock=HandClock(), embedder=flat_embedder())


def tell(memory: Memory, *words: str) -> None:
    """Let kim say each of the words, and remember it."""
    kim = memory.session(person="kim", project="apollo")
    for line in words:
        kim.remember(line, kind="stated", sources=[kim.message(line)])


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store in which one thing was said."""
    store = tmp_path_factory.mktemp("tiny") / "store"
    with opened(store) as memory:
        memory.session(person="kim").message("Hi.")
    return store


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store in which a few things were said, corrected and asked."""
    store = tmp_path_factory.mktemp("told") / "store"
    with opened(store) as memory:
        tell(memory, *(f"We deploy release {number} to staging." for number in range(8)))
        memory.session(person="kim", project="apollo").recall("where do we deploy?")
    return store


def places(store: Path) -> dict[int, tuple[int, int]]:
    """Return where each record of the journal begins and ends; between them stand the frames' own bytes."""
    with opened(store) as memory:
        return {
            seq: (raw.position, raw.position + len(encode_record(raw.header, raw.payloads)))
            for seq, raw in enumerate(memory.store.journal.scan(), 1)
        }


def flip(path: Path, place: int) -> None:
    """Change one bit of a file."""
    raw = bytearray(path.read_bytes())
    raw[place] ^= 1 << place % 8
    path.write_bytes(raw)


def verified(store: Path, mode: str, anchor: Path | None = None) -> Verification:
    """Return what verifying the files finds."""
    return Memory.verify_files(store, mode="fast" if mode == "fast" else "full", anchor=anchor)


def segment(store: Path) -> Path:
    """Return the one segment of the journal."""
    (found,) = (store / "default" / "journal").glob("*.seg")
    return found


def test_a_sound_store_is_sound(told: Path) -> None:
    for mode in ("fast", "full"):
        found = verified(told, mode)
        assert (found.soundness, found.findings) == (Soundness.OK, ())
        assert found.records > 20
    assert found.payloads > 16
    assert any("no anchor" in line for line in found.undetermined)


def test_every_byte_of_the_journal_of_a_tiny_store(tiny: Path, tmp_path: Path) -> None:
    spans = places(tiny)
    copy = tmp_path / "copy"
    shutil.copytree(tiny, copy)
    (copy / "default" / "lineage.duckdb").unlink()  # the journal has to tell by itself
    original = segment(copy).read_bytes()
    for place in range(len(original)):
        flip(segment(copy), place)
        found = verified(copy, "fast")
        assert found.soundness is Soundness.INVALID, place
        held = [seq for seq, (start, end) in spans.items() if start <= place < end]
        for seq in held:
            assert any(one.first <= seq <= one.last for one in found.findings), (place, seq)
        assert all(one.first for one in found.findings if one.soundness is Soundness.INVALID)
        segment(copy).write_bytes(original)


def test_every_byte_of_the_head(tiny: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(tiny, copy)
    head = copy / "default" / "head"
    original = head.read_bytes()
    for place in range(len(original)):
        flip(head, place)
        assert verified(copy, "fast").soundness is Soundness.INVALID, place
        head.write_bytes(original)


def test_random_bytes_of_a_larger_journal(told: Path, tmp_path: Path) -> None:
    spans, choose = places(told), random.Random(5)
    copy = tmp_path / "copy"
    shutil.copytree(told, copy)
    original = segment(copy).read_bytes()
    for place in choose.sample(range(16, len(original)), 40):
        flip(segment(copy), place)
        for mode in ("fast", "full"):
            found = verified(copy, mode)
            assert found.soundness is Soundness.INVALID
            for seq, (start, end) in spans.items():
                if start <= place < end:
                    assert any(one.first <= seq <= one.last <= seq + 4 for one in found.findings)
        segment(copy).write_bytes(original)


def test_a_key_of_another_payload_is_found_by_full_only(told: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(told, copy)
    keys = copy / "default" / "keys" / "payload-000000.keys"
    raw = bytearray(keys.read_bytes())
    raw[128:192], raw[192:256] = raw[192:256], raw[128:192]
    keys.write_bytes(raw)

    assert verified(copy, "fast").soundness is Soundness.OK
    found = verified(copy, "full")
    assert found.soundness is Soundness.INVALID
    assert len({one.first for one in found.findings}) == 2


def test_every_byte_of_the_keys_in_use(tiny: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(tiny, copy)
    keys = copy / "default" / "keys" / "payload-000000.keys"
    original = keys.read_bytes()
    with opened(tiny) as memory:
        used = {
            seal.slot: header.seq
            for header in map(memory.store.header, range(1, memory.store.state.seq + 1))
            for seal in header.seals
        }
    assert len(used) > 2
    for slot, seq in used.items():
        for place in range(64 * slot, 64 * slot + 64, 3):
            flip(keys, place)
            found = verified(copy, "full")
            assert found.soundness is Soundness.INVALID, (slot, place)
            assert any(one.first <= seq <= one.last for one in found.findings), (slot, place)
            keys.write_bytes(original)


def test_words_whose_key_was_destroyed_leave_the_journal_sound(told: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(told, copy)
    with opened(copy) as memory:
        kim = memory.session(person="kim", project="apollo")
        keys_gone = kim.erase(next(iter(kim.claims()))).keys

    found = verified(copy, "full")
    assert found.soundness is Soundness.OK
    assert found.destroyed >= keys_gone > 0
    assert any("destroyed" in line for line in found.undetermined)


def test_a_key_that_is_gone_without_an_erasure_is_found(told: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(told, copy)
    keys = copy / "default" / "keys" / "payload-000000.keys"
    raw = bytearray(keys.read_bytes())
    raw[256:320] = bytes(64)
    keys.write_bytes(raw)

    found = verified(copy, "full")
    assert (found.soundness, found.destroyed) == (Soundness.INCOMPLETE, 0)
    assert [str(one) for one in found.findings if "no erasure says why" in str(one)]
    keys.unlink()
    assert verified(copy, "full").soundness is Soundness.INCOMPLETE


def test_a_graph_that_says_something_else_is_found(told: Path, tmp_path: Path) -> None:
    import duckdb

    copy = tmp_path / "copy"
    shutil.copytree(told, copy)
    with duckdb.connect(str(copy / "default" / "lineage.duckdb")) as graph:
        graph.execute("UPDATE claim_state SET lifecycle = 'retracted' WHERE version = 1")

    assert verified(copy, "fast").soundness is Soundness.OK
    found = verified(copy, "full")
    assert found.soundness is Soundness.INVALID
    assert "rebuild" in found.findings[0].message


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store in which nearly everything happened that can."""
    store = tmp_path_factory.mktemp("lived") / "store"
    with opened(store) as memory:
        kim = memory.session(person="kim", project="apollo", session="monday")
        tell(memory, "We deploy on Fridays.", "배포는 금요일.", "The host is a.", "Gone soon.")
        fridays, korean, host, gone = kim.claims()
        page = kim.document("The host is b.", origin="https://wiki.example", key="p")
        kim.remember("The host is b.", kind="external", sources=[page], attribute="host", value="b")
        kim.remember("Fridays are busy.", sources=[fridays, korean])
        kim.correct(host, "The host is c.", sources=[kim.message("The host is c.")])
        kim.retract(korean)
        kim.revoke(page)
        with pytest.raises(RefusedError):
            memory.session(person="kim", project="apollo", agent="bot").retract(fridays)
        kim.recall("where is the host?")
        kim.erase(gone)
    return store


@pytest.mark.slow
def test_a_row_of_any_table_that_was_changed_added_or_taken_is_found(
    lived: Path, tmp_path: Path
) -> None:
    import duckdb

    copy = tmp_path / "copy"
    shutil.copytree(lived, copy)
    place = copy / "default" / "lineage.duckdb"
    original, choose = place.read_bytes(), random.Random(7)
    with duckdb.connect(str(place), read_only=True) as graph:
        rows = {
            table: (count, columns)
            for (table, columns) in graph.execute(
                "SELECT table_name, list(column_name) FROM duckdb_columns() "
                "WHERE NOT internal GROUP BY ALL ORDER BY ALL"
            ).fetchall()
            for (count,) in graph.execute(f'SELECT count(*) FROM "{table}"').fetchall()
        }
    assert sum(count > 0 for count, _ in rows.values()) >= 20

    assert verified(copy, "full").soundness is Soundness.OK
    for table, (count, columns) in rows.items():
        if not count or table == "meta":
            continue
        one = f'rowid = (SELECT min(rowid) + {choose.randrange(count)} FROM "{table}")'
        keyed = table == "claim_state"  # its first column is a key: never empty, never twice
        column = f'"{choose.choice(columns[keyed:])}"'
        other = f"CASE WHEN typeof({column}) = 'VARCHAR' THEN 'x' WHEN {column} IS NULL THEN '1' ELSE NULL END"
        for edit in (
            f'DELETE FROM "{table}" WHERE {one}',
            f'INSERT INTO "{table}" SELECT * FROM "{table}" WHERE {one}',
            f'UPDATE "{table}" SET {column} = {other} WHERE {one}',
        ):
            with duckdb.connect(str(place)) as graph:
                if keyed and "INSERT" in edit:
                    continue
                graph.execute(edit)
            found = verified(copy, "full")
            assert found.soundness in (Soundness.INVALID, Soundness.TRUNCATED), edit
            place.write_bytes(original)


def test_an_index_that_knows_more_than_the_journal_is_found(told: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(told, copy)
    (state,) = (copy / "default" / "index.lance").glob("*.json")
    held = json.loads(state.read_text("utf-8"))
    state.write_text(json.dumps({**held, "applied": held["applied"] + 99}), "utf-8")

    assert verified(copy, "fast").soundness is Soundness.OK
    found = verified(copy, "full")
    assert (found.soundness, "index" in found.findings[0].message) == (Soundness.INVALID, True)


def test_a_checkpoint_is_a_signed_note(told: Path) -> None:
    with opened(told) as memory:
        note, key = memory.checkpoint(), memory.signer.key
        size, root = memory.store.state.seq, memory.store.state.frontier.root()
    origin, count, tree, empty, signature, end = note.split("\n")
    dash, name, signed = signature.split(" ")

    assert (count, b64decode(tree), empty, dash, name, end) == (
        str(size),
        root,
        "",
        "—",
        origin,
        "",
    )
    name, hashed, public = key.split("+", 2)
    assert (name, b64decode(signed)[:4].hex()) == (origin, hashed)
    text = f"{origin}\n{count}\n{tree}\n".encode()
    Ed25519PublicKey.from_public_bytes(b64decode(public)[1:]).verify(b64decode(signed)[4:], text)
    assert is_signed(note, key)
    assert not is_signed(note.replace(count, str(size + 1)), key)


def test_every_record_is_proved_in_a_checkpoint_and_each_checkpoint_in_the_next(told: Path) -> None:
    with opened(told) as memory:
        headers = [raw.header for raw in memory.store.journal.scan()]
        root = memory.store.state.frontier.root()
    tree = Tree(headers)

    for place, header in enumerate(headers):
        assert is_included(header, place, len(headers), tree.inclusion(place, len(headers)), root)
    for size in range(1, len(headers)):
        proof = tree.consistency(size, len(headers))
        assert is_consistent(size, len(headers), tree.root(size), root, proof)


def test_an_anchor_gathers_checkpoints(tmp_path: Path) -> None:
    store, anchor = tmp_path / "store", tmp_path / "anchor"
    with opened(store) as memory:
        for words in ("one", "two", "three"):
            tell(memory, words)
            memory.checkpoint(anchor=anchor)
        sizes = [point.size for point in read_anchor(anchor)]
        assert sizes == sorted(set(sizes)) and len(sizes) == 3
        found = memory.verify(mode="fast", anchor=anchor)
        assert (found.soundness, found.undetermined[0][:7]) == (Soundness.OK, "whether")
        with pytest.raises(InvalidError, match="own folder"):
            memory.checkpoint(anchor=store / "anchor")
    anchor.write_text(anchor.read_text("utf-8").replace("— ", "- "), "utf-8")
    with pytest.raises(InvalidError, match="line 1"):
        verified(store, "fast", anchor)
