"""Act nine: something is planted, erased, looked for in a restored backup, certified, and a byte is flipped."""

import json
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from muniment import ErasedError, Erasure, Memory, RefusedError, Session, Verification
from muniment.tools import verify_raw

from .tour_cast import Cast
from .tour_stage import Stage

_WORD = "heron-7719"
_PASSPHRASE = "the passphrase of the tour"  # of what is made here and removed again


def forget(stage: Stage, folder: Path) -> None:
    """Plant a claim, erase it, restore the backup made before, and check what anybody may check."""
    with TemporaryDirectory(prefix="muniment-tour-") as place:
        away, store = Path(place), Path(place) / "store"
        shutil.copytree(folder, store)  # the tour's own store stays as the other acts left it
        with Memory.open(store) as memory:
            erasure, said = _erased(stage, memory, away)
            _certified(stage, memory, erasure, away)
        _restored(stage, said, away)
        _flipped(stage, store, away)


def _erased(stage: Stage, memory: Memory, away: Path) -> tuple[Erasure, str]:
    """Plant the words, back up, erase, and count before and after."""
    jiwoo, words = Cast(memory).journal("jiwoo"), stage.text("said")
    stage.tell("intro")
    stage.call(f'said = journal.message("{words}")')
    said = jiwoo.message(words)
    claim = jiwoo.remember(words, kind="stated", sources=[said])
    helper = memory.session(person="jiwoo", project="journal", agent="deckhand")
    helper.remember(stage.text("note"), sources=[claim])
    helper.recall(words)
    before = _told(stage, memory, "before")
    stage.call("memory.keys_mirror(usb, passphrase=…)")
    memory.keys_mirror(away / "mirror", passphrase=_PASSPHRASE)
    stage.call("memory.backup(elsewhere, passphrase=…)", close=True)
    memory.backup(away / "backup", passphrase=_PASSPHRASE)
    stage.call('journal.erase(said, basis="request")')
    erasure = jiwoo.erase(said, basis="request")
    after = _told(stage, memory, "after")
    stage.checks_follow()
    stage.check("check_before", before["clear"] == 0 and before["opened"] >= 3)
    stage.check("check_after", after == {"clear": 0, "opened": 0})
    stage.check("check_out", _is_kept_out(helper, words))
    stage.fact("before", before)
    stage.fact("after", after)
    return erasure, words


def _told(stage: Stage, memory: Memory, when: str) -> dict[str, int]:
    """Count and print where the planted words stand: in files as they are, and in payloads that a key still opens."""
    opened = 0
    for seq in range(1, memory.store.state.seq + 1):
        for place in range(len(memory.store.header(seq).seals)):
            try:
                opened += _WORD in json.dumps(memory.store.words(seq, place), ensure_ascii=False)
            except ErasedError:
                continue
    files = [path for path in memory.path.rglob("*") if path.is_file()]
    clear = sum(_WORD.encode() in path.read_bytes() for path in files)
    stage.put(stage.text(when, files=len(files), clear=clear, opened=opened), indent=4)
    return {"clear": clear, "opened": opened}


def _is_kept_out(session: Session, words: str) -> bool:
    """Return whether the same words are refused to an agent that hands them in again."""
    try:
        session.document(words.upper(), origin="an old mail")
    except RefusedError as error:
        return error.decision.rule == "SUPPRESSED"
    return False


def _certified(stage: Stage, memory: Memory, erasure: Erasure, away: Path) -> None:
    stage.tell("certificate")
    file = away / "erasure.json"
    stage.call("memory.certificate(erasure, out=file)")
    made = memory.certificate(erasure, out=file)
    found = verify_raw(file.read_bytes(), memory.signer.key)
    stage.call(f"$ python tools/verify_bundle.py {file.name} --key …", close=True)
    stage.put("OK" if not found else str(found[0]), indent=4)
    raw = bytearray(file.read_bytes())
    raw[len(raw) // 2] ^= 1
    stage.checks_follow()
    stage.check("check_certificate", not found and made.absent)
    stage.check("check_forged", bool(verify_raw(bytes(raw), memory.signer.key)))
    stage.fact("certificate", {"erasure": made.erasure, "absent": made.absent, "found": found})


def _restored(stage: Stage, words: str, away: Path) -> None:
    stage.tell("restore")
    stage.call("Memory.restore(backup, disk, passphrase=…, keys=usb)")
    restored = away / "restored"
    Memory.restore(away / "backup", restored, passphrase=_PASSPHRASE, keys=away / "mirror")
    with Memory.open(restored) as memory:
        counted = _told(stage, memory, "after")
        journal = Cast(memory).journal("jiwoo")
        found = [item for item in journal.recall(words).evidence if _WORD in item.claim.words]
        others = len(list(journal.claims()))
    stage.checks_follow()
    stage.check("check_restored", counted == {"clear": 0, "opened": 0} and not found and others > 0)
    stage.fact("restored", counted)


def _flipped(stage: Stage, folder: Path, away: Path) -> None:
    """Flip one bit of a copy, among its last records, and let the verifier name the record."""
    stage.tell("flip")
    copy = away / "copy"
    shutil.copytree(folder, copy)
    segment = next((copy / "default" / "journal").glob("*.seg"))
    with segment.open("r+b") as file:
        place = segment.stat().st_size - 400
        file.seek(place)
        byte = file.read(1)[0]
        file.seek(place)
        file.write(bytes([byte ^ 1]))
    stage.call("Memory.verify_files(copy)")
    found: Verification = Memory.verify_files(copy)
    for finding in found.findings[:1]:
        stage.put(str(finding), indent=4, hang=2)
    stage.checks_follow()
    stage.check("check_flip", bool(found.findings) and found.findings[0].first > 0)
    stage.fact("flip", {"soundness": found.soundness, "first": found.findings[0].first})
