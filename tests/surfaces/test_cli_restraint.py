"""Pausing, muting, asking to forget and states of accounts on the command line, in English and Korean."""

from pathlib import Path

import pytest

from muniment import Memory

from .conftest import Run


@pytest.fixture
def korean(monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    """Let the screen speak Korean; `run` has cleared the environment before."""
    monkeypatch.setenv("LANG", "ko_KR.UTF-8")


def test_a_pause_is_told_and_recall_says_why(kim: Run, run: Run, store: Path) -> None:
    paused = kim("pause")
    assert (paused.code, "memory is paused; nothing is lost" in paused.out) == (0, True)
    assert "project apollo" in paused.out  # as far as the options narrow it down

    asked, refused = kim("recall", "where do we deploy?"), kim("message", "one more")
    assert (asked.code, "PAUSED" in asked.out, "staging" in asked.out) == (1, True, False)
    assert (refused.code, "PAUSED" in refused.err) == (4, True)
    assert "We deploy to staging" in kim("claims").out
    assert "staging" in kim("export").out
    elsewhere = run("access", "--store", str(store), "--person", "kim", "--json")
    assert elsewhere.json["prompt"]["may"] is True

    assert "memory is resumed" in kim("resume").out
    assert "nothing changed" in kim("resume").out
    assert "staging" in kim("recall", "where do we deploy?").out


def test_what_is_muted_is_marked_beside_how_it_stands(kim: Run, korean: None) -> None:
    muted = kim("mute", "--theme", "스테이징")
    assert (muted.code, "덮음 “스테이징”" in muted.out) == (0, True)
    assert "덮음" in kim("mutes").out
    assert kim("claims").out.count("덮어 둠") == 1  # the other claim is in English
    kim("mute", "--theme", "staging")
    assert kim("claims").out.count("덮어 둠") == 2
    assert "지금 것 · active | 덮어 둠: 주제로 · theme" in " ".join(kim("claims").out.split())
    assert "본인이 꺼내지 말라고 한 이야기다 · MUTED" in " ".join(kim("recall", "배포").out.split())
    assert "다시 꺼냄" in kim("unmute", "--theme", "staging").out
    assert kim("unmute", "--theme", "staging").code == 3
    assert kim("mute").code == 2


def test_a_request_waits_for_one_step(kim: Run) -> None:
    claim = kim("claims", "--json").lines[0]["id"]

    asked = kim("request-forget", claim, "--reason", "she said so", "--agent", "bot")

    assert (asked.code, "bot asks to forget" in asked.out) == (0, True)
    assert "she said so" not in asked.out  # for the person alone
    listed = kim("requests").out
    assert "bot asks to forget “We deploy to staging on Fridays.”" in " ".join(listed.split())
    assert "because: she said so" in listed and "decline-forget" in listed
    assert kim("erase", claim, "--yes", "--agent", "bot").code == 4
    assert "not forgotten" in kim("decline-forget", claim).out
    assert "nobody asks to forget anything" in kim("requests").out
    assert kim("request-forget", claim, "--agent", "bot").code == 4
    kim("request-forget", claim)
    assert kim("erase", claim, "--yes").code == 0
    assert kim("requests", "--json").lines == []


def test_an_account_tells_what_happens_in_both_languages(
    kim: Run, run: Run, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lapsed = run("account", "kim", "lapsed", "--store", str(store))
    assert lapsed.code == 0
    for line in ("the account was active and is now lapsed", "Nothing new", "kept until"):
        assert line in lapsed.out
    shown = " ".join(kim("access").out.split())
    assert "the state of the account does not allow it" in shown or "ACCOUNT_STATE" in shown
    monkeypatch.setenv("LANG", "ko_KR.UTF-8")
    told = run("account", "kim", "free", "--store", str(store)).out
    assert "‘구독 끝남’에서 ‘무료’(으)로" in told and "하는 말을 기억합니다." in told
    assert run("account", "kim", "gone", "--store", str(store)).code == 2


def test_the_host_pauses_for_everybody_and_only_an_operator_may(
    kim: Run, run: Run, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert kim("pause", "--everyone").code == 0
    lee = ("--store", str(store), "--person", "lee", "--project", "apollo")
    assert run("recall", "x", *lee).code == 1
    kim("resume")
    assert run("recall", "x", *lee).code == 1
    assert kim("resume", "--everyone").code == 0
    assert run("recall", "x", *lee).code == 0
    at = ("--store", str(store))
    assert run("pause", "--everyone", *at).code == 2  # everybody where?
    with Memory.open(store) as memory:
        assert memory.session(person="lee").can_use_prompt_memory
    monkeypatch.setattr("muniment.surfaces.cli.identity.os_user", lambda: "stranger")
    for words in (("pause", "--everyone"), ("account", "kim", "free"), ("policy", "versions")):
        assert run(*words, *at).code == 4, words
    assert run("policy", "rules", *at).code == 0
