"""`replay` and `backdated` on a screen, in both languages."""

import json
from pathlib import Path

import pytest

from .conftest import Run


def test_a_replay_says_what_differs_today(kim: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    receipt = kim("recall", "배포 환경, where do we deploy?", "--json").json["receipt"]
    claims = {one["quote"]: one for one in kim("claims", "--json").lines}
    same = kim("replay", receipt)
    assert same.code == 0 and "the same today" in same.out and "differs" not in same.out
    assert "it is in force today" in same.out and "ask it anew" in same.out

    korean, english = (
        claims["배포 환경은 스테이징이다."],
        claims["We deploy to staging on Fridays."],
    )
    source = kim("message", "배포 환경은 프로덕션이다.", "--json").json["id"]
    kim("correct", f"{korean['id']}@1", "배포 환경은 프로덕션이다.", "--source", source)
    replayed = kim("replay", receipt)
    assert "“배포 환경은 스테이징이다.”" in replayed.out
    assert "differs today: it was corrected: it was never true" in replayed.out
    assert "CORRECTED" in replayed.out

    kim("erase", english["id"], "--yes")
    monkeypatch.setenv("LANG", "ko_KR.UTF-8")
    told = kim("replay", receipt)
    assert "그 말은 없앴음" in told.out and "지금은 다름" in told.out
    assert "staging" not in told.out and "where do we deploy" not in told.out
    lines = kim("replay", receipt, "--json").json["lines"]
    assert {line["id"]: line["use"] for line in lines}[english["id"]] == "applicable"


def test_others_receipts_are_not_found(kim: Run, run: Run, store: Path) -> None:
    receipt = kim("recall", "where do we deploy?", "--json").json["receipt"]
    line = '{"type":"message","person":"lee","text":"hi"}\n'
    run("ingest", "-", "--store", str(store), stdin=line)

    strange = run("replay", receipt, "--store", str(store), "--person", "lee")
    nothing = run("replay", "A" * 22, "--store", str(store), "--person", "lee")

    assert strange.code == nothing.code == 3
    assert strange.err.replace(receipt, "") == nothing.err.replace("A" * 22, "")


def test_what_was_recorded_late_is_listed(kim: Run, run: Run, store: Path) -> None:
    assert "nothing was recorded later" in kim("backdated").out
    line = {"type": "message", "text": "작년에 정했다", "at": "2020-01-01T09:00:00+09:00"}
    named = {**line, "person": "kim", "project": "apollo"}
    run("ingest", "-", "--store", str(store), stdin=json.dumps(named))

    listed = kim("backdated", "--by", "365d")
    assert "“작년에 정했다”" in listed.out and "it was not known" in listed.out
    (one,) = kim("backdated", "--json").lines
    assert (one["says"], one["claimed"]) == ("said_at", "2020-01-01T00:00:00+00:00")
    for wrong in ("7", "0d", "1w", "d"):
        ran = kim("backdated", "--by", wrong)
        assert ran.code == 2 and "write it as 7d, 12h or 30m" in ran.err
