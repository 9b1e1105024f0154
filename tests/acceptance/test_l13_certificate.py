"""L13: the certificate of an erasure says what was checked and no more, and no byte of it can be another."""

import importlib.util
import json
import os
import pwd
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muniment import (
    Certificate,
    InvalidError,
    Memory,
    NotFoundError,
    Session,
    Source,
    StorageError,
)
from muniment.lineage import Signer
from muniment.testing import flat_embedder

TOOL = Path(__file__).resolve().parents[2] / "tools" / "verify_bundle.py"
WORDS = "금고 번호는 47118352, the vault code of Minji."
Open = Callable[..., Memory]


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    """The stand-alone verifier."""
    spec = importlib.util.spec_from_file_location("verify_bundle", TOOL)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def sealed(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    """The certificate of one erasure, for what is done to its bytes."""
    with Memory.open(tmp_path_factory.mktemp("sealed") / "store", embedder=flat_embedder()) as made:
        kim = made.session(person="kim")
        said, _ = stated(kim)
        kim.recall(WORDS)
        return made.certificate(kim.erase(said))


def stated(session: Session, text: str = WORDS) -> tuple[Source, str]:
    """Let a person say and remember something; return the message and the claim's identifier."""
    said = session.message(text)
    return said, session.remember(text, kind="stated", sources=[said]).id


def code(tool: ModuleType, raw: bytes, key: str, anchor: str = "") -> int:
    """Return the exit code of the verifier for the bytes of a certificate."""
    sorts = {sort for sort, _ in tool.verify_raw(raw, key, anchor)}
    codes: dict[str, int] = tool.CODES
    return codes[next((word for word in codes if word in sorts), "OK")]


def paper_of(made: Certificate) -> dict[str, Any]:
    """Return what a certificate says."""
    paper: dict[str, Any] = json.loads(made.text)
    return paper


def remains(made: Certificate) -> dict[str, int]:
    """Return how much of what is left."""
    return {one.what: one.count for one in made.remains}


@pytest.mark.parametrize("sort", ["claim", "source", "conversation", "person"])
@pytest.mark.parametrize(
    "text", ["금고 번호는 47118352이다", "The vault code is 47118352.", "vault 번호는 47118352"]
)
def test_every_erasure_is_certified_and_holds_no_word(
    quick: Open, tool: ModuleType, sort: str, text: str
) -> None:
    memory = quick()
    kim = memory.session(person="민지", project="canaryproject", session="canarysession")
    bot = memory.session(person="민지", project="canaryproject", agent="canaryagent")
    said, claim = stated(kim, text)
    summary = bot.remember("canary summary", sources=[claim])
    bot.recall(text)
    lee = memory.session(person="lee")
    stated(lee, "Something else.")
    erase: dict[str, Callable[[], Any]] = {
        "claim": lambda: kim.erase(claim, basis="consent"),
        "source": lambda: kim.erase(said, basis="consent"),
        "conversation": lambda: kim.erase_conversation("canarysession", basis="consent"),
        "person": lambda: memory.erase_person("민지", basis="consent"),
    }

    erasure = erase[sort]()
    made = memory.certificate(erasure)

    paper = paper_of(made)
    assert (made.erasure, made.absent, made.because) == (erasure.id, True, ())
    told = paper["erasure"]
    assert (told["sort"], told["basis"]) == (sort, "consent")
    assert {claim, summary.id} == set(told["claims"])
    assert told["sources"] == ([] if sort == "claim" else [said.id])
    assert (told["by"] == "host") == (sort == "person")
    assert told["keys"] == made.searched.slots
    # Of the names that went too the host alone is told at once.
    assert erasure.keys - erasure.names == told["keys"] - told["names"]
    assert made.searched.payloads >= 3 and made.searched.payloads_opened == 0
    files = {file.holds for file in made.searched.files}
    assert {"journal", "payload keys", "graph", "index", "head"} <= files
    assert ("sources" in remains(made)) == (sort == "claim")
    assert remains(made)["tombstones"] >= 1 and made.undetermined
    # Of short ones, such as a number, a digest in Base64 may hold any by chance.
    words = (text, "vault", "금고", "민지", "canary", "Something")
    assert [word for word in words if word in made.text or word in json.dumps(paper)] == []
    assert code(tool, made.text.encode(), memory.signer.key) == 0


def test_it_says_to_whom_it_had_been_given(quick: Open) -> None:
    memory = quick()
    kim, bot = memory.session(person="kim"), memory.session(person="kim", agent="bot")
    said, claim = stated(kim)
    kim.recall(WORDS, purpose="personalise")
    bot.recall(WORDS)
    bot.recall(WORDS)
    names = memory.store.names
    who, agent = (
        memory.store.state.names[names.find(sort, name)]  # type: ignore[arg-type]
        for sort, name in (("person", "kim"), ("agent", "bot"))
    )

    made = memory.certificate(kim.erase(said))

    given_to = [(one.to, one.behalf, one.purpose, one.times, one.claims) for one in made.disclosed]
    assert given_to == [
        (who, "", "personalise", 1, (claim,)),
        (agent, who, "answer", 2, (claim,)),
    ]
    day = memory.clock().date().isoformat()
    assert {one.day for one in made.disclosed} == {day}
    assert remains(made)["receipts"] == 3


def test_what_survives_and_what_was_said_anew_is_told(quick: Open, tool: ModuleType) -> None:
    memory = quick()
    kim, bot = memory.session(person="kim"), memory.session(person="kim", agent="bot")
    first, second = kim.message("The vault is behind."), kim.message("금고는 뒤에 있다")
    claim = bot.remember("a vault", sources=[first])
    bot.remember("A vault", sources=[second])
    bot.recall("vault")
    erasure = kim.erase(first)
    again = kim.message("The vault is behind.", anew=True)

    made = memory.certificate(erasure.id)

    rest = {one.what: one.ids for one in made.remains}
    assert (rest["claims"], rest["said anew"]) == ((claim.id,), (again.id,))
    assert paper_of(made)["erasure"]["wordings"] == [f"{claim.id}/{claim.id}"]
    assert any("wording" in line for line in made.undetermined)
    assert code(tool, made.text.encode(), memory.signer.key) == 0


def test_it_is_made_later_too_and_after_opening_again(quick: Open, tool: ModuleType) -> None:
    memory = quick()
    kim = memory.session(person="kim")
    said, _ = stated(kim)
    early = kim.erase(said)
    for text in ("We deploy on Fridays.", "금요일에 배포한다"):
        other, _ = stated(kim, text)
        kim.recall(text)
    late = kim.erase(other)
    memory.close()

    memory = quick()
    for erasure in (early, late):
        made = memory.certificate(erasure.id)
        assert (made.absent, made.erasure) == (True, erasure.id)
        assert code(tool, made.text.encode(), memory.signer.key) == 0
    with pytest.raises(NotFoundError):
        memory.certificate("AAAAAAAAAAAAAAAAAAAAAA")
    with pytest.raises(NotFoundError):
        memory.certificate(said.id)
    with pytest.raises(InvalidError):
        memory.certificate(3)  # type: ignore[arg-type]
    memory.close()
    with pytest.raises(StorageError):
        quick(read_only=True).certificate(early)


def test_a_block_that_was_cleared_is_certified(quick: Open, tool: ModuleType) -> None:
    memory = quick()
    kim = memory.session(person="kim")
    kim.rewrite_block("금고는 뒤에 있다\nThe vault is behind.")

    made = memory.certificate(kim.clear_block())

    told = paper_of(made)["erasure"]
    assert (told["sort"], told["lines"], made.absent) == ("block", 2, True)
    assert "금고" not in made.text and "vault" not in made.text
    assert code(tool, made.text.encode(), memory.signer.key) == 0


# --- it claims no more than was checked -----------------------------------------------------------------------


def test_a_copy_of_the_keys_in_the_folder_is_found(quick: Open, tool: ModuleType) -> None:
    memory = quick()
    kim = memory.session(person="kim")
    said, _ = stated(kim)
    keys = memory.store.folder / "keys"
    before = (keys / "payload-000000.keys").read_bytes()
    places = {
        "keys/payload-000000.keys.bak": before,
        "index.lance/shifted": b"xyz" + before,
        "journal/99.seg.old": b"words" + before[64:],
    }
    (memory.store.folder / "index.lance").mkdir(exist_ok=True)
    erasure = kim.erase(said)
    for name, raw in places.items():
        (memory.store.folder / name).write_bytes(raw)

    made = memory.certificate(erasure)

    found = {file.file: file.keys_found for file in made.searched.files if file.keys_found}
    assert found.keys() == places.keys() and set(found.values()) == {erasure.keys}
    assert not made.absent and any("keys/payload-000000.keys.bak" in why for why in made.because)
    assert paper_of(made)["absence"] == "not proven"
    assert code(tool, made.text.encode(), memory.signer.key) == 14


def test_a_key_that_came_back_is_found(quick: Open, tool: ModuleType) -> None:
    memory = quick()
    kim = memory.session(person="kim")
    said, _ = stated(kim)
    path = memory.store.folder / "keys" / "payload-000000.keys"
    before = path.read_bytes()
    erasure = kim.erase(said)
    with path.open("r+b") as file:
        file.write(before)

    made = memory.certificate(erasure)

    assert made.searched.slots_alive == erasure.keys
    assert made.searched.payloads_opened == made.searched.payloads > 0
    assert not made.absent
    assert code(tool, made.text.encode(), memory.signer.key) == 14


def test_a_file_that_is_not_ours_and_rows_left_in_the_index_are_told(quick: Open) -> None:
    memory = quick()
    kim = memory.session(person="kim")
    said, claim = stated(kim)
    kim.recall(WORDS)
    index = memory.index_now
    assert index is not None
    node = memory.store.state.ids[claim]
    erasure = kim.erase(said)
    assert memory.certificate(erasure).absent
    (memory.store.folder / "notes.txt").write_text("nothing", encoding="utf-8")
    made = memory.certificate(erasure)
    assert made.because == ("notes.txt is no file of the store: what it holds is not known",)
    (memory.store.folder / "notes.txt").unlink()

    from muniment.retrieval import Entry

    index.add(
        [Entry(node=node, chunk=0, layer="claim", scope=1, text="a row that came back")], applied=1
    )
    made = memory.certificate(erasure)

    assert (made.searched.rows_found, made.absent) == (1, False)


# --- its bytes ------------------------------------------------------------------------------------------------


def test_the_file_is_sound_as_it_is(sealed: Certificate, tool: ModuleType) -> None:
    raw = sealed.text.encode()
    assert code(tool, raw, sealed.key) == 0
    assert code(tool, raw, "") == 14
    assert code(tool, raw, Signer("default", b"\1" * 32).key) == 11


@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_no_byte_can_be_another(sealed: Certificate, tool: ModuleType, data: st.DataObject) -> None:
    raw = bytearray(sealed.text.encode())
    place = data.draw(st.integers(0, len(raw) - 1))
    raw[place] ^= data.draw(st.integers(1, 255))
    assert code(tool, bytes(raw), sealed.key) in (11, 12)


@pytest.mark.exhaustive
def test_no_bit_of_it_can_be_another(sealed: Certificate, tool: ModuleType) -> None:
    raw = sealed.text.encode()
    for place in range(len(raw)):
        for bit in range(8):
            other = bytearray(raw)
            other[place] ^= 1 << bit
            assert code(tool, bytes(other), sealed.key) in (11, 12), (place, bit)


CHANGES: tuple[Callable[[bytes], bytes], ...] = (
    lambda raw: raw[:-1],
    lambda raw: raw + b"\n",
    lambda raw: raw.replace(b"\n", b"\r\n"),
    lambda raw: b"\xef\xbb\xbf" + raw,
    lambda raw: json.dumps(json.loads(raw)).encode(),
    lambda raw: raw.replace(b'"absence": "proven"', b'"absence": "not proven"'),
    lambda raw: raw.replace(b'{\n "absence"', b'{\n "absence": "x",\n "absence"', 1),
    lambda raw: b"[]",
    lambda raw: b"",
    lambda raw: raw.replace(b"certificate/1", b"certificate/2"),
)


@pytest.mark.parametrize("change", CHANGES)
def test_no_other_way_of_writing_it_is_taken(
    sealed: Certificate, tool: ModuleType, change: Callable[[bytes], bytes]
) -> None:
    assert code(tool, change(sealed.text.encode()), sealed.key) == 11


def resealed(paper: dict[str, Any], seed: bytes = b"\2" * 32) -> tuple[bytes, str]:
    """Return a certificate signed whole by whoever has a key of his own, and the key."""
    from hashlib import sha256

    signer = Signer("default", seed)
    body = {name: value for name, value in paper.items() if name != "seal"} | {"key": signer.key}
    _, size, root = body["checkpoint"].split("\n")[:3]
    body["checkpoint"] = signer.note(f"{signer.name}\n{size}\n{root}\n")
    digest = sha256((json.dumps(body, indent=1, sort_keys=True) + "\n").encode()).hexdigest()
    body["seal"] = signer.note(f"muniment-certificate/1\n{digest}\n")
    return (json.dumps(body, indent=1, sort_keys=True) + "\n").encode(), signer.key


def changed(sealed: Certificate, *path: str, to: object) -> dict[str, Any]:
    """Return a certificate that says something else in one place."""
    paper = paper_of(sealed)
    place = paper
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = to
    return paper


def test_what_the_signer_says_is_checked_against_the_record(
    sealed: Certificate, tool: ModuleType
) -> None:
    assert code(tool, *resealed(paper_of(sealed))) == 0  # only a key from elsewhere tells
    told = paper_of(sealed)["erasure"]
    for name, was in told.items():
        more: object = {int: 1, str: "x", list: ["x"]}[type(was)]
        lie: object = was + more
        assert code(tool, *resealed(changed(sealed, "erasure", name, to=lie))) == 11, name
    header = json.loads(paper_of(sealed)["record"]["header"])
    forged = json.dumps({**header, "basis": "duty"})
    assert code(tool, *resealed(changed(sealed, "record", "header", to=forged))) == 11
    assert code(tool, *resealed(changed(sealed, "record", "seq", to=10_000))) == 12


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("slots_alive", 1),
        ("slots", 0),
        ("payloads_opened", 1),
        ("rows_found", 1),
        ("index_files", 1),
        ("index_read", False),
        ("files", []),
    ],
)
def test_absence_is_not_claimed_beyond_the_search(
    sealed: Certificate, tool: ModuleType, name: str, value: object
) -> None:
    assert code(tool, *resealed(changed(sealed, "searched", name, to=value))) == 11
    unsure = changed(sealed, "searched", name, to=value) | {
        "absence": "not proven",
        "because": ["x"],
    }
    assert code(tool, *resealed(unsure)) == 14


def test_it_is_held_to_an_anchor(quick: Open, tool: ModuleType, tmp_path: Path) -> None:
    memory = quick()
    kim = memory.session(person="kim")
    said, _ = stated(kim)
    made = memory.certificate(kim.erase(said))
    memory.checkpoint(anchor=tmp_path / "anchor")
    stated(kim, "later")
    memory.checkpoint(anchor=tmp_path / "later")
    raw, key = made.text.encode(), memory.signer.key
    anchor = (tmp_path / "anchor").read_text()

    assert code(tool, raw, key, anchor) == 0
    assert code(tool, raw, key, (tmp_path / "later").read_text()) == 14
    twisted = memory.signer.checkpoint(memory.store.state.seq, b"\0" * 32).split("\n")
    twisted[1] = paper_of(made)["checkpoint"].split("\n")[1]
    assert code(tool, raw, key, "\n".join(twisted)) == 11
    other = memory.signer.checkpoint(int(twisted[1]), b"\0" * 32)
    assert code(tool, raw, key, other) == 13


# --- the command line -----------------------------------------------------------------------------------------


def test_on_the_command_line(quick: Open, tmp_path: Path) -> None:
    memory = quick()
    user = pwd.getpwuid(os.geteuid()).pw_name
    kim = memory.session(person=user)
    said, claim = stated(kim)
    other, _ = stated(kim, "금요일에 배포한다")
    key = memory.signer.key
    memory.close()

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        program = "import sys; from muniment.surfaces.cli import main; sys.exit(main())"
        return subprocess.run(
            [sys.executable, "-c", program, *words, "--store", str(tmp_path / "store")],
            capture_output=True, text=True, check=False, env={**os.environ, "LC_ALL": "C.UTF-8"},
        )  # fmt: skip

    def verified(path: Path) -> tuple[int, str]:
        told = subprocess.run(
            [sys.executable, "-I", str(TOOL), str(path), "--key", key],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        return told.returncode, told.stdout

    paper, later = tmp_path / "paper.json", tmp_path / "later.json"
    ran = run("erase", claim, "--yes", "--certificate", str(paper))
    assert (ran.returncode, "Absence is proven" in ran.stdout) == (0, True), ran
    assert verified(paper) == (0, "OK\n")
    taken = run("erase", said.id, "--yes", "--certificate", str(paper))
    assert (taken.returncode, "there already" in taken.stderr) == (2, True)
    inside = run("erase", said.id, "--yes", "--certificate", str(tmp_path / "store" / "x"))
    assert (inside.returncode, "elsewhere" in inside.stderr) == (2, True)
    nowhere = run("erase", said.id, "--yes", "--certificate", str(tmp_path / "no" / "x"))
    assert nowhere.returncode == 2
    assert run("show", said.id).returncode == 0  # nothing went before that was clear
    dry = run("erase", said.id, "--dry-run", "--certificate", str(later))
    assert (dry.returncode, later.exists()) == (2, False)

    ran = run("erase", other.id, "--yes", "--json", "--certificate", str(tmp_path / "both.json"))
    told = json.loads(ran.stdout)
    assert told["certificate"]["absent"] is True and verified(tmp_path / "both.json")[0] == 0
    ran = run("certificate", told["id"], "--out", str(later), "--json")
    assert json.loads(ran.stdout)["erasure"] == told["id"]
    assert verified(later) == (0, "OK\n")
    shutil.copy(
        tmp_path / "store/default/keys/payload-000000.keys", tmp_path / "store/default/keys/x"
    )
    ran = run("certificate", told["id"], "--out", str(tmp_path / "unsure.json"))
    assert (ran.returncode, "NOT proven" in ran.stdout) == (1, True)
    assert verified(tmp_path / "unsure.json")[0] == 14


def test_it_names_what_says_again_what_was_erased(quick: Open) -> None:
    memory = quick()
    kim = memory.session(person="kim")
    page = kim.document("The vault opens with 7781.\nOld.", origin="https://one.example")
    claim = kim.remember("The vault opens with 7781.", kind="external", sources=[page])
    receipt = kim.recall("vault").receipt
    kim.message(parts=[("own", "Look: "), ("recalled", claim.words, receipt)])
    told = kim.document(f"Report: {claim.words}", origin="https://two.example")
    newer = kim.document(
        "The vault opens with 7781.\nNew.", origin="https://one.example", replaces=page
    )

    erasure = kim.erase(page)

    assert set(erasure.remaining) == {told.id, newer.id}
    left = {one.what: one.ids for one in memory.certificate(erasure).remains}
    assert set(left["said again"]) == {told.id, newer.id}
