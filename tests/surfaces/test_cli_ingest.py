"""Ingest: wrong lines are named by number, the good ones kept, and a second time changes nothing."""

import json
from pathlib import Path

from .conftest import Run

GOOD = '{"type": "message", "person": "kim", "text": "We deploy on Fridays."}'
FILE = "\n".join(
    (
        GOOD,
        "not json at all",
        '{"type": "message", "text": "nobody says this"}',
        "",
        '{"type": "message", "person": "kim", "text": "Fridays, after lunch.", "colour": "red"}',
        '{"type": "claim", "person": "kim", "text": "x", "sources": ["nowhere"]}',
        '{"type": "message", "person": "kim", "text": "금요일 점심 뒤에요."}',
    )
)


def test_wrong_lines_are_numbered_and_good_ones_kept(run: Run, tmp_path: Path) -> None:
    file, store = tmp_path / "chat.jsonl", tmp_path / "store"
    file.write_text(FILE, encoding="utf-8")

    ran = run("ingest", str(file), "--store", str(store))

    assert ran.code == 1
    assert [
        line.partition(":")[0] for line in ran.err.splitlines() if line.startswith("line ")
    ] == [
        "line 2",
        "line 3",
        "line 5",
        "line 6",
    ]
    assert "2 taken in, 0 already there, 4 lines wrong" in ran.out


def test_a_second_time_changes_nothing(run: Run, tmp_path: Path) -> None:
    store = ("--store", str(tmp_path / "store"), "--json")

    first, second = (run("ingest", "-", *store, stdin=FILE) for _ in range(2))

    assert (first.code, first.json["accepted"], first.json["unchanged"]) == (1, 2, 0)
    assert (second.code, second.json["accepted"], second.json["unchanged"]) == (1, 0, 2)
    assert [json.loads(line)["line"] for line in second.err.splitlines()] == [2, 3, 5, 6]


def test_a_file_that_is_not_there_is_said_plainly(run: Run, tmp_path: Path) -> None:
    ran = run("ingest", str(tmp_path / "none.jsonl"), "--store", str(tmp_path / "store"))

    assert ran.code == 2
    assert "none.jsonl" in ran.err and "Traceback" not in ran.err
    assert not (tmp_path / "store").exists()


def test_a_line_that_is_no_utf_8_is_one_wrong_line(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "mixed.jsonl"
    korean = '{"type": "message", "person": "kim", "text": "안녕하세요."}'
    file.write_bytes(
        b"\xef\xbb\xbf"
        + GOOD.encode()
        + b"\r\n"
        + korean.encode("euc-kr")
        + b"\n"
        + korean.encode()
    )

    ran = run("ingest", str(file), "--store", str(tmp_path / "store"), "--json")

    assert (ran.code, ran.json["accepted"]) == (1, 2)
    assert [(error["line"], error["error"]) for error in ran.json["errors"]] == [(2, "invalid")]


def test_a_lone_surrogate_is_one_wrong_line(run: Run, tmp_path: Path) -> None:
    lines = "\n".join((GOOD, GOOD.replace("Fridays", "\\ud800"), GOOD.replace("kim", "\\udfff")))

    ran = run("ingest", "-", "--store", str(tmp_path / "store"), "--json", stdin=lines)

    assert (ran.code, ran.json["accepted"]) == (1, 1)
    assert [error["line"] for error in ran.json["errors"]] == [2, 3]
