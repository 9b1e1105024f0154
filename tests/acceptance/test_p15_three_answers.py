"""P15: three answers over five states of an account, a notice of each change, and mutes down to one claim or theme."""

import json
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from muniment import Account, InvalidError, Memory, NotFoundError, RefusedError, Right, Session

VERIFIER = Path(__file__).parents[2] / "tools" / "verify_bundle.py"
SAID = (
    "작년에 이혼했어요. 요즘은 주말마다 등산을 갑니다. The Hamburg job did not work out. "
    "내 통장 비밀은 아니고 budget은 5만원."
)
DIVORCED, HIKES = "작년에 이혼했어요.", "요즘은 주말마다 등산을 갑니다."
NOTHING: set[str] = set()
HAMBURG, BUDGET = "The Hamburg job did not work out.", "내 통장 비밀은 아니고 budget은 5만원."


def kept(kim: Session) -> dict[str, str]:
    """Return the claims that were kept of what was said, by their words."""
    said = kim.message(SAID)
    return {
        words: kim.remember(words, kind="stated", category="preference", sources=[said]).id
        for words in (DIVORCED, HIKES, HAMBURG, BUDGET)
    }


def brought_up(session: Session, question: str = "what is there?") -> set[str]:
    """Return the words that a recall brings up."""
    return {item.claim.words for item in session.recall(question, limit=50).evidence}


def rules(session: Session, question: str = "what is there?") -> dict[str, int]:
    """Return how many claims each rule kept back from a recall."""
    return {held.rule: held.count for held in session.recall(question).withheld}


def test_the_default_table_ships_and_says_what_each_state_allows(
    quick: Callable[..., Memory],
) -> None:
    states = quick().policy.states

    assert [
        (rule.account.value, rule.accumulate, rule.prompt, rule.manage, rule.keep_days)
        for rule in states.values()
    ] == [
        ("active", True, True, True, 0),
        ("paused", False, False, True, 0),
        ("free", True, False, True, 0),
        ("lapsed", False, False, True, 90),
        ("closed", False, False, True, 30),
    ]


def test_an_organisation_overrides_single_answers_in_its_file(
    quick: Callable[..., Memory], tmp_path: Path
) -> None:
    quick("overridden").close()
    file = tmp_path / "overridden" / "policy.toml"
    file.write_text(
        "format = 1\n[accounts.free]\nprompt = true\n[accounts.lapsed]\nkeep_days = 7\n", "utf-8"
    )
    memory = quick("overridden")
    kim = memory.session(person="kim")

    memory.set_account("kim", "free")
    assert kim.may(Right.PROMPT) and kim.may(Right.ACCUMULATE)
    notice = memory.set_account("kim", "lapsed")
    assert notice.kept_until == notice.since + timedelta(days=7)
    assert not kim.may(Right.PROMPT) and not kim.may(Right.ACCUMULATE)


def test_seeing_exporting_and_deleting_cannot_be_switched_off(
    quick: Callable[..., Memory], tmp_path: Path
) -> None:
    quick("closed").close()
    (tmp_path / "closed" / "policy.toml").write_text(
        "format = 1\n\n[accounts.closed]\nmanage = false\n", "utf-8"
    )
    with pytest.raises(InvalidError, match=r"line 4: accounts\.closed\.manage"):
        quick("closed")


def test_a_change_of_state_tells_what_happens_when(quick: Callable[..., Memory]) -> None:
    now = datetime(2026, 11, 30, 23, 30, tzinfo=UTC)
    memory = quick(clock=lambda: now)
    kim = memory.session(person="kim")
    kept(kim)

    notice = memory.set_account("kim", Account.LAPSED)

    assert (notice.before, notice.account, notice.since) == ("active", "lapsed", now)
    assert notice.kept_until == now + timedelta(days=90)
    assert notice.text == (
        "From 2026-11-30 23:30 UTC on: the account was active and is now lapsed.",
        "Nothing new is remembered.",
        "What is remembered stays yours and enters no prompt.",
        "You can see, export and delete it at any time.",
        "It is kept until 2027-02-28 at least; nothing is destroyed by itself.",
    )
    assert brought_up(kim) == set() and len(list(kim.claims())) == 4
    seq = memory.store.state.seq
    assert memory.set_account("kim", "lapsed").text[0].endswith("the account stays lapsed.")
    assert memory.store.state.seq == seq
    back = memory.set_account("kim", "active")
    assert back.text[1:3] == (
        "What is said is remembered.",
        "What is remembered may enter prompts.",
    )
    assert brought_up(kim) == {DIVORCED, HIKES, HAMBURG, BUDGET}
    last = memory.store.header(memory.store.state.seq - 1).model_dump()
    assert (last["op"], last["decision"]["rule"]) == ("account", "HOST_DECIDES")
    with pytest.raises(InvalidError, match="use one of active, paused, free, lapsed, closed"):
        memory.set_account("kim", "gone")
    with pytest.raises(InvalidError, match="the person is empty"):
        memory.set_account("  ", "free")


def test_a_state_is_one_persons(memory: Memory, who: str) -> None:
    kim, lee = memory.session(person=who), memory.session(person=f"lee {who}")

    memory.set_account(who, "free")

    assert not kim.can_use_prompt_memory and lee.can_use_prompt_memory


def test_one_claim_is_muted_and_stays_listed(memory: Memory, who: str) -> None:
    kim, bot = memory.session(person=who), memory.session(person=who, agent="bot")
    ids = kept(kim)
    before = brought_up(kim)

    done = kim.mute(kim.claim(ids[DIVORCED]))

    assert (done.claim, done.muting, done.by) == (ids[DIVORCED], "muted", who)
    for session in (kim, bot):
        assert brought_up(session) == before - {DIVORCED}
        assert rules(session)["MUTED"] == 1
    shown = kim.claim(ids[DIVORCED])
    assert (shown.words, shown.standing, shown.muted) == (DIVORCED, "active", ("itself",))
    assert any('"muted": ["itself"]' in line for line in kim.export())
    assert [one.claim for one in kim.mutes()] == [ids[DIVORCED]]
    assert [change.verb for change in kim.history(ids[DIVORCED])] == ["remember", "mute"]
    assert kim.claim(ids[DIVORCED]).version == 1  # it is as it was
    assert kim.mute(ids[DIVORCED]) == done  # a second time adds nothing

    assert kim.unmute(ids[DIVORCED]).muting == "unmuted"
    assert brought_up(kim) == before and kim.mutes() == ()
    with pytest.raises(InvalidError, match="is not muted"):
        kim.unmute(ids[DIVORCED])


@pytest.mark.parametrize(
    ("theme", "muted"),
    [
        ("이혼", {DIVORCED}),
        ("그 이혼", NOTHING),
        ("주말 등산", {HIKES}),
        ("hamburg job", {HAMBURG}),
        ("HAMBURG", {HAMBURG}),
        ("예산", NOTHING),
        ("통장 budget", {BUDGET}),
        ("ham", NOTHING),
    ],
)
def test_a_theme_is_muted_in_any_language(
    memory: Memory, request: pytest.FixtureRequest, theme: str, muted: set[str]
) -> None:
    who = request.node.name
    kim, bot = memory.session(person=who), memory.session(person=who, agent="bot")
    kept(kim)
    before = brought_up(kim)

    kim.mute(theme=theme)

    assert brought_up(bot) == before - muted
    assert {one.words for one in kim.claims() if one.muted == ("theme",)} == muted
    assert {one.words for one in bot.claims()} == before - muted
    if muted:  # the turn that speaks of it does not come back either
        assert kim.search_conversations(SAID).hits == ()
        assert "MUTED" in kim.search_conversations(SAID).notes[-1]
    kim.unmute(theme=f"  {theme.upper()} ")
    assert brought_up(bot) == before
    assert kim.search_conversations(SAID).hits != ()


def test_what_is_remembered_later_of_a_muted_theme_is_muted_too(memory: Memory, who: str) -> None:
    kim, bot = memory.session(person=who), memory.session(person=who, agent="bot")
    kim.mute(theme="알레르기")
    said = kim.message("새우 알레르기가 있어요. I like tea.")
    new = kim.remember("새우 알레르기가 있어요.", kind="stated", sources=[said])
    slot = bot.remember(
        "she avoids shrimp", subject="kim", attribute="알레르기", value="새우", sources=[said]
    )

    assert [kim.claim(one.id).muted for one in (new, slot)] == [("theme",)] * 2
    assert brought_up(bot) == set()
    assert {"theme": "알레르기"}.items() <= kim.mutes()[0].model_dump().items()
    assert bot.mutes() == ()  # what she does not want to hear is not told to it


def test_what_rests_on_a_muted_claim_alone_is_muted_with_it(memory: Memory, who: str) -> None:
    kim, bot = memory.session(person=who), memory.session(person=who, agent="bot")
    ids = kept(kim)
    alone = bot.remember("she may feel low", sources=[ids[DIVORCED]])
    deeper = bot.remember("be gentle with her", sources=[alone])
    other = kim.message("I feel low at times")
    both = bot.remember("low at times", sources=[ids[DIVORCED]])
    assert bot.remember("low at times", sources=[other]).id == both.id

    kim.mute(ids[DIVORCED])

    assert [kim.claim(one.id).muted for one in (alone, deeper, both)] == [
        ("ground",),
        ("ground",),
        (),
    ]
    found = brought_up(bot, "low at times")
    assert "low at times" in found and not {DIVORCED, alone.words, deeper.words} & found
    given = [item.model_dump(mode="json") for item in bot.recall("low at times").evidence]
    assert DIVORCED not in json.dumps(given, ensure_ascii=False)
    with pytest.raises(InvalidError, match="all it rests on is muted"):
        kim.unmute(alone.id)


def test_an_agent_gets_no_muted_words_by_another_verb(memory: Memory, who: str) -> None:
    kim, bot = memory.session(person=who), memory.session(person=who, agent="bot")
    ids = kept(kim)
    other = kim.message("I feel low at times")
    both = bot.remember("low at times", sources=[ids[DIVORCED], other])
    bot.remember("low at times", sources=[other])
    receipt = bot.recall("이혼").receipt
    kim.mute(ids[DIVORCED])

    for look in (bot.claim, bot.why, bot.trace, bot.history, bot.evidence_of, bot.investigate):
        with pytest.raises(RefusedError, match="MUTED"):
            look(ids[DIVORCED])
    with pytest.raises(RefusedError, match="MUTED"):
        bot.investigate(receipt)
    gathered: list[object] = [one.model_dump(mode="json") for one in bot.claims()]
    gathered += [bot.why(receipt).model_dump(mode="json")["lines"], *bot.export()]
    gathered += [bot.why(both).model_dump(mode="json"), bot.trace(both).model_dump(mode="json")]
    assert DIVORCED not in json.dumps(gathered, ensure_ascii=False)
    assert DIVORCED in json.dumps(
        [one.model_dump(mode="json") for one in kim.claims()], ensure_ascii=False
    )


@pytest.mark.parametrize("theme", ["이혼", "divorce"])
def test_an_agent_gets_no_document_or_tool_result_of_a_muted_theme(
    theme: str, memory: Memory, who: str
) -> None:
    kim, bot = memory.session(person=who), memory.session(person=who, agent="bot")
    page = kim.document(f"A page on 이혼 and divorce: {theme}.", origin="https://advice.example")
    told = bot.tool_result("notes", {}, f"divorce, 이혼: {theme}")
    kim.mute(theme=theme)

    for source in (page, told):
        with pytest.raises(RefusedError, match="MUTED"):
            bot.source(source.id)
        assert kim.source(source.id).text
    gathered = json.dumps([*bot.export()], ensure_ascii=False)
    assert "advice" not in gathered and "divorce" not in gathered


def test_what_replaces_a_muted_claim_is_as_little_brought_up(memory: Memory, who: str) -> None:
    kim = memory.session(person=who)
    ids = kept(kim)
    kim.mute(ids[HIKES])
    said = kim.message("이제는 수영을 해요.")

    new = kim.supersede(kim.claim(ids[HIKES]), "이제는 수영을 해요.", sources=[said])

    assert new.muted == ("itself",) and new.words not in brought_up(kim)
    kim.unmute(new)
    assert new.words in brought_up(kim)


def test_the_persons_muted_words_still_go_before_a_guess(memory: Memory, who: str) -> None:
    kim, bot = memory.session(person=who), memory.session(person=who, agent="bot")
    said = kim.message("부산에 살아요.")
    own = kim.remember(
        "부산에 살아요.",
        kind="stated",
        subject="kim",
        attribute="city",
        value="부산",
        sources=[said],
    )
    bot.remember("lives in Seoul", subject="kim", attribute="city", value="Seoul", sources=[said])
    kim.mute(own)

    assert brought_up(bot, "부산 Seoul") == set()
    assert {"MUTED", "OWN_WORDS_FIRST"} <= rules(bot, "부산 Seoul").keys()


def test_only_the_person_mutes_and_only_her_own(memory: Memory, who: str) -> None:
    kim, bot = memory.session(person=who), memory.session(person=who, agent="bot")
    ids = kept(kim)
    shared = memory.session(org=who, agent="bot")
    page = shared.document("Office hours are 9 to 5.", origin="https://wiki.example")
    common = shared.remember("Office hours are 9 to 5.", kind="external", sources=[page]).words

    refused: tuple[Callable[[], object], ...] = (
        lambda: bot.mute(ids[HIKES]),
        lambda: bot.mute(theme="등산"),
        lambda: bot.unmute(theme="등산"),
    )
    for tried in refused:
        with pytest.raises(RefusedError, match="ONLY_HERSELF"):
            tried()
    with pytest.raises(NotFoundError):
        memory.session(person=f"not {who}").mute(ids[HIKES])
    kim.mute(theme="office hours")  # for her alone, whoever said it
    hers = memory.session(person=who, org=who, agent="bot")
    others = memory.session(org=who, agent="bot")
    assert common not in brought_up(hers, common)
    assert common in brought_up(others, common)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "either a claim or a theme"),
        ({"claim": "x", "theme": "y"}, "either a claim or a theme"),
        ({"theme": " ?! "}, "holds no word"),
        ({"theme": "말" * 201}, "201 code points"),
    ],
)
def test_a_mute_that_names_nothing_is_refused(
    memory: Memory, who: str, given: dict[str, str], message: str
) -> None:
    with pytest.raises(InvalidError, match=message):
        memory.session(person=who).mute(**given)
    with pytest.raises(NotFoundError, match="is not muted"):
        memory.session(person=who).unmute(theme="이혼")


def test_it_survives_reopening_rebuilding_and_replaying(
    quick: Callable[..., Memory], tmp_path: Path
) -> None:
    with quick("lasting") as memory:
        kim = memory.session(person="kim", session="s1")
        bot = memory.session(person="kim", agent="bot")
        ids = kept(kim)
        kim.mute(theme="이혼")
        kim.mute(ids[HIKES])
        kim.mute(theme="weather")
        kim.unmute(theme="weather")
        bot.request_forget(ids[HAMBURG], reason="she said so")
        kim.pause("session")
        memory.set_account("lee", "closed")
        assert memory.rebuild() and memory.verify().findings == ()
    with quick("lasting") as memory:
        kim = memory.session(person="kim")
        assert brought_up(kim) == {BUDGET}
        assert {one.words: one.muted for one in kim.claims()} == {
            DIVORCED: ("theme",), HIKES: ("itself",), HAMBURG: ("request",), BUDGET: (),
        }  # fmt: skip
        assert not memory.session(person="kim", session="s1").can_use_prompt_memory
        assert memory.session(person="lee").may("prompt").decision.rule == "ACCOUNT_STATE"
        assert brought_up(kim) == {BUDGET}
        words = ("이혼", "she said so")
        folder = memory.store.folder
        held = [file.read_bytes() for file in folder.rglob("*") if file.is_file()]
        assert [word for word in words for raw in held if word.encode() in raw] == []
        for name, by in ((HIKES, ["itself"]), (HAMBURG, ["request"]), (DIVORCED, [])):
            bundle = json.loads(kim.investigate(ids[name]).bundle)
            assert bundle["status"][ids[name]]["muted"] == by
            file = tmp_path / "bundle.json"
            file.write_text(json.dumps(bundle, ensure_ascii=False), "utf-8")
            found = subprocess.run(
                [sys.executable, VERIFIER, file, "--key", memory.signer.key],
                capture_output=True, text=True, check=False,
            )  # fmt: skip
            assert (found.returncode, found.stdout) == (0, "OK\n")


def test_a_past_moment_is_answered_under_todays_mutes(quick: Callable[..., Memory]) -> None:
    moment = [datetime(2026, 3, 2, 9, 0, tzinfo=UTC)]
    memory = quick(clock=lambda: moment[0])
    kim = memory.session(person="kim")
    ids = kept(kim)
    then = moment[0]
    moment[0] += timedelta(days=1)
    kim.mute(ids[DIVORCED])

    found = {item.claim.words for item in kim.recall("이혼", as_of=then, limit=50).evidence}

    assert found == {HIKES, HAMBURG, BUDGET}
    assert next(kim.claims(as_of=then)).muted == ("itself",)
