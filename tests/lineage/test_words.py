"""Words live only in sealed payloads: no file of a store holds one as it is, names included."""

import json
import lzma
import zlib
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from muniment import ConflictError, Memory, RefusedError
from muniment.testing import HandClock, word_findings

CANARIES = {
    "person": "canary-person-카나리아",
    "project": "canary-project",
    "agent": "canary-agent",
    "session": "canary-session",
    "channel": "canary-channel",
    "org": "canary-org",
    "tool": "canary_tool",
    "field": "canary_field",
    "field value": "canaryvalue",
    "origin": "https://canary.example/page",
    "part origin": "https://canary-part.example/page",
    "asserted": "canary-asserted",
    "key": "canary-key",
    "message": "canarymessage 카나리아는 노래한다",
    "pasted": "canarypasted",
    "document": "canarydocument",
    "gist": "canarygist",
    "subject": "canarysubject",
    "attribute": "canaryattribute",
    "value": "canaryslotvalue",
    "recheck": "canaryrecheck",
    "reason": "canaryreason",
    "question": "canaryquestion",
    "present": "canarypresent",
    "refused": "canaryrefused",
}


def sung(memory: Memory) -> None:
    """Put each canary where words can go: said, kept, changed, asked, refused."""
    word = CANARIES
    kim = memory.session(person=word["person"], project=word["project"], org=word["org"])
    agent = memory.session(
        person=word["person"], project=word["project"], agent=word["agent"], session=word["session"]
    )
    room = memory.session(person=word["person"], channel=word["channel"])
    said = kim.message(
        parts=[("own", word["message"]), ("pasted", word["pasted"], word["part origin"])],
        key=word["key"],
    )
    with pytest.raises(ConflictError):
        kim.message(word["refused"], key=word["key"])
    agent.document(word["document"], origin=word["origin"], asserted_source=word["asserted"])
    agent.tool_result(word["tool"], {word["field"]: word["field value"]})
    room.message(word["message"])
    claim = kim.remember(
        word["message"],
        kind="stated",
        gist=word["gist"],
        sources=[said],
        subject=word["subject"],
        attribute=word["attribute"],
        value=word["value"],
        recheck_when=word["recheck"],
        recheck_at=memory.clock() + timedelta(days=1),
        key=word["key"] + "2",
    )
    claim = kim.confirm(claim, reason=word["reason"])
    kim.correct(claim, word["message"], sources=[said], gist=word["gist"], reason=word["reason"])
    with pytest.raises(RefusedError):
        agent.remember(word["refused"])
    kim.recall(word["question"], present={word["present"]: word["present"]}, tools=[word["tool"]])
    kim.search_conversations(word["question"])


def test_no_file_of_a_store_holds_a_word(
    memory: Memory, reopened: Callable[[], Memory], tmp_path: Path
) -> None:
    sung(memory)
    memory.store.post()
    assert word_findings(tmp_path / "store", CANARIES.values()) == ()

    reopened()
    assert word_findings(tmp_path / "store", CANARIES.values()) == ()

    reopened().rebuild()
    assert word_findings(tmp_path / "store", CANARIES.values()) == ()
    assert list((tmp_path / "store").rglob("*.duckdb")) != []
    assert list((tmp_path / "store").rglob("*.lance")) != []


def test_the_graph_gives_no_word_to_who_asks_it_for_everything(memory: Memory) -> None:
    sung(memory)
    memory.store.post()

    rows = "\n".join(memory.store.graph.dump())
    heard = [word for word in CANARIES.values() if word in rows or json.dumps(word)[1:-1] in rows]

    assert heard == []
    assert rows.count("\n") > 30


def test_no_header_of_the_journal_holds_a_word(memory: Memory) -> None:
    sung(memory)

    headers = b"\n".join(raw.header for raw in memory.store.journal.scan())

    assert [word for word in CANARIES.values() if word.encode() in headers] == []


def test_compressing_a_word_away_does_not_count(memory: Memory, tmp_path: Path) -> None:
    # Deflate and LZMA streams are tried at each place where one could begin.
    sung(memory)
    memory.store.post()
    wanted = [word.encode() for word in CANARIES.values()]
    for path in (tmp_path / "store").rglob("*"):
        raw = path.read_bytes() if path.is_file() else b""
        for opened in (*_deflated(raw), *_lzma(raw)):
            assert not any(word in opened for word in wanted), path.name


def _deflated(raw: bytes) -> list[bytes]:
    found: list[bytes] = []
    for start in range(len(raw) - 1):
        if raw[start] == 0x78 and (raw[start] * 256 + raw[start + 1]) % 31 == 0:
            try:
                found.append(zlib.decompressobj().decompress(raw[start:], 1 << 20))
            except zlib.error:
                continue
    return found


def _lzma(raw: bytes) -> list[bytes]:
    start, found = raw.find(b"\xfd7zXZ"), list[bytes]()
    while start >= 0:
        try:
            found.append(lzma.LZMADecompressor().decompress(raw[start:], 1 << 20))
        except lzma.LZMAError:
            pass
        start = raw.find(b"\xfd7zXZ", start + 1)
    return found


def test_the_search_for_words_finds_one_that_is_there(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "utf8").write_text("x 카나리아 y", encoding="utf-8")
    (tmp_path / "utf16").write_text("x canary y", encoding="utf-16")
    (tmp_path / "empty").touch()

    assert word_findings(tmp_path, ["카나리아", "canary", "nothing"]) == (
        "deep/utf8 holds '카나리아'",
        "utf16 holds 'canary'",
    )


def test_the_store_key_is_its_owners_alone(memory: Memory, tmp_path: Path) -> None:
    for name in ("store.key", "default/keys/tenant.keys", "default/lock", "default/head"):
        assert (tmp_path / "store" / name).stat().st_mode & 0o077 == 0
    for path in (tmp_path / "store" / "default" / "journal").iterdir():
        assert path.stat().st_mode & 0o077 == 0


def test_equal_words_look_alike_nowhere(memory: Memory, clock: HandClock) -> None:
    kim = memory.session(person="kim")
    first, second = kim.message("The same words."), kim.message("The same words.")
    headers = [memory.store.header(memory.store.state.ids[one.id]) for one in (first, second)]

    assert headers[0].seals[0].commitment != headers[1].seals[0].commitment
    assert headers[0].seals[0].slot != headers[1].seals[0].slot
