"""P13: hygiene refuses a model's write and only asks a person, who keeps it in one step; it guards nothing."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from muniment import Integrity, Kind, Memory, MunimentError, RefusedError
from muniment.policy import HYGIENE, SIGNS
from muniment.testing import findings

Open = Callable[..., Memory]
ASKED = {
    "이번 주만 표를 쓰지 마": ("preference", "ASK_TIME_BOUND"),
    "마이그레이션 작업 중이다": ("fact", "ASK_WORK_IN_PROGRESS"),
    "The browser tool does not work": ("fact", "ASK_BARE_FAILURE"),
    "ffmpeg 변환이 실패": ("failure", "ASK_BARE_FAILURE"),
}
SECRET = "정말 긴 비밀번호 one"


def opened(quick: Open, tmp_path: Path, preset: str) -> Memory:
    """Return a store under a preset."""
    quick("store").close()
    (tmp_path / "store" / "policy.toml").write_text(f'format = 1\npreset = "{preset}"\n', "utf-8")
    return quick("store")


@pytest.mark.parametrize("text", ASKED)
def test_under_solo_nothing_asks_and_her_own_is_kept_with_a_hint(quick: Open, text: str) -> None:
    kim = quick().session(person="kim")
    category, rule = ASKED[text]

    kept = kim.remember(text, kind="stated", category=category, sources=[kim.message(text)])

    assert (kept.standing, kept.decision.rule, kept.category) == ("active", "OWN_WORDS", category)
    assert [hint.rule for hint in kept.hints] == [rule]
    assert list(kim.review()) == []


@pytest.mark.parametrize("preset", ["journal", "regulated"])
@pytest.mark.parametrize("text", ASKED)
def test_elsewhere_she_is_asked_and_keeps_it_in_one_step(
    quick: Open, tmp_path: Path, preset: str, text: str
) -> None:
    memory = opened(quick, tmp_path, preset)
    kim = memory.session(person="kim")
    kim.set_secret(SECRET)  # no security gate: keeping it takes no proof
    category, rule = ASKED[text]

    asked = kim.remember(text, kind="stated", category=category, sources=[kim.message(text)])

    assert (asked.standing, asked.decision.rule) == ("pending", rule)
    assert "“" in asked.decision.reason or "missing" in asked.decision.reason
    (item,) = kim.review()
    kept = memory.session(person="kim").approve(item.claim)
    assert (kept.standing, kept.integrity, kept.kind) == ("active", Integrity.USER, "stated")
    assert findings(memory) == ()


def test_her_own_block_is_asked_about_and_accepted_in_one_step(quick: Open, tmp_path: Path) -> None:
    kim = opened(quick, tmp_path, "journal").session(person="kim")
    kim.set_secret(SECRET)

    asked = kim.rewrite_block("Call me 민지\n오늘은 짧게")

    assert asked.held and asked.decision.rule == "ASK_TIME_BOUND" and kim.block().text == ""
    assert kim.accept_block().block.text == "Call me 민지\n오늘은 짧게"


def test_under_solo_her_block_is_kept_with_a_hint(quick: Open) -> None:
    kim = quick().session(person="kim")

    kept = kim.rewrite_block("Call me 민지\nthis week only: short answers")

    assert not kept.held and kept.block.text.endswith("short answers")
    assert [hint.rule for hint in kept.hints] == ["ASK_TIME_BOUND"]


def test_a_waiting_directive_still_needs_her_secret(quick: Open, tmp_path: Path) -> None:
    memory = opened(quick, tmp_path, "regulated")
    kim = memory.session(person="kim")
    kim.set_secret(SECRET)
    text = "이번 주만 배포하지 마"

    waits = kim.remember(text, kind="stated", category="constraint", sources=[kim.message(text)])

    assert waits.decision.rule == "WAITS_DIRECTIVE"
    with pytest.raises(RefusedError, match="SECRET_NEEDED"):
        memory.session(person="kim").approve(waits)


def test_what_a_model_was_declined_the_person_keeps_herself(quick: Open) -> None:
    memory = quick()
    kim, bot = memory.session(person="kim"), memory.session(person="kim", agent="bot")
    text = "이번 주만 A 프로젝트에 집중"
    said = kim.message(text)
    with pytest.raises(RefusedError, match="TIME_BOUND"):
        bot.remember(text, kind="stated", category="preference", sources=[said])

    assert (
        kim.remember(text, kind="stated", category="preference", sources=[said]).standing
        == "active"
    )


def test_a_member_of_a_channel_keeps_what_she_says_in_her_own_scope(quick: Open) -> None:
    memory = quick()
    kim = memory.session(person="kim", channel="sales")
    park = memory.session(person="park", channel="sales")
    text = "이번 주만 내 사번은 쓰지 마"

    kept = kim.remember(text, kind="stated", category="preference", sources=[kim.message(text)])

    assert kept.scope.person == "kim" and kept.standing == "active"
    assert list(park.claims()) == [] and park.recall("사번").evidence == ()


def test_no_wording_of_an_ingested_line_of_a_person_is_refused(quick: Open) -> None:
    memory = quick()
    lines: list[str] = []
    for number, (text, (category, _)) in enumerate(ASKED.items()):
        who = {"person": "kim", "key": f"m{number}"}
        lines.append(json.dumps({**who, "type": "message", "text": text}))
        claim = {"type": "claim", "kind": "stated", "text": text, "category": category}
        lines.append(json.dumps({"person": "kim", **claim, "sources": [f"m{number}"]}))

    report = memory.ingest(lines)

    assert report.errors == () and report.accepted == 2 * len(ASKED)


def test_with_every_sign_silent_labels_are_the_same(
    quick: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Kind, integrity and authority come from channels; the signs never touch them."""

    def lived(name: str) -> dict[str, tuple[Kind, Integrity, object]]:
        memory = quick(name)
        kim, bot = memory.session(person="kim"), memory.session(person="kim", agent="bot")
        found: dict[str, tuple[Kind, Integrity, object]] = {}
        for text in (*ASKED, "We deploy on Fridays", "다시 하니 성공했다"):
            page, said = bot.document(text, origin="https://a.example"), kim.message(text)
            for session, source in ((bot, page), (bot, said), (kim, page), (kim, said)):
                for kind in Kind:
                    for category in ("preference", "fact"):
                        try:
                            made = session.remember(
                                text, kind=kind, category=category, sources=[source]
                            )
                        except MunimentError:
                            continue
                        place = f"{text} {session is bot} {source is said} {kind} {category}"
                        found[place] = (made.kind, made.integrity, made.authority)
        return found

    shipped = lived("shipped")
    monkeypatch.setattr("muniment.policy.hygiene.SIGNS", ())
    silent = lived("silent")

    assert len(shipped) > 40 and set(shipped) < set(silent)
    tasks = {place for place in shipped if "작업 중" in place}  # in the ledger they inform
    assert {place: silent[place][:2] for place in shipped} == {
        place: shipped[place][:2] for place in shipped
    }
    assert all(silent[place] == shipped[place] for place in set(shipped) - tasks)


def test_every_rule_has_its_signs_in_both_languages() -> None:
    for row in HYGIENE:
        languages = {sign.language for sign in SIGNS if sign.rule == row.rule}
        assert {"en", "ko"} <= languages or "any" in languages, row.rule
