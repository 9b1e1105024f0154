"""C16: trivia, what can be looked up, raw dumps, finished work and errors that resolved themselves are declined."""

from collections.abc import Callable

import pytest

from muniment import Memory, RefusedError

DECLINED = {
    "TRIVIAL": ("The user said hello", "사용자가 인사를 했다", "안녕하세요!", "Kim said thanks."),
    "LOOKED_UP_AGAIN": (
        "Paris is the capital of France",
        "프랑스의 수도는 파리이다",
        "According to the docs, the flag is --force",
        "Python은 프로그래밍 언어이다",
        "공식 문서에 따르면 기본값은 3이다",
    ),
    "RAW_DUMP": (
        "Traceback (most recent call last):\n  File x\nKeyError: 'y'",
        "로그:\n" + "".join(f"2026-03-02 09:00:0{n} INFO 시작 {n}\n" for n in range(5)),
        '{"rows": ' + str([n for n in range(200)]) + "}",
    ),
    "FINISHED_WORK": (
        "Merged the pull request for the parser",
        "The migration is now complete",
        "마이그레이션 작업을 완료했다",
        "PR을 병합했습니다",
    ),
    "RESOLVED_ITSELF": (
        "The timeout went away after a while",
        "The upload worked on the second try",
        "오류가 저절로 해결되었다",
        "다시 실행하니 성공했다",
        "It was a transient network error",
    ),
}
KEPT = (
    "Kim works in Seoul",
    "배포 서버는 A이다",
    "작업이 완료되면 알려 달라고 한다",
    "The team calls the staging branch preview",
    "The docs live at https://wiki.example/ops",
    "환경은 스테이징이다, the environment is staging",
    "The release is cut on Thursdays",
    "재고는 매주 월요일에 센다",
)


@pytest.mark.parametrize(("rule", "text"), [(r, t) for r, all_ in DECLINED.items() for t in all_])
def test_a_model_is_declined_with_the_reason_and_the_text(
    memory: Memory, who: str, rule: str, text: str
) -> None:
    kim, bot = memory.session(person=who), memory.session(person=who, agent="bot")
    said = kim.message("x")

    with pytest.raises(RefusedError, match=f"{rule}: .*“"):
        bot.remember(text, sources=[said])

    assert list(kim.claims()) == []


@pytest.mark.parametrize("text", KEPT)
def test_what_is_worth_it_is_kept(memory: Memory, who: str, text: str) -> None:
    bot = memory.session(person=who, agent="bot")

    assert bot.remember(text, sources=[bot.message("x")]).standing == "active"


@pytest.mark.parametrize("text", [all_[0] for all_ in DECLINED.values()])
def test_a_person_keeps_what_she_likes(memory: Memory, who: str, text: str) -> None:
    kim = memory.session(person=who)

    kept = kim.remember(text, sources=[kim.message(text)])

    assert (kept.standing, kept.hints) == ("active", ())


def test_a_refusal_is_written_without_the_words(quick: Callable[..., Memory]) -> None:
    memory = quick()
    bot = memory.session(person="kim", agent="bot")
    said = bot.message("x")
    before = memory.store.state.seq

    with pytest.raises(RefusedError):
        bot.remember("zebrafinchcanary went away", sources=[said])

    assert memory.store.state.seq == before + 1
    memory.close()
    for file in memory.path.rglob("*"):
        assert not file.is_file() or b"zebrafinchcanary" not in file.read_bytes()


def test_a_page_taken_at_its_word_is_the_pages(memory: Memory, who: str) -> None:
    bot = memory.session(person=who, agent="bot")
    text = "Paris is the capital of France"
    page = bot.document(text, origin="https://atlas.example")

    assert bot.remember(text, kind="external", sources=[page]).kind == "external"


def test_under_pressure_preferences_and_corrections_stay(memory: Memory, who: str) -> None:
    kim = memory.session(person=who)
    wanted = kim.remember(
        "표를 쓰지 마", kind="stated", category="preference", sources=[kim.message("표를 쓰지 마")]
    )
    wrong = kim.remember("zebra is in staging", sources=[kim.message("zebra is in staging")])
    right = kim.correct(wrong, "zebra is in production", sources=[kim.message("in production")])
    said = kim.message("zebra zebra zebra")
    for number in range(12):
        kim.remember(f"zebra zebra zebra number {number}", sources=[said])

    answer = kim.recall("zebra zebra zebra", limit=4)

    given = [item.claim.id for item in answer.evidence]
    assert {wanted.id, right.id} <= set(given) and len(given) == 4
    assert any(held.rule == "OVER_LIMIT" for held in answer.withheld)


def test_the_environment_goes_before_the_rest(memory: Memory, who: str) -> None:
    kim = memory.session(person=who)
    said = kim.message("quokka")
    fact = kim.remember("the quokka server runs in Seoul, 서울", category="fact", sources=[said])
    for number in range(9):
        kim.remember(f"quokka quokka number {number}", category="decision", sources=[said])

    given = [item.claim.id for item in kim.recall("quokka quokka", limit=4).evidence]

    assert fact.id in given and len(given) == 4
    assert len(kim.recall("quokka quokka", limit=1).evidence) == 1
