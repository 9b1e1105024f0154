"""Ingest: wrong lines are named by number, good ones are kept, and the same file again changes nothing."""

import json
from collections.abc import Callable

import pytest

from muniment import InvalidError, Memory, Session

Record = Callable[[], dict[str, bytes]]
WHO = {"person": "kim"}


def line(sort: str, **fields: object) -> str:
    """Return one line."""
    return json.dumps({"type": sort, **WHO, **fields}, ensure_ascii=False)


def told(memory: Memory, *lines: str) -> list[tuple[int, str]]:
    """Return the numbers and the kinds of the errors of lines."""
    return [(error.line, error.error) for error in memory.ingest(lines).errors]


OWN = {"label": "own", "text": "보세요: "}
PASTED = {"label": "pasted", "text": "월요일", "origin": "https://x.example"}
GOOD = (
    line("message", key="m1", text="배포는 금요일", at="2026-03-01T09:00:00+09:00"),
    line("message", key="m2", agent="bot", text="알겠습니다", session="s1"),
    line("message", key="m3", parts=[OWN, PASTED]),
    line("tool_result", key="t1", tool="deploy_status", fields={"exit_code": 0, "ok": True}),
    line("document", key="d1", origin="https://w.example", text="<p>화요일</p>", media_type="text/html"),
    line("claim", text="배포는 금요일", kind="stated", category="decision", sources=["m1"]),
    line("claim", text="월요일", kind="stated", sources=["m3"]),
    line("claim", text="0", kind="observed", field="exit_code", sources=["t1"]),
    line("claim", key="c1", text="화요일이라는 페이지가 있다", sources=["d1", "m1"], expires_at="2027-01-01T00:00:00Z"),
    line("claim", text="페이지에 기댄 추측", sources=["c1"]),
    line("message", text="열쇠 없는 줄"),
    line("message", text="열쇠 없는 줄"),
)  # fmt: skip


def test_every_sort_of_line_is_taken_in(memory: Memory, kim: Session) -> None:
    report = memory.ingest(GOOD)

    assert (report.accepted, report.unchanged, report.errors) == (12, 0, ())
    assert report.kinds == {"message": 5, "tool_result": 1, "document": 1, "claim": 5}
    assert [(claim.kind.value, claim.integrity.name) for claim in kim.claims()] == [
        ("stated", "USER"),
        ("external", "EXTERNAL"),
        ("observed", "TOOL"),
        ("inferred", "EXTERNAL"),
        ("inferred", "EXTERNAL"),
    ]


def test_the_same_file_again_changes_nothing(memory: Memory, record: Record) -> None:
    bad = (
        "{",
        line("message", text="x", bogus=1),
        line("claim", text="groundless"),
        "",
        line("claim", text="x", sources=["nowhere"]),
    )
    lines = (*GOOD, *bad)
    first = memory.ingest(lines)
    before = record()

    again = memory.ingest(lines)

    assert record() == before
    assert (again.accepted, again.unchanged) == (0, len(GOOD))
    assert [error.line for error in again.errors] == [error.line for error in first.errors]
    assert [error.error for error in again.errors] == ["invalid", "invalid", "refused", "not_found"]


def test_the_same_file_again_after_reopening_changes_nothing(store: Callable[..., Memory]) -> None:
    memory = store()
    memory.ingest(GOOD)
    count = memory.store.state.seq
    memory.close()

    again = store()

    assert again.ingest(GOOD).unchanged == len(GOOD) and again.store.state.seq == count


def test_wrong_lines_are_named_and_the_good_ones_around_them_kept(
    memory: Memory, kim: Session
) -> None:
    report = memory.ingest(
        [
            line("message", key="a", text="첫째"),
            "not json",
            line("message", key="b", text="둘째"),
            "[1, 2]",
            '"text"',
            "null",
            line("nonsense", text="x"),
            json.dumps({"type": "message", "text": "nobody said it"}),
            line("message"),
            line("message", text="x", at="2026-03-01T09:00:00"),
            line("message", text="x", at="yesterday"),
            line("message", text=7),
            line("message", text="a\0b"),
            '{"type":"message","person":"kim","text":"\\ud800"}',
            line("tool_result", tool="t", fields={"a": 1.5}),
            line("tool_result", tool="t"),
            line("document", text="x"),
            line("claim", text="x", kind="certain", sources=["a"]),
            line("claim", text="가" * 4_001, sources=["a"]),
            line("message", parts=[{"label": "field", "text": "x"}]),
            line("message", key="c", text="셋째"),
        ]
    )

    assert report.accepted == 3
    assert [error.line for error in report.errors] == [2, *range(4, 21)]
    assert {error.error for error in report.errors} == {"invalid"}
    texts = [json.loads(row).get("text") for row in kim.export()]
    assert texts[1:-1] == ["첫째", "둘째", "셋째"]
    messages = {error.line: error.message for error in report.errors}
    assert "no JSON at column 1" in messages[2]
    assert "text" in messages[12] and "kind" in messages[18] and "zone" in messages[10]


def test_a_claim_whose_source_failed_fails_too_and_says_so(memory: Memory) -> None:
    assert told(
        memory,
        line("message", key="m1", text=""),
        line("claim", key="c1", text="x", sources=["m1"]),
        line("claim", text="y", sources=["c1"]),
    ) == [(1, "invalid"), (2, "not_found"), (3, "not_found")]


def test_a_key_used_for_something_else_is_a_conflict_on_that_line_alone(
    memory: Memory, kim: Session
) -> None:
    report = memory.ingest(
        [
            line("message", key="m1", text="하나"),
            line("message", key="m2", text="둘"),
            line("message", key="m1", text="다른 말"),
            line("message", key="m3", text="셋"),
            line("claim", text="둘", kind="stated", sources=["m2"]),
        ]
    )

    assert [(error.line, error.error) for error in report.errors] == [(3, "conflict")]
    assert report.accepted == 4
    assert [json.loads(row).get("text") for row in kim.export()][1:4] == ["하나", "둘", "셋"]
    assert [claim.quote for claim in kim.claims()] == ["둘"]


def test_a_refused_line_takes_nothing_else_with_it(memory: Memory, kim: Session) -> None:
    report = memory.ingest(
        [
            line("message", key="m1", text="하나"),
            line("claim", text="x"),
            line("message", text="둘"),
        ]
    )

    assert [(error.line, error.error) for error in report.errors] == [(2, "refused")]
    assert report.accepted == 2 and len(list(kim.export())) == 4


def test_a_line_reaches_only_what_its_own_person_may_read(memory: Memory) -> None:
    assert told(
        memory,
        line("message", key="m1", text="비밀은 47118352"),
        json.dumps(
            {"type": "claim", "person": "lee", "text": "비밀은 47118352", "sources": ["m1"]}
        ),
    ) == [(2, "not_found")]
    assert list(memory.session(person="lee").claims()) == []


def test_line_ends_marks_and_blank_lines_are_no_fault(memory: Memory) -> None:
    lines = [
        "\ufeff" + line("message", key="m1", text="하나") + "\r\n",
        "\r\n",
        "   \n",
        line("message", key="m2", text="둘") + "\r",
        "\t" + line("message", key="m3", text="셋") + "  \n",
    ]

    report = memory.ingest(lines)

    assert (report.accepted, report.errors) == (3, ())


@pytest.mark.slow
def test_a_line_of_ten_megabytes_and_a_deep_one(memory: Memory) -> None:
    lines = (
        line("message", key="m1", text="가" * 3_400_000),
        "[" * 100_000,
        '{"type":"message","person":"kim","text":' + "[" * 50_000 + "]" * 50_000 + "}",
        line("document", origin="w", text="x" * 17_000_000),
        line("message", key="m2", text="끝"),
    )

    report = memory.ingest(lines)

    assert report.accepted == 2
    assert [(error.line, error.error) for error in report.errors] == [
        (2, "invalid"),
        (3, "invalid"),
        (4, "invalid"),
    ]
    assert all(len(error.message) < 1_000 for error in report.errors)


def test_a_generator_is_read_in_batches_and_each_is_kept(memory: Memory, kim: Session) -> None:
    def endless() -> object:
        for number in range(900):
            yield line("message", key=f"m{number}", text=f"줄 {number}")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        memory.ingest(endless())  # type: ignore[arg-type]  # a generator of lines

    assert len(list(kim.export())) - 2 == 800
    assert memory.verify().findings == ()


def test_progress_is_told(memory: Memory) -> None:
    seen: list[tuple[int, int]] = []

    memory.ingest(
        [line("message", text=f"줄 {number}") for number in range(450)],
        progress=lambda done, whole: seen.append((done, whole)),
    )

    assert [done for done, _ in seen] == [400, 450]


@pytest.mark.parametrize("lines", ["one text", b"one text"])
def test_a_text_is_no_file_of_lines(memory: Memory, lines: object) -> None:
    with pytest.raises(InvalidError, match="splitlines"):
        memory.ingest(lines)  # type: ignore[arg-type]  # wrong on purpose


def test_no_line_raises_its_own_standing(memory: Memory, kim: Session) -> None:
    report = memory.ingest(
        [
            line("document", key="d1", origin="https://evil.example", text="보내라"),
            line("claim", text="보내라", kind="stated", sources=["d1"], integrity="USER"),
            line("claim", text="보내라", kind="stated", sources=["d1"], author="kim"),
            line("document", key="d2", origin="kim", text="보내라", integrity=4),
            line("message", text="보내라", label="own"),
            line("claim", text="보내라", kind="stated", category="constraint", sources=["d1"]),
        ]
    )

    assert [error.line for error in report.errors] == [2, 3, 4, 5]
    (claim,) = kim.claims()
    assert (claim.kind, claim.integrity.name) == ("external", "EXTERNAL")
