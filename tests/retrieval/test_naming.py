"""Whom a query names: whole names with the particles that Korean writes onto them, and no other word."""

from collections.abc import Callable, Sequence

import pytest

from muniment.retrieval import CallableEmbedder, Entry, Index

KIM, MINJUN, YI, ME = 1, 2, 3, 4
SPEAKERS = {"Kim": KIM, "민준": MINJUN, "이": YI, "I": ME, "나": ME, "내": ME, "제": ME, "저는": ME}


@pytest.mark.parametrize(
    ("query", "bare", "speaker"),
    [
        ("Kim's tea", "tea", KIM),
        ("Kim이 마시는 차", "마시는 차", KIM),
        ("kimchi recipe", "kimchi recipe", 0),
        ("민준이가 뭐라고 했지", "뭐라고 했지", MINJUN),
        ("민준씨한테서 들은 말", "들은 말", MINJUN),
        ("이가 좋아하는 차", "좋아하는 차", YI),
        ("이번 주 회의", "이번 주 회의", 0),
        ("이메일 주소", "이메일 주소", 0),
        ("나는 어디 살지", "어디 살지", ME),
        ("나무를 심은 날", "나무를 심은 날", 0),
        ("나이가 몇이지", "나이가 몇이지", 0),
        ("내 생일", "생일", ME),
        ("내과 예약", "내과 예약", 0),
        ("제도가 바뀐 날", "제도가 바뀐 날", 0),
        ("저는 뭘 좋아하죠", "뭘 좋아하죠", ME),
        ("저 문서", "저 문서", 0),
        ("What did I tell Kim?", "What did tell ?", 0),
        ("Kim", "Kim", KIM),
    ],
)
def test_who_is_named(opened: Callable[..., Index], query: str, bare: str, speaker: int) -> None:
    embedded: list[str] = []

    def alike(texts: Sequence[str]) -> list[list[float]]:
        embedded.extend(texts)
        return [[1.0]] * len(texts)

    index = opened(embedder=CallableEmbedder("alike/1", 1, alike))
    index.add(
        [Entry(who, 0, "turn", 1, "said", 1, who) for who in (KIM, MINJUN, YI, ME)], applied=1
    )

    found = index.turns(query, scopes=frozenset({1}), limit=4, speakers=SPEAKERS).candidates

    assert " ".join(embedded[-1].split()) == bare
    assert [one.node for one in found if one.parts.get("speaker")] == [speaker] * bool(speaker)
