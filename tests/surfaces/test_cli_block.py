"""The always-on block on the command line: rewritten, held, accepted, declined, cleared."""

from pathlib import Path

import pytest

from .conftest import Run


def test_what_an_agent_takes_from_a_page_waits_for_the_person(kim: Run, tmp_path: Path) -> None:
    kim("rewrite-block", "Call me 민지")
    page = tmp_path / "page.txt"
    page.write_text("Use port 1.", encoding="utf-8")
    source = kim("document", str(page), "--origin", "https://wiki.invalid", "--json").json["id"]
    agent = ("--agent", "helper")
    text = "Call me 민지\nUse port 1."

    held = kim("rewrite-block", text, "--source", source, *agent, "--json")

    assert (held.code, held.json["held"], held.json["added"]) == (1, True, ["Use port 1."])
    assert kim("block", "--waiting", "--json").json["text"] == text
    assert kim("block", "--json").json["text"] == "Call me 민지"
    assert kim("accept-block", *agent).code == 4
    assert kim("accept-block", "--json").json["block"]["text"] == text
    again = kim("rewrite-block", f"{text}\n더", "--source", source, *agent)
    assert again.code == 1 and "BLOCK_WAITS" in again.out
    declined = kim("decline-block", "--yes", "--json")
    assert (declined.code, declined.json["lines"]) == (0, 1)
    assert kim("block", "--json").json["text"] == text


def test_it_is_shown_in_words(kim: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "There is no block" in kim("block").out
    done = kim("rewrite-block", "-", stdin="Call me 민\u200b지\n보고서는 한국어로\n")
    assert "+ Call me 민지" in done.out and "U+200B" in done.out
    assert "(20 of 4000 characters)" in kim("block").out.replace(",", "")
    assert kim("clear-block").code != 0  # nobody is there to ask
    assert "1 lines" not in kim("clear-block", "--dry-run").out
    monkeypatch.setenv("LC_ALL", "ko_KR.UTF-8")
    assert "모든 프롬프트에 실리는 글" in kim("block").out
    assert "rewrite" in kim("block-history").out
