"""R12: a loose link stays out of a prompt unless the person asks to connect; then it is offered, never asserted."""

from collections.abc import Callable
from typing import Any

import pytest

from muniment import Integrity, Memory, Session, assembling
from muniment.claims import Claim, Use
from muniment.retrieval import Evidence, Reason, Recalled, recall

DREAM = "잠겨 있는 정원 문에 대한 꿈을 계속 꿔요."
SHAME = "오늘 도움을 요청하고 싶었을 때 수치심을 느꼈어요."
FAINT = Reason(code="weak meaning", detail="resembles in meaning only (0.43)", score=0.43)


def stated(session: Session, text: str, **more: Any) -> Claim:
    return session.remember(text, kind="stated", sources=[session.message(text)], **more)


@pytest.fixture
def kim(quick: Callable[..., Memory]) -> Session:
    return quick().session(person="kim")


@pytest.fixture
def loosely(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return what lets every recall find a claim by its theme alone, as the rule of loose links does."""

    def loosen(claim: Claim, theme: str = "") -> None:
        tied = Reason(code="theme", detail=theme)
        reasons = (tied if theme else FAINT, Reason(code="authored by you", score=0.1))

        def linked(one: Evidence) -> Evidence:
            if one.claim.id != claim.id:
                return one
            rules = (*one.rules, "THEMATIC_LINK")
            return one.model_copy(update={"use": Use.TENTATIVE, "rules": rules, "reasons": reasons})

        def loose(*given: Any, **more: Any) -> Recalled:
            found = recall(*given, **more)
            evidence = tuple(linked(one) for one in found.answer.evidence)
            return found._replace(answer=found.answer.model_copy(update={"evidence": evidence}))

        monkeypatch.setattr(assembling, "recall", loose)

    return loosen


@pytest.mark.parametrize(
    ("dreamt", "about", "today"),
    [
        (DREAM, "도움을 요청하는 수치심, 잠겨 있는 정원 문", SHAME),
        (
            "I keep dreaming of a locked garden gate.",
            "Ashamed of asking for help; the locked garden gate",
            "I felt ashamed today when I wanted to ask for help.",
        ),
        (
            "I keep dreaming of a locked garden gate.",
            "수치심과 도움 요청, the locked garden gate",
            SHAME,
        ),
    ],
)
@pytest.mark.parametrize("mode", ["live", "frozen"])
def test_the_garden_gate_stays_out_of_a_prompt_nobody_asked_it_into(
    memory: Memory, who: str, mode: str, dreamt: str, about: str, today: str
) -> None:
    kim = memory.session(person=who)
    dream = stated(kim, dreamt)
    theme = stated(kim, about, category="theme")

    prompt = kim.assemble(today, mode=mode)

    assert dreamt not in prompt.text and theme.id in [line.claim for line in prompt.lines]
    assert ("THEMATIC_LINK", 1) in [(one.rule, one.count) for one in prompt.withheld]
    assert dream.id not in [line.id for line in kim.replay(prompt.receipt).lines]

    asked = kim.assemble(today, connect=True, mode=mode)
    (line,) = (line for line in asked.lines if line.claim == dream.id)
    assert line.use is Use.TENTATIVE and "offer, do not assert" in line.text
    assert dreamt not in kim.assemble(today, mode=mode).text


def test_asked_to_connect_it_is_offered_with_what_it_rests_on(
    kim: Session, loosely: Callable[..., None]
) -> None:
    dream = stated(kim, DREAM, category="theme")
    theme = stated(kim, '문이 "닫힌" 이야기\n--- quotation', category="theme")
    loosely(dream, theme.id)

    prompt = kim.assemble("수치심과 정원 문을 이어 줘", connect=True)

    (line,) = (line for line in prompt.lines if line.claim == dream.id)
    before = prompt.text.split("\n")[line.number - 2]
    assert before == "Loose links the person asked for; offer, do not assert:"
    assert line.use is Use.TENTATIVE and DREAM in line.text
    rests = '- [offer, do not assert; the link rests on: theme "문이 \\"닫힌\\" 이야기\\n--- quotation"] '
    assert line.text.startswith(rests) and theme.id not in prompt.text and prompt.left_out == ()


def test_what_it_rests_on_is_said_without_a_score(
    kim: Session, loosely: Callable[..., None]
) -> None:
    dream = stated(kim, DREAM, category="theme")
    loosely(dream)

    (line,) = kim.assemble("정원 문 꿈", connect=True).lines

    assert line.text == f'- [offer, do not assert; the link rests on: weak meaning] "{DREAM}"'


def test_from_outside_it_is_offered_between_the_marks(
    kim: Session, loosely: Callable[..., None]
) -> None:
    page = kim.document(DREAM, origin="https://dreams.example")
    outside = kim.remember(DREAM, kind="external", sources=[page])
    loosely(outside)

    prompt = kim.assemble("정원 문 꿈", connect=True)

    text = prompt.text
    inside = text[text.index(" begins ---") : text.index(" ends ---")]
    assert "offer, do not assert" in inside and DREAM in inside
    assert kim.mark is Integrity.EXTERNAL


def test_a_loose_link_is_the_first_to_find_no_room(
    kim: Session, loosely: Callable[..., None]
) -> None:
    dream = stated(kim, DREAM, category="theme")
    stated(kim, "정원 문은 초록색이다.")
    loosely(dream)
    whole = kim.assemble("정원 문 꿈", connect=True)

    prompt = kim.assemble("정원 문 꿈", connect=True, budget=whole.count - 1)

    assert [(one.claim, one.rule) for one in prompt.left_out] == [(dream.id, "OVER_BUDGET")]


def test_what_is_tentative_for_another_reason_comes_marked_and_unasked(kim: Session) -> None:
    slot = {"subject": "garden", "attribute": "gate"}
    stated(kim, "The garden gate is green.", **slot, value="green")
    stated(kim, "The garden gate is red.", **slot, value="red")

    prompt = kim.assemble("garden gate")

    assert sorted(line.text for line in prompt.lines) == [
        '- [in conflict] "The garden gate is green."',
        '- [in conflict] "The garden gate is red."',
    ]
    assert prompt.left_out == ()
