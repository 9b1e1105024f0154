"""C13: a failure says symptom, cause, what did not work, what fixed it and where; a bare denial is declined."""

import json
from collections.abc import Callable

import pytest

from muniment import Failure, InvalidError, Memory, RefusedError

Open = Callable[..., Memory]
FAILURE = Failure(
    symptom="ffmpeg 변환이 메모리 부족으로 멈춘다",
    cause="스레드마다 버퍼를 따로 잡는다",
    did_not_work=("컨테이너 재시작", "lowering the bitrate"),
    fixed_by="-threads 2",
    environment="docker, 2 GB",
)
BARE = (
    "브라우저 툴은 안 된다",
    "The browser tool does not work",
    "이 CLI는 고장났다",
    "the provider API is broken, 모델은 작동하지 않는다",
)


@pytest.mark.parametrize("text", BARE)
@pytest.mark.parametrize("category", ["fact", "failure", "constraint", "theme"])
def test_a_bare_denial_from_a_model_is_declined_with_the_reason(
    memory: Memory, who: str, text: str, category: str
) -> None:
    bot = memory.session(person=who, agent="bot")
    said = bot.message("it failed")

    with pytest.raises(RefusedError, match=r"BARE_FAILURE.*what fixed it.*(“|missing)"):
        bot.remember(text, category=category, sources=[said])


@pytest.mark.parametrize(
    "text",
    [
        "The browser tool does not work without --no-sandbox",
        "--no-sandbox 없이는 브라우저 툴이 안 된다",
        "코드에 주석을 달아서는 안 된다",
        "금요일 배포는 안 된다",
    ],
)
def test_a_condition_or_a_ban_is_no_denial(memory: Memory, who: str, text: str) -> None:
    bot = memory.session(person=who, agent="bot")

    assert bot.remember(text, sources=[bot.message("x")]).standing == "active"


def test_with_all_of_it_it_is_kept_and_says_when_to_check_again(quick: Open) -> None:
    memory = quick()
    bot = memory.session(person="kim", agent="bot")

    kept = bot.remember(
        "ffmpeg가 멈춘다", category="failure", sources=[bot.message("ffmpeg")], failure=FAILURE
    )

    assert kept.failure == FAILURE
    assert kept.recheck_when == "the environment is not docker, 2 GB"
    memory.close()
    memory = quick()
    kim = memory.session(person="kim")
    assert kim.claim(kept.id).failure == FAILURE
    (found,) = kim.recall("ffmpeg threads", tools=["ffmpeg"]).evidence
    assert found.claim.failure == FAILURE
    line = next(json.loads(line) for line in kim.export() if kept.id in line)
    assert Failure.model_validate(line["failure"]) == FAILURE


def test_what_is_missing_is_named(memory: Memory, who: str) -> None:
    bot = memory.session(person=who, agent="bot")
    said = bot.message("x")

    with pytest.raises(RefusedError, match="missing: the environment"):
        bot.remember("it stops", category="failure", sources=[said], failure=Failure(fixed_by="-t"))
    with pytest.raises(RefusedError, match="missing: the cause"):
        bot.remember(
            "it stops", category="failure", sources=[said], failure=Failure(environment="docker")
        )
    with pytest.raises(InvalidError, match="failure"):
        bot.remember("x", sources=[said], failure="broken")  # type: ignore[arg-type]


def test_in_another_environment_it_is_to_be_checked_again(memory: Memory, who: str) -> None:
    bot = memory.session(person=who, agent="bot")
    kept = bot.remember(
        "ffmpeg가 멈춘다", category="failure", sources=[bot.message("ffmpeg")], failure=FAILURE
    )

    def asked(**present: str) -> tuple[str, str, bool]:
        answer = bot.recall("ffmpeg", tools=["ffmpeg"], present=present)
        (found,) = (item for item in answer.evidence if item.claim.id == kept.id)
        return found.use.value, found.freshness, "ENVIRONMENT_CHANGED" in found.rules

    assert asked() == asked(environment="Docker, 2 GB") == ("background", "fresh", False)
    assert asked(environment="bare metal") == ("tentative", "check again", True)
    assert asked(환경="노트북") == ("tentative", "check again", True)


def test_its_words_go_with_it(quick: Open) -> None:
    memory = quick()
    kim, bot = memory.session(person="kim"), memory.session(person="kim", agent="bot")
    failure = Failure(cause="zebrafinchcanary 스레드", environment="qq")
    kept = bot.remember("it stops", category="failure", sources=[bot.message("x")], failure=failure)
    kim.mute(theme="zebrafinchcanary")
    assert bot.recall("zebrafinchcanary").evidence == ()
    kim.unmute(theme="zebrafinchcanary")

    kim.erase(kim.claim(kept.id))

    assert kim.recall("zebrafinchcanary").evidence == ()
    assert not any("zebrafinchcanary" in line for line in kim.export())
    with pytest.raises(RefusedError, match="SUPPRESSED"):
        bot.remember("it stops", category="failure", sources=[bot.message("y")], failure=failure)


def test_a_person_is_only_hinted(memory: Memory, who: str) -> None:
    kim = memory.session(person=who)
    text = "The browser tool does not work"

    kept = kim.remember(text, kind="stated", category="failure", sources=[kim.message(text)])

    assert kept.standing == "active"
    assert [hint.rule for hint in kept.hints] == ["ASK_BARE_FAILURE"]
