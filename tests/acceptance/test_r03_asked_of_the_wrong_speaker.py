"""R03: a question that names the wrong speaker: the search says that the words asked for are another's, and how far."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from muniment import Memory, Turns

CHANNEL = "weekend"


@dataclass(frozen=True)
class Story:
    """Two people talk; what is asked of the one who said it is also asked of the one who did not."""

    talk: tuple[tuple[str, str], ...]
    of_her: str
    of_other: str
    of_nobody: str
    of_both: str


STORIES = {
    "en": Story(
        (
            ("Maya", "I signed up for a pottery class yesterday and made two bowls."),
            ("Jonas", "Wow, that sounds wonderful! How long did it take?"),
            ("Jonas", "I spent the weekend repairing my old sailing boat."),
            ("Maya", "Nice, I hope it floats again."),
        ),
        "What did Maya make in the pottery class?",
        "What did Jonas make in the pottery class?",
        "What was made in the pottery class?",
        "What did Maya and Jonas make in the pottery class?",
    ),
    "ko": Story(
        (
            ("서연", "어제 도자기 수업에 등록해서 그릇을 두 개 빚었어."),
            ("민준", "와, 정말 멋지다! 시간은 오래 걸렸어?"),
            ("민준", "나는 주말 내내 오래된 요트를 수리했어."),
            ("서연", "다시 물에 뜨면 좋겠다."),
        ),
        "서연이가 도자기 수업에서 빚은 그릇은 몇 개야?",
        "민준이가 도자기 수업에서 빚은 그릇은 몇 개야?",
        "도자기 수업에서 빚은 그릇은 몇 개야?",
        "서연이와 민준이가 도자기 수업에서 빚은 그릇은 몇 개야?",
    ),
    "mixed": Story(
        (
            ("지우", "나는 Kubernetes 업그레이드 때문에 staging 배포를 미뤘어."),
            ("Alex", "Okay, tell me when it is done."),
            ("Alex", "My flight to Lisbon is on Tuesday."),
            ("지우", "좋은 여행 돼!"),
        ),
        "지우는 왜 staging 배포를 미뤘어?",
        "Alex는 왜 staging 배포를 미뤘어?",
        "왜 staging 배포를 미뤘어?",
        "지우랑 Alex는 왜 staging 배포를 미뤘어?",
    ),
}


def told(memory: Memory, story: Story) -> None:
    for speaker, text in story.talk:
        memory.session(person=speaker, channel=CHANNEL).message(text)


def asked(memory: Memory, story: Story, question: str, **scope: str) -> Turns:
    return memory.session(
        person=story.talk[0][0], **({"channel": CHANNEL} | scope)
    ).search_conversations(question)


@pytest.mark.parametrize("tongue", STORIES)
def test_the_search_doubts_what_is_asked_of_the_wrong_speaker(
    quick: Callable[..., Memory], tongue: str
) -> None:
    memory, story = quick(), STORIES[tongue]
    told(memory, story)

    right, wrong = asked(memory, story, story.of_her), asked(memory, story, story.of_other)

    assert right.hits and wrong.hits
    assert right.doubt is not None and wrong.doubt is not None
    assert 0.0 <= right.doubt < 0.5 < wrong.doubt <= 1.0
    assert (right.doubtful, wrong.doubtful) == (False, True)
    assert not any("somebody else" in note for note in right.notes)
    assert any("somebody else" in note for note in wrong.notes)
    assert asked(memory, story, story.of_other) == wrong


@pytest.mark.parametrize("tongue", STORIES)
def test_nobody_or_both_named_is_no_reason_to_doubt(
    quick: Callable[..., Memory], tongue: str
) -> None:
    memory, story = quick(), STORIES[tongue]
    told(memory, story)

    for question in (story.of_nobody, story.of_both):
        found = asked(memory, story, question)
        assert found.hits and found.doubt is None and not found.doubtful and found.notes == ()


def test_the_asker_is_named_as_i(quick: Callable[..., Memory]) -> None:
    memory, story = quick(), STORIES["en"]
    told(memory, story)

    hers = asked(memory, story, "When did I make bowls in my pottery class?")
    not_hers = asked(memory, story, "Where did I go with my sailing boat?")

    assert hers.doubt is not None and hers.doubt < 0.5
    assert not_hers.doubtful


def test_words_that_nobody_used_are_no_reason_either(quick: Callable[..., Memory]) -> None:
    memory, story = quick(), STORIES["en"]
    told(memory, story)

    assert asked(memory, story, "What does Jonas think of glockenspiels?").doubt is None


def test_what_was_said_where_the_asker_may_not_read_moves_nothing(
    quick: Callable[..., Memory],
) -> None:
    found: list[Turns] = []
    for name, crowded in (("alone", False), ("crowded", True)):
        memory, story = quick(name), STORIES["en"]
        told(memory, story)
        for number in range(50 if crowded else 0):
            words = f"I made {number} bowls in the pottery class."
            memory.session(person="Jonas", channel="elsewhere").message(words)
            memory.session(person="Jonas").message(words)
        found.append(asked(memory, story, story.of_other))

    assert found[0].doubt == found[1].doubt
    assert [hit.score for hit in found[0].hits] == [hit.score for hit in found[1].hits]


def test_doubt_rests_on_nothing_that_is_kept_back(quick: Callable[..., Memory]) -> None:
    memory, story = quick(), STORIES["en"]
    told(memory, story)
    before = asked(memory, story, story.of_other).doubt
    copy = memory.session(person="Maya", channel=CHANNEL).message(
        "My pottery class: what I made there, two bowls of the pottery class."
    )
    assert asked(memory, story, "What did Jonas make in the pottery class?").doubt == 1.0 == before
    jonas = memory.session(person="Jonas", channel=CHANNEL)
    jonas.message("I made a vase in the pottery class too.")
    between = asked(memory, story, story.of_other).doubt

    memory.session(person="Maya", channel=CHANNEL).mute(theme="pottery")

    assert between is not None and 0.0 < between < 1.0
    assert asked(memory, story, story.of_other).doubt is None
    assert copy.id
