"""S06: plain words on every screen, Korean and English, the codes beside them and never instead."""

import io
import re
from collections.abc import Callable, Iterable
from contextlib import redirect_stderr, redirect_stdout
from datetime import UTC, datetime, timedelta

import pytest

from muniment import Claim, Memory, word
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
from muniment.surfaces.cli import main

Open = Callable[..., Memory]
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


def shown(memory: Memory, *words: str, lang: str = "ko") -> str:
    """Return the screen of a command of kim's, its lines as one."""
    out = io.StringIO()
    who = () if words[0] in ("policy", "rules", "statuses") else ("--person", "kim")
    with redirect_stdout(out), redirect_stderr(out):
        code = main([*words, "--lang", lang, "--store", str(memory.path), *who])
    assert code in (0, 4), out.getvalue()
    return " ".join(out.getvalue().split())


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
        assert english and "_" not in english and english != english.upper(), code


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
def lived(quick: Open, monkeypatch: pytest.MonkeyPatch) -> tuple[Memory, dict[str, str]]:
    """Return a store in which something of every sort happened, closed, with names for it."""
    monkeypatch.setenv("COLUMNS", "120")
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


def test_no_screen_shows_only_a_code(lived: tuple[Memory, dict[str, str]]) -> None:
    memory, it = lived
    screens = (
        ("access",), ("claims",), ("review",), ("stale",), ("block",), ("block", "--waiting"),
        ("block-history",), ("mutes",), ("requests",), ("policy", "rules"), ("statuses",),
        ("show", it["right"]), ("show", it["outside"]), ("show", it["page"]), ("show", it["tool"]),
        ("why", it["right"]), ("why", it["receipt"]), ("replay", it["receipt"]), ("trace", it["derived"]),
        ("trace", it["right"]), ("history", it["wrong"]), ("history", it["right"]), ("support", it["right"]),
        ("erase", it["page"], "--dry-run"), ("recall", "배포는 언제?", "--purpose", "personalise"),
        ("search-conversations", "배포"), ("retract", f"{it['wrong']}@2"), ("pause",), ("message", "안녕"),
        ("resume",), ("reject", f"{it['outside']}@1"), ("confirm", f"{it['right']}@2", "--code", "checked"),
    )  # fmt: skip
    left = {
        words: [*bare(words[0], screen)] for words in screens if (screen := shown(memory, *words))
    }

    assert {words: codes for words, codes in left.items() if codes} == {}
    assert len(left) == len(screens)


def test_what_is_known_and_what_would_go_is_said_plainly(
    lived: tuple[Memory, dict[str, str]],
) -> None:
    memory, it = lived
    for lang, words in (
        (
            "en",
            ("said by you · stated", "confirmed", "from outside · external", "guessed · inferred"),
        ),
        ("ko", ("당신이 한 말 · stated", "확인함", "바깥에서 온 말 · external", "추측 · inferred")),
    ):
        claims = shown(memory, "claims", lang=lang)
        assert [one for one in words if one not in claims] == []
        assert word("standing.pending", lang) in shown(memory, "review", lang=lang)  # type: ignore[arg-type]
        going = shown(memory, "erase", it["page"], "--dry-run", lang=lang)
        assert word("mark.destroyed", lang) in going  # type: ignore[arg-type]
