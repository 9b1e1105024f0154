"""Replays of group G: what is said in Korean is found in Korean, and comes out in letters a person reads."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from muniment import CallableEmbedder, Memory, Session

from .conftest import Elsewhere, recalled, stated

FRIDAY = "금요일에 배포한다"


def _apart(texts: Sequence[str]) -> npt.NDArray[np.float32]:
    """Return vectors by which no two texts are close: only their words can find them."""
    found = np.full((len(texts), 512), -0.001, np.float32)
    for row, text in enumerate(texts):
        found[row, int.from_bytes(hashlib.sha256(text.encode()).digest()[:2]) % 512] = 1
    return found


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """Return a store in which nothing but words finds anything."""
    by_words = CallableEmbedder("apart", 512, _apart, floor=0.999)
    with Memory.open(tmp_path / "store", embedder=by_words) as opened:
        yield opened


@pytest.fixture
def told(kim: Session) -> Session:
    """Return kim, who said a few things."""
    for text in (FRIDAY, "산책은 즐겁다", "배포환경설정은 스테이징이다", "Tea is green."):
        stated(kim, text)
    return kim


def test_m_g1_a_day_is_found_with_its_particle(told: Session) -> None:
    assert recalled(told, "금요일") == [FRIDAY]


def test_m_g2_a_question_of_hangul_alone_gives_normal_results(told: Session) -> None:
    answer = told.recall("배포는 무슨 요일에 하나요")

    assert answer.looked and answer.searched == 4
    assert [item.claim.words for item in answer.evidence][0] == FRIDAY
    assert {reason.code for reason in answer.evidence[0].reasons} >= {"keyword"}
    assert recalled(told, "없는말뿐인물음") == []


def test_m_g4_an_export_is_readable_hangul_and_comes_back_the_same(
    told: Session, memory: Memory, elsewhere: Elsewhere, tmp_path: Path
) -> None:
    lines = list(told.export())
    assert any(FRIDAY in line for line in lines) and "\\u" not in "".join(lines)
    claims = [one for line in lines if "quote" in (one := json.loads(line))]
    assert [one["quote"] for one in claims] == [one.quote for one in told.claims()]

    again = [
        json.dumps({"type": "message", "person": "park", "key": one["id"], "text": one["quote"]})
        for one in claims
    ]
    assert memory.ingest(again).accepted == len(claims)
    park = memory.session(person="park")
    (hit,) = park.search_conversations("금요일").hits
    assert park.source(hit.source).text == FRIDAY
    memory.close()
    code, exported = elsewhere("export", "--person", "kim")
    assert code == 0 and FRIDAY in [one.get("quote") for one in exported]


def test_m_g5_two_syllables_are_found_inside_a_longer_compound(told: Session) -> None:
    assert recalled(told, "환경") == ["배포환경설정은 스테이징이다"]
