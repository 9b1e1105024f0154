"""P16: a model may ask to forget, which mutes at once; the person erases or declines. Off the record leaves nothing."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from muniment import ErasedError, Memory, NotFoundError, RefusedError, Session

SECRET = "제 진단명은 공황장애예요. Please keep it between us."
WORDS = "제 진단명은 공황장애예요."

WRITES: tuple[Callable[[Session], object], ...] = (
    lambda one: one.message("off the record 비밀"),
    lambda one: one.document("off the record", origin="https://a.example"),
    lambda one: one.tool_result("ci", {"x": 1}, "off the record"),
    lambda one: one.remember("off the record"),
)


def remembered(kim: Session) -> str:
    """Return a claim of what the person said."""
    said = kim.message(SECRET)
    return kim.remember(WORDS, kind="stated", category="constraint", sources=[said]).id


def brought_up(session: Session) -> list[str]:
    """Return what a recall brings up."""
    return [item.claim.words for item in session.recall("진단").evidence]


def test_a_request_mutes_at_once_and_waits_for_the_person(memory: Memory, who: str) -> None:
    kim, bot = memory.session(person=who), memory.session(person=who, agent="bot")
    claim = remembered(kim)
    assert brought_up(bot) == [WORDS]

    asked = bot.request_forget(claim, reason="방금 지워 달라고 하셨어요")

    assert (asked.claim, asked.asking, asked.by, asked.words) == (claim, "asked", "bot", "")
    assert brought_up(bot) == brought_up(kim) == []
    assert [item.rule for item in kim.recall("진단").withheld] == ["MUTED"]
    assert kim.search_conversations("진단명").hits == ()
    assert kim.claim(claim).muted == ("request",) and kim.claim(claim).words == WORDS
    (waiting,) = kim.forget_requests()
    assert (waiting.words, waiting.reason, waiting.by) == (
        WORDS,
        "방금 지워 달라고 하셨어요",
        "bot",
    )
    seq = memory.store.state.seq
    assert bot.request_forget(claim).id == asked.id and memory.store.state.seq == seq

    kim.erase(claim)

    assert kim.forget_requests() == ()
    with pytest.raises(ErasedError):
        kim.claim(claim)
    with pytest.raises(NotFoundError):
        bot.request_forget(claim)


def test_declining_lets_it_in_again_and_is_remembered(memory: Memory, who: str) -> None:
    kim, bot = memory.session(person=who), memory.session(person=who, agent="bot")
    claim = remembered(kim)
    bot.request_forget(claim)

    declined = kim.decline_forget(claim, reason="그건 내가 정해")

    assert (declined.asking, declined.by) == ("declined", who)
    assert brought_up(bot) == [WORDS] and kim.forget_requests() == ()
    with pytest.raises(RefusedError, match="DECLINED_TO_FORGET"):
        bot.request_forget(claim)
    assert brought_up(bot) == [WORDS]
    assert [(one.verb, one.by) for one in kim.history(claim)] == [
        ("remember", who),
        ("request forget", "bot"),
        ("decline to forget", who),
    ]
    with pytest.raises(NotFoundError, match="nobody asks to forget"):
        kim.decline_forget(claim)
    assert kim.request_forget(claim).asking == "asked"  # she may change her mind


def test_declining_leaves_what_she_muted_herself_muted(memory: Memory, who: str) -> None:
    kim, bot = memory.session(person=who), memory.session(person=who, agent="bot")
    claim = remembered(kim)
    bot.request_forget(claim)
    kim.mute(claim)
    assert set(kim.claim(claim).muted) == {"itself", "request"}

    kim.decline_forget(claim)

    assert kim.claim(claim).muted == ("itself",) and brought_up(bot) == []


def test_a_model_never_erases_and_never_settles_its_own_request(memory: Memory, who: str) -> None:
    kim, bot = memory.session(person=who), memory.session(person=who, agent="bot")
    claim = remembered(kim)
    bot.request_forget(claim)

    for tried, rule in (
        (lambda: bot.erase(claim), "MUTED|ONLY_THE_PERSON"),
        (lambda: bot.decline_forget(claim), "ONLY_HERSELF"),
        (lambda: bot.unmute(claim), "MUTED|ONLY_HERSELF"),
    ):
        with pytest.raises(RefusedError, match=rule):
            tried()
    assert kim.claim(claim).words == WORDS


def test_nobody_asks_for_what_is_anothers(memory: Memory, who: str) -> None:
    claim = remembered(memory.session(person=who))
    shared = memory.session(org=who, agent="bot")
    page = shared.document("Office hours are 9 to 5.", origin="https://wiki.example")
    common = shared.remember("Office hours are 9 to 5.", kind="external", sources=[page])
    other = memory.session(person=f"lee {who}", org=who, agent="bot")

    with pytest.raises(NotFoundError):
        other.request_forget(claim)
    with pytest.raises(NotFoundError):
        other.request_forget(common)


def test_the_reason_goes_with_what_is_erased(quick: Callable[..., Memory]) -> None:
    memory = quick()
    kim, bot = memory.session(person="kim"), memory.session(person="kim", agent="bot")
    claim = remembered(kim)
    bot.request_forget(claim, reason="the diagnosis 공황장애")
    request = memory.store.state.seq

    kim.erase(claim)

    with pytest.raises(ErasedError):
        memory.store.words(request)
    assert memory.rebuild() and memory.verify().findings == ()


def test_erasing_a_person_takes_what_she_did_not_want_to_hear(quick: Callable[..., Memory]) -> None:
    memory = quick()
    kim = memory.session(person="kim")
    remembered(kim)
    kim.mute(theme="공황장애")
    mute = memory.store.state.seq

    memory.erase_person("kim")

    with pytest.raises(ErasedError):
        memory.store.words(mute)
    again = memory.session(person="kim")
    assert again.mutes() == () and brought_up(again) == []
    assert memory.rebuild() and memory.verify().findings == ()


def test_off_the_record_leaves_nothing(quick: Callable[..., Memory], tmp_path: Path) -> None:
    with quick("private") as memory:
        remembered(memory.session(person="kim", session="s1"))
        folder = memory.store.folder
    record = {file: file.read_bytes() for file in _record(folder)}
    with quick("private") as memory:
        for agent in ("", "bot"):
            private = memory.session(
                person="kim", session="비밀 대화", agent=agent, off_the_record=True
            )
            assert private.can_use_prompt_memory.decision.rule == "OFF_THE_RECORD"
            answer = private.recall("진단 off the record")
            assert (answer.evidence, answer.receipt, answer.looked) == ((), "", False)
            for write in WRITES:
                with pytest.raises(RefusedError, match="OFF_THE_RECORD"):
                    write(private)
        owner = memory.session(person="kim", off_the_record=True)
        assert [one.words for one in owner.claims()] == [WORDS]  # she may look
    assert {file: file.read_bytes() for file in _record(folder)} == record
    for file in (tmp_path / "private").rglob("*"):
        raw = file.read_bytes() if file.is_file() else b""
        assert b"off the record" not in raw and "비밀".encode() not in raw
    with quick("private") as memory:  # and what it saw has no effect on the next session
        kim = memory.session(person="kim", session="s1")
        assert brought_up(kim) == [WORDS]
        assert json.loads([line for line in kim.export() if '"muted"' in line][-1])["muted"] == []


def _record(folder: Path) -> list[Path]:
    files = [folder / "head", *(folder / "journal").rglob("*"), *(folder / "keys").rglob("*")]
    return sorted(file for file in files if file.is_file())


def test_an_investigation_by_an_agent_discloses_nothing_muted(quick: Callable[..., Memory]) -> None:
    memory = quick()
    kim, bot = memory.session(person="kim"), memory.session(person="kim", agent="bot")
    said = kim.message("이혼 서류는 7781호에 있어요.")
    claim = kim.remember(said.text, kind="stated", sources=[said])
    other = kim.message("The papers are elsewhere.")
    rival = kim.challenge(claim, other.text, sources=[other])
    bot.request_forget(rival, reason="7781, she asked")
    kim.decline_forget(rival, reason="no, 7781")
    assert "7781" in bot.investigate(rival).bundle

    kim.mute(claim)

    found = bot.investigate(rival)
    assert "7781" not in found.bundle
    assert "muted" in {one["why"] for one in json.loads(found.bundle)["withheld"]}
    assert "7781" in kim.investigate(rival).bundle
