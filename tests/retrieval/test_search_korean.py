"""Korean, English and mixed questions find what they ask for among many, by keyword alone."""

import unicodedata
from collections.abc import Callable
from typing import Literal

import pytest

from muniment.retrieval import Entry, Index

Open = Callable[..., Index]
FILLER = (
    "회의는 오후 세 시에 시작한다",
    "김 대리는 커피를 마시지 않는다",
    "the release notes are in the wiki",
    "서버 점검은 새벽에 한다",
    "lunch is at noon in the garden",
)
SOUGHT = (
    ("배포 환경을 알려줘", "배포 환경은 스테이징이다"),
    ("금요일", "금요일에 배포한다"),
    ("환경", "개발환경설정을 문서로 남긴다"),
    ("배포환경", "배포 환경은 스테이징이다"),
    ("집", "오늘 집 청소를 했다"),
    ("v2.0 언제?", "v2.0 출시는 3월에 한다"),
    ("3월 출시", "v2.0 출시는 3월에 한다"),
    ("deployed where", "We deploy to staging on Fridays"),
    ("Apollo에서 쓰는 DB", "Apollo는 postgres를 쓴다"),
    ("mail kim@example.com", "send it to kim@example.com only"),
    ("東京のオフィス", "東京オフィスは月曜に開く"),
)


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize(("query", "text"), SOUGHT)
def test_the_sought_claim_is_first_of_51(
    opened: Open, query: str, text: str, form: Literal["NFC", "NFD"]
) -> None:
    index = opened(bare=True)
    fill = [f"{FILLER[at % len(FILLER)]} {at}" for at in range(50)]
    index.add(
        [
            Entry(node, 0, "claim", 1, unicodedata.normalize("NFC", line))
            for node, line in enumerate([text, *fill], 1)
        ],
        applied=1,
    )
    written: Literal["NFC", "NFD"] = "NFD" if form == "NFC" else "NFC"

    found = index.claims(unicodedata.normalize(written, query), scopes=frozenset({1}), limit=3)

    assert found.candidates[0].node == 1
    assert found.searched == 51
