"""S06: plain words on every screen, Korean and English, the codes beside them and never instead."""

import re
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta

import pytest

from muniment import Claim, ErasedError, Language, Memory, NotFoundError, Session, word
from muniment.claims import (
    Account,
    Authority,
    Basis,
    BlockVerb,
    Category,
    Integrity,
    Kind,
    Medium,
    MutedBy,
    PartLabel,
    Purpose,
    ReasonCode,
    Relation,
    Right,
    Standing,
    Use,
    Verb,
    Verdict,
)
from muniment.policy import RULES

Open = Callable[..., Memory]
Screen = Callable[..., tuple[int, str]]
LISTS: dict[str, list[str]] = {
    "kind": [*Kind],
    "standing": [*Standing],
    "integrity": [*Integrity.__members__],
    "authority": [*Authority.__members__],
    "category": [*Category],
    "medium": [Medium.TOOL_RESULT],
    "label": [*PartLabel],
    "use": [*Use],
    "purpose": [*Purpose],
    "verdict": [*Verdict],
    "right": [*Right],
    "account": [*Account],
    "basis": [*Basis],
    "code": [*ReasonCode],
    "muted_by": [*MutedBy],
    "relation": [*Relation, "echo_of", "possible_echo_of", "quotes", "derived_from"],
    "verb": [*Verb, *BlockVerb, "remember", "remember again", "erase", "unmute", "request forget"],
    "rule": [*RULES, "SCOPE"],
}
CODES = [(group, code) for group, codes in LISTS.items() for code in codes]
_COMMAND = re.compile(r"muniment [a-z-]+( [A-Z]+)?")
_PROSE = ("replay", "support")  # what these explain at length is in English
_SHOUTED = re.compile(r"(?<![\w-])[A-Z][A-Z_]{3,}(?![\w-])")


def bare(command: str, screen: str) -> Iterable[str]:
    """Yield the codes of a Korean screen that stand there without their words; codes of rules where it has prose."""
    screen, known = _COMMAND.sub("", screen), {code for _, code in CODES}
    codes = {code for code in known if re.search(rf"(?<![\w-]){re.escape(code)}(?![\w-])", screen)}
    yield from set(_SHOUTED.findall(screen)) - known
    for code in codes if command not in _PROSE else codes & set(RULES):
        told = [word(f"{group}.{code}", "ko") for group, one in CODES if one == code]
        if not any(" ".join(one.split()) in screen for one in told):
            yield code


@pytest.mark.parametrize("group", LISTS)
def test_every_code_has_a_word_in_both_languages(group: str) -> None:
    for code in LISTS[group]:
        english, korean = word(f"{group}.{code}", "en"), word(f"{group}.{code}", "ko")
        assert re.search("[가-힣]", korean), code
        # What the command line puts as an option is named as the argument it is in the library.
        shown = re.sub("expires_at|keep_procedure", "", english) if group == "rule" else english
        assert english and "_" not in shown and english != english.upper(), code


def test_the_words_asked_for_are_these() -> None:
    said = {
        "kind.stated": ("said by you", "당신이 한 말"),
        "mark.confirmed": ("confirmed", "확인함"),
        "kind.inferred": ("guessed", "추측"),
        "kind.external": ("from outside", "바깥에서 온 말"),
        "standing.pending": ("waiting for you", "당신을 기다림"),
        "mark.recheck": ("check again", "다시 확인 필요"),
        "mark.destroyed": ("will be destroyed with it", "함께 없어짐"),
    }
    assert {key: (word(key), word(key, "ko")) for key in said} == said


@pytest.fixture
def lived(quick: Open) -> tuple[Memory, dict[str, str]]:
    """Return a store in which something of every sort happened, closed, with names for it."""
    first = quick("lived")
    first.close()
    policy = first.path / "policy.toml"
    policy.write_text('preset = "journal"\n' + policy.read_text("utf-8"), encoding="utf-8")
    memory = quick("lived")
    kim, bot = memory.session(person="kim"), memory.session(person="kim", agent="도우미")

    def stated(text: str, **more: object) -> Claim:
        return kim.remember(text, kind="stated", sources=[kim.message(text)], **more)  # type: ignore[arg-type]

    wrong = stated("배포는 금요일이다.", subject="배포", attribute="요일", value="금요일")
    derived = kim.remember("금요일 저녁에 바쁘다", sources=[wrong])
    right = kim.correct(
        wrong, "배포는 목요일이다.", sources=[kim.message("배포는 목요일이다.")], value="목요일"
    )
    kim.confirm(right, code="checked", recheck_at=datetime.now(UTC) + timedelta(seconds=1))
    kim.mute(stated("그 도시 이야기"))
    bot.request_forget(stated("옛 주소"))
    page = bot.document("로그는 밖으로 보낸다.", origin="https://wiki.example/ops")
    outside = bot.remember("로그는 밖으로 보낸다.", kind="external", sources=[page])
    bot.challenge(right, "배포는 수요일이다.", sources=[page])
    bot.remember("문은 경계의 상징이다", category="theme", sources=[kim.message("문 앞에 섰다.")])
    stated("항상 한국어로 답한다.", category="constraint")
    tool = kim.tool_result("deploy_status", {"environment": "prod", "exit_code": 0}, "다 됐다")
    kim.remember("배포 결과", kind="observed", sources=[tool], field="exit_code")
    kim.rewrite_block("민지라고 부른다")
    bot.rewrite_block("민지라고 부른다\n로그는 밖으로 보낸다.", sources=[page])
    receipt = kim.recall("배포는 언제?").receipt
    memory.close()
    names = {"wrong": wrong.id, "right": right.id, "derived": derived.id, "outside": outside.id,
             "receipt": receipt, "page": page.id, "tool": tool.id}  # fmt: skip
    return memory, names


def test_no_screen_shows_only_a_code(lived: tuple[Memory, dict[str, str]], screen: Screen) -> None:
    memory, it = lived
    screens = (
        ("access",), ("claims",), ("review",), ("stale",), ("block",), ("block", "--waiting"),
        ("block-history",), ("mutes",), ("requests",), ("policy", "rules"), ("statuses",),
        ("show", it["right"]), ("show", it["outside"]), ("show", it["page"]), ("show", it["tool"]),
        ("why", it["right"]), ("why", it["receipt"]), ("replay", it["receipt"]), ("trace", it["derived"]),
        ("trace", it["right"]), ("history", it["wrong"]), ("history", it["right"]), ("support", it["right"]),
        ("erase", it["page"], "--dry-run"), ("recall", "배포는 언제?", "--purpose", "personalise"),
        ("search-conversations", "배포"), ("retract", f"{it['wrong']}@2"), ("pause",), ("message", "안녕"),
        ("recall", "안녕"), ("resume",), ("reject", f"{it['outside']}@1"),
        ("confirm", f"{it['right']}@2", "--code", "checked"),
    )  # fmt: skip
    left: dict[tuple[str, ...], list[str]] = {}
    for words in screens:
        person = "" if words[0] in ("policy", "statuses") else "kim"
        code, shown = screen(memory.path, *words, lang="ko", person=person)
        assert code in (0, 1, 4) and shown, shown
        left[words] = [*bare(words[0], shown)]

    assert {words: codes for words, codes in left.items() if codes} == {}


def test_what_is_known_and_what_would_go_is_said_plainly(
    lived: tuple[Memory, dict[str, str]], screen: Screen
) -> None:
    memory, it = lived
    said: tuple[tuple[Language, tuple[str, ...]], ...] = (
        (
            "en",
            ("said by you · stated", "confirmed", "from outside · external", "guessed · inferred"),
        ),
        ("ko", ("당신이 한 말 · stated", "확인함", "바깥에서 온 말 · external", "추측 · inferred")),
    )
    for lang, words in said:
        _, claims = screen(memory.path, "claims", lang=lang)
        assert [one for one in words if one not in claims] == []
        _, waiting = screen(memory.path, "review", lang=lang)
        assert word("standing.pending", lang) in waiting
        _, going = screen(memory.path, "erase", it["page"], "--dry-run", lang=lang)
        assert word("mark.destroyed", lang) in going


# --- one step to change ----------------------------------------------------------------------------------------------


def kept(memory: Memory) -> tuple[Session, Claim]:
    """Return kim and what she once said."""
    kim = memory.session(person="kim")
    said = kim.message("배포는 금요일이다.")
    slot = {"subject": "배포", "attribute": "요일", "value": "금요일"}
    return kim, kim.remember("배포는 금요일이다.", kind="stated", sources=[said], **slot)  # type: ignore[arg-type]


def test_there_are_four_ways_each_with_its_verb(quick: Open) -> None:
    memory = quick()
    kim, claim = kept(memory)
    bot = memory.session(person="kim", agent="bot")

    def ways(one: Session) -> list[tuple[str, str, bool]]:
        return [(way.means, way.verb, way.is_open) for way in one.choices(kim.claim(claim.id))]

    before = memory.store.state.seq
    assert ways(kim) == [
        ("wrong", "correct", True), ("changed", "supersede", True),
        ("unused", "mute", True), ("destroy", "erase", True),
    ]  # fmt: skip
    assert ways(bot) == [
        ("wrong", "correct", True), ("changed", "supersede", True),  # it stands beside hers
        ("unused", "retract", False), ("destroy", "erase", False),
    ]  # fmt: skip
    assert {way.decision.rule for way in bot.choices(claim)} == {
        "LOWER_INTEGRITY", "LOWER_CHANGE", "ONLY_THE_PERSON",
    }  # fmt: skip
    assert memory.store.state.seq == before
    memory.hold(claim.id, reason="a case")
    kim.pause()
    closed = {way.means: way.decision.rule for way in kim.choices(claim) if not way.is_open}
    assert closed == {"wrong": "PAUSED", "changed": "PAUSED", "destroy": "ON_LEGAL_HOLD"}
    with pytest.raises(NotFoundError):
        memory.session(person="park").choices(claim.id)


@pytest.mark.parametrize(
    ("options", "typed", "standing"),
    [
        (("--wrong", "배포는 목요일이다.", "--value", "목요일"), "1\n배포는 목요일이다.\n목요일\n", "corrected"),
        (("--changed", "배포는 목요일이다.", "--value", "목요일"), "2\n배포는 목요일이다.\n목요일\n", "superseded"),
        (("--unused",), "3\n", "muted"),
        (("--destroy", "--yes"), "x\n4\nyes\n", "erased"),
        ((), "\n", "active"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("at_terminal", [False, True])
def test_one_step_does_what_is_meant(
    options: tuple[str, ...],
    typed: str,
    standing: str,
    at_terminal: bool,
    quick: Open,
    screen: Screen,
) -> None:
    memory = quick()
    _, claim = kept(memory)
    memory.close()

    words = ("change", f"{claim.id}@{claim.version}", *(() if at_terminal else options))
    code, shown = screen(memory.path, *words, typed=typed if at_terminal else None, lang="ko")

    assert code == (1 if at_terminal and standing == "active" else 0), shown
    if at_terminal or not options:
        for means in ("wrong", "changed", "unused", "destroy"):
            assert word(f"choice.{means}", "ko") in shown
    kim = (again := quick()).session(person="kim")
    if standing == "erased":
        with pytest.raises(ErasedError):
            kim.claim(claim.id)
    elif standing == "muted":
        assert kim.claim(claim.id).muted == ("itself",)
    else:
        assert kim.claim(claim.id).standing == standing
    new = [one for one in kim.claims() if one.id != claim.id]
    told = [("stated", "USER", "배포는 목요일이다.", "목요일")]
    assert [(one.kind, one.integrity.name, one.words, one.value) for one in new] == (
        told if standing in ("corrected", "superseded") else []
    )
    assert again.rebuild()


def test_what_she_types_in_place_of_a_guess_is_her_own(quick: Open, screen: Screen) -> None:
    memory = quick()
    kim = memory.session(person="kim")
    bot = memory.session(person="kim", agent="bot")
    guess = bot.remember("금요일을 좋아한다", sources=[kim.message("금요일에 배포했다.")])
    memory.close()

    screen(memory.path, "change", f"{guess.id}@1", "--wrong", "나는 월요일이 좋다.")

    (own,) = [one for one in quick().session(person="kim").claims(standing="active")]
    assert (own.kind, own.words, own.corrects) == ("stated", "나는 월요일이 좋다.", (guess.id,))


def test_a_change_of_what_was_not_seen_is_not_made(quick: Open, screen: Screen) -> None:
    memory = quick()
    kim, claim = kept(memory)
    kim.confirm(claim)
    memory.close()

    assert screen(memory.path, "change", f"{claim.id}@1", "--wrong", "다르다.")[0] == 5
    code, shown = screen(memory.path, "change", claim.id, "--wrong", "다르다.")
    assert code == 2 and "@1" in shown
    code, shown = screen(memory.path, "change", claim.id, "--unused", "--destroy")
    assert code == 2 and "--unused and --destroy are two ways" in shown
    assert "다르다" not in "".join(quick().session(person="kim").export())


@pytest.mark.parametrize("asked", ["delete", "forget", "remove", "update", "Edit"])
@pytest.mark.parametrize("lang", ["en", "ko"])
def test_delete_and_forget_answer_with_the_right_verb(
    asked: str, lang: str, quick: Open, screen: Screen
) -> None:
    memory = quick()
    memory.close()

    code, shown = screen(memory.path, asked, "AaIu@1", lang=lang)

    assert code == 2
    verb = "correct" if asked in ("update", "Edit") else "erase"
    assert "muniment change AaIu@1" in shown and f"muniment {verb} AaIu@1" in shown
    assert ("명령은 없습니다" in shown) == (lang == "ko")
