"""P-04: what is recalled into a context for fifty turns and taken in again makes no new origin and no new claim."""

import json
from collections.abc import Iterator

from muniment import Memory

SAID = (
    "저는 고기를 안 먹어요",
    "Release notes go out before noon, and support reads them first",
    "staging 배포는 금요일 오후 세 시에 한다",
)
TURNS = 50


def transcript(turn: int, recalled: list[str], receipt: str) -> Iterator[dict[str, object]]:
    """Yield the lines of one conversation in which an agent repeats what it recalled."""
    where = {"person": "kim", "session": f"s{turn}"}
    yield {"type": "message", **where, "key": f"u{turn}", "text": f"질문 {turn}"}
    parts: list[dict[str, object]] = [
        {"label": "recalled", "text": "\n".join(recalled), "receipt": receipt},
        {"label": "own", "text": "\nAs you said: " + " / ".join(recalled)},
    ]
    yield {"type": "message", **where, "agent": "bot", "key": f"a{turn}", "parts": parts}
    page = f"Minutes {turn}\n" + "\n".join(recalled)
    origin = f"https://minutes.example/{turn}"
    yield {
        "type": "document",
        **where,
        "agent": "bot",
        "key": f"d{turn}",
        "text": page,
        "origin": origin,
    }
    for place, words in enumerate(recalled):
        for source in ("a", "d"):
            key = f"c{turn}-{place}-{source}"
            yield {
                "type": "claim", **where, "agent": "bot", "key": key, "kind": "external",
                "text": words, "sources": [f"{source}{turn}"],
            }  # fmt: skip


def test_p_04_fifty_turns_add_no_origin_and_no_claim(memory: Memory) -> None:
    kim = memory.session(person="kim")
    page = kim.document(f"알림: {SAID[2]}.", origin="https://wiki.example")
    stated = [
        kim.remember(words, kind="stated", sources=[kim.message(words)]) for words in SAID[:2]
    ]
    stated.append(kim.remember(SAID[2], kind="external", sources=[page]))
    before = [kim.evidence_of(claim) for claim in stated]
    counts: list[int] = []
    for turn in range(TURNS):
        answer = memory.session(person="kim", agent="bot", session=f"s{turn}").recall("?", limit=20)
        recalled = list(dict.fromkeys(item.claim.words for item in answer.evidence))
        assert set(recalled) == set(SAID)
        lines = [json.dumps(line) for line in transcript(turn, recalled, answer.receipt)]
        assert memory.ingest(lines).errors == ()
        counts.append(sum(1 for _ in kim.claims()))

    after = [kim.evidence_of(claim) for claim in stated]
    known = {name for found in before for name in found.single_points}
    assert [(one.independent, one.origins) for one in after] == [
        (one.independent, one.origins) for one in before
    ]
    for claim in kim.claims():
        found = kim.evidence_of(claim)
        assert (found.independent, found.exact, found.origins) == (1, True, 1)
        assert set(found.single_points) <= known
    assert (
        counts == [counts[0]] * TURNS
    )  # bounded: each text once as the person's, once as from outside
    assert counts[0] <= 2 * len(SAID)
    assert all(item.origins_count == 1 for item in kim.recall("?", limit=20).evidence)
