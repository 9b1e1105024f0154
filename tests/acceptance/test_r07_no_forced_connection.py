"""R07: what only a theme, a faint likeness or its date ties to a question is no match, and says what it rests on."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from muniment import Answer, CallableEmbedder, Evidence, Memory, Session

GATE, SHAME = (
    "I keep dreaming of a locked garden gate.",
    "I felt ashamed today when I wanted to ask for help.",
)
정원문, 수치심 = (
    "잠겨 있는 정원 문에 대한 꿈을 계속 꿔요.",
    "오늘 도움을 요청하고 싶었을 때 수치심을 느꼈어요.",
)
PAIRS = [
    (GATE, SHAME),
    (정원문, 수치심),
    (GATE, 수치심),
    (정원문, SHAME),
    ("locked garden gate 꿈을 계속 꿔요.", "오늘 help를 ask하고 싶었는데 수치심이 들었어요."),
]
THEMES = [
    ("Ashamed of asking for help; the locked garden gate", GATE, SHAME),
    ("도움을 요청하는 수치심, 잠겨 있는 정원 문", 정원문, 수치심),
    ("수치심과 도움 요청, the locked garden gate", GATE, 수치심),
]
Open = Callable[..., Memory]


def kept(kim: Session, text: str, **more: Any) -> str:
    return kim.remember(text, kind="stated", sources=[kim.message(text)], **more).id


def given(answer: Answer, claim: str) -> Evidence | None:
    return next((item for item in answer.evidence if item.claim.id == claim), None)


def withheld(answer: Answer) -> dict[str, int]:
    return {item.rule: item.count for item in answer.withheld}


@pytest.mark.parametrize(("note", "today"), PAIRS)
def test_the_garden_gate_is_not_brought_up_by_itself(
    memory: Memory, who: str, note: str, today: str
) -> None:
    kim = memory.session(person=f"{who} {note}{today}")
    gate = kept(kim, note)

    for purpose in ("answer", "personalise", "act", "instruct"):
        assert given(kim.recall(today, purpose=purpose), gate) is None


@pytest.mark.parametrize(("note", "today"), PAIRS)
def test_asked_to_connect_it_is_tentative_and_says_what_it_rests_on(
    quick: Open,
    encoder: Any,
    moment: list[datetime],
    pass_time: Callable[[timedelta], None],
    note: str,
    today: str,
) -> None:
    memory = quick(clock=lambda: moment[0], embedder=encoder)
    kim = memory.session(person="kim")
    gate = kept(kim, note)
    pass_time(timedelta(days=14))

    item = given(kim.recall(today, connect=True), gate)

    assert item is not None
    assert item.use == "tentative" and "THEMATIC_LINK" in item.rules
    assert ("only recent", "kept 14 days ago, and nothing else ties it") in [
        (one.code, one.detail) for one in item.reasons
    ]
    pass_time(timedelta(days=30))
    assert given(kim.recall(today, connect=True), gate) is None


@pytest.mark.parametrize(("theme", "note", "today"), THEMES)
def test_what_a_theme_speaks_of_besides_is_held_back_and_counted(
    memory: Memory, who: str, theme: str, note: str, today: str
) -> None:
    kim = memory.session(person=f"{who} {theme}")
    gate, both = kept(kim, note), kept(kim, theme, category="theme")

    answer = kim.recall(today)
    assert given(answer, gate) is None and withheld(answer)["THEMATIC_LINK"] >= 1

    item = given(kim.recall(today, connect=True), gate)
    assert item is not None and item.use == "tentative" and "THEMATIC_LINK" in item.rules
    assert ("theme", both) in [(one.code, one.detail) for one in item.reasons]


@pytest.mark.parametrize("purpose", ["act", "instruct"])
def test_to_act_on_no_link_is_ever_given(memory: Memory, who: str, purpose: str) -> None:
    kim = memory.session(person=f"{who} {purpose}")
    theme, note, today = THEMES[1]
    kept(kim, note)
    kept(kim, theme, category="theme")

    answer = kim.recall(today, purpose=purpose, connect=True)

    assert not [item for item in answer.evidence if "THEMATIC_LINK" in item.rules]


def angle(cosine: float) -> CallableEmbedder:
    """Return an embedder for which a question lies at this cosine from everything else."""

    def vectors(texts: Any) -> list[list[float]]:
        asks = (1.0, 0.0)
        other = (cosine, (1 - cosine**2) ** 0.5)
        return [list(asks if text.endswith("?") else other) for text in texts]

    return CallableEmbedder(f"angle/{cosine}", 2, vectors, floor=0.25, firm=0.35)


@pytest.mark.parametrize(
    ("cosine", "asked", "normal"),
    [
        (0.36, "zebra crossing?", True),
        (0.31, "zebra crossing?", False),
        (0.31, "얼룩말은 어디?", True),
        (0.31, "is the harbour crane there?", True),
    ],
    ids=["firm", "faint", "faint in another language", "faint with words in common"],
)
def test_a_faint_likeness_is_a_link_and_a_firm_one_a_match(
    quick: Open, cosine: float, asked: str, normal: bool
) -> None:
    kim = quick(embedder=angle(cosine)).session(person="kim")
    crane = kept(kim, "the harbour crane lifts ten tons", category="decision")

    answer = kim.recall(asked)
    item = given(kim.recall(asked, connect=True), crane)

    assert item is not None
    if normal:
        assert given(answer, crane) is not None and item.use == "applicable"
    else:
        assert answer.evidence == () and withheld(answer) == {"THEMATIC_LINK": 1}
        assert item.use == "tentative"
        assert item.reasons[0].code == "weak meaning"
        assert item.reasons[0].detail == "resembles in meaning only (0.31)"


def test_the_limit_fills_with_matches_and_links_come_last(quick: Open) -> None:
    kim = quick(embedder=angle(0.31)).session(person="kim")
    for number in range(6):
        kept(kim, f"the harbour crane lifts {number} tons", category="decision")
    for number in range(6):
        kept(kim, f"a lantern burns in hall {number}", category="decision")

    plain = kim.recall("what does the harbour crane lift?", limit=6)
    assert all("crane" in item.claim.words for item in plain.evidence) and len(plain.evidence) == 6

    asked = kim.recall("what does the harbour crane lift?", limit=6, connect=True)
    links = ["THEMATIC_LINK" in item.rules for item in asked.evidence]
    assert links == [False] * 3 + [True] * 3


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("We deploy to staging on Fridays", "where do we deploy?"),
        ("배포 환경은 staging이다", "어디에 배포해?"),
        ("저 고기 안 먹어요", "고기 먹어도 돼?"),
        (GATE, "what do I keep dreaming of?"),
        (정원문, "무슨 꿈을 꿨지?"),
    ],
)
def test_an_ordinary_question_finds_what_answers_it(
    memory: Memory, who: str, said: str, asked: str
) -> None:
    kim = memory.session(person=f"{who} {said}")
    claim = kept(kim, said)

    item = given(kim.recall(asked), claim)
    assert item is not None and item.use == "applicable" and "THEMATIC_LINK" not in item.rules


@pytest.mark.parametrize(("note", "today"), PAIRS)
def test_without_an_embedder_no_connection_is_made_up_and_none_is_lost(
    quick: Open, note: str, today: str
) -> None:
    def broken(texts: Any) -> Any:
        raise RuntimeError("out of order")

    memory = quick(embedder=CallableEmbedder("broken", 2, broken, floor=0.25, firm=0.35))
    kim = memory.session(person="kim")
    gate = kept(kim, note)

    answer = kim.recall(today)
    assert given(answer, gate) is None and any("keyword only" in one for one in answer.notes)
    assert given(kim.recall(note), gate) is not None


def test_a_replay_calls_a_link_no_difference(memory: Memory, who: str) -> None:
    kim = memory.session(person=who)
    theme, note, today = THEMES[1]
    gate = kept(kim, note)
    kept(kim, theme, category="theme")
    answer = kim.recall(today, connect=True)

    (line,) = [one for one in kim.replay(answer).lines if one.id == gate]

    assert line.use == "tentative" and line.today == ()
