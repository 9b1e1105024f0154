"""P01: the review screen shows everything that decides, one thing at a time, and keeps as a quotation unless told."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from muniment import ConflictError, Memory, RefusedError, ReviewItem, Session
from muniment.testing import findings

Open = Callable[..., Memory]
Screen = Callable[..., tuple[int, str]]
TEXT = "그 문은 경계의\u200b 상징이다, a border"


def rule_of(do: Callable[[], object]) -> str:
    """Return the rule that refuses a thing."""
    with pytest.raises(RefusedError) as raised:
        do()
    return raised.value.decision.rule


@pytest.fixture
def journal(quick: Open) -> Memory:
    """Return a store in which what interprets a person waits for her."""
    first = quick("journal")
    first.close()
    policy = first.path / "policy.toml"
    policy.write_text('preset = "journal"\n' + policy.read_text("utf-8"), encoding="utf-8")
    return quick("journal")


def asked(memory: Memory, text: str = TEXT, **more: object) -> tuple[Session, Session, ReviewItem]:
    """Return a person, her agent, and what the agent asks her to approve."""
    kim, bot = memory.session(person="kim"), memory.session(person="kim", agent="도우미")
    said = kim.message("오늘은 정원 문 앞에 서 있었다.")
    bot.remember(text, category="theme", sources=[said], **more)  # type: ignore[arg-type]
    *_, item = kim.review()
    return kim, bot, item


def test_it_shows_everything_that_decides(journal: Memory, screen: Screen) -> None:
    kim, _, before = asked(journal, "그 문은 집이다", subject="문", attribute="뜻", value="집")
    stands = kim.approve(before.claim)
    ends = datetime.now(UTC) + timedelta(days=20)
    slot = {"subject": "문", "attribute": "뜻", "value": "경계"}
    _, _, item = asked(journal, **slot, expires_at=ends)

    assert (item.shown, item.by, item.reach) == (
        TEXT.replace("\u200b", "‹U+200B›"),
        "도우미",
        "INFORM",
    )
    assert [(one.claim, one.shown, one.how) for one in item.replaces] == [
        (stands.id, "그 문은 집이다", "same slot")
    ]
    assert item.line.path[0].citation.medium == "message"
    journal.close()
    code, shown = screen(journal.path, "review")
    wanted = (
        "‹U+200B› 상징이다, a border”", "waiting for you · pending", "guessed · inferred", "theme",
        "asked by 도우미: an interpretation of the person waits", "WAITS_INTERPRETATION",
        "may inform · INFORM", "for: person kim", f"holds until: {ends.astimezone():%Y-%m-%d}",
        "message, kim, taken in", "│ 오늘은 정원 문 앞에 서 있었다.", "person:kim",
        "says something else of the same · same slot",
        "stands now would stand then", "“그 문은 집이다” “그 문은 경계의‹U+200B›", "문 · 뜻 = 경계",
    )  # fmt: skip
    assert code == 0 and [one for one in wanted if one not in shown] == [], shown


@pytest.mark.parametrize(
    ("typed", "standing", "told"),
    [
        ("x\n\n", "pending", "It stays a quotation; nobody asks you about it again."),
        ("a\n", "active", "Approved."),
        ("edit\n그저_문이었다.\n", "rejected", "Your own words count in its place."),
        ("reject\n", "rejected", "Turned down"),
        ("later\n", "pending", "Left as it is"),
        ("s\n", "pending", "1 of 1"),
        ("", "pending", "stopped"),
    ],
)
def test_she_decides_one_at_a_time_and_the_default_keeps_a_quotation(
    typed: str, standing: str, told: str, journal: Memory, screen: Screen, quick: Open
) -> None:
    _, _, item = asked(journal)
    journal.close()

    _, shown = screen(journal.path, "review", typed=typed)

    assert told in shown
    memory = quick("journal")
    kim = memory.session(person="kim")
    claim = kim.claim(item.claim.id)
    assert claim.standing == standing
    assert (claim.quoted_at is not None) == ("quotation" in told)
    own = [one.words for one in kim.claims() if one.kind == "stated"]
    assert own == (["그저_문이었다."] if typed.startswith("edit") else [])
    waits = standing == "pending" and "quotation" not in told
    assert [one.claim.id for one in kim.review()] == ([item.claim.id] if waits else [])
    assert memory.rebuild() and findings(memory) == ()


def test_a_quotation_is_kept_out_of_use_and_asked_about_no_more(journal: Memory) -> None:
    kim, bot, item = asked(journal)
    assert rule_of(lambda: bot.keep_as_quotation(item.claim)) == "ONLY_SHE_APPROVES"

    kept = kim.keep_as_quotation(item.claim)

    assert (kept.standing, kept.authority.name) == ("pending", "NONE")
    assert kim.recall("문의 상징").evidence == ()
    bot.remember(TEXT, category="theme", sources=[kim.message("또 그 문.")])
    assert [*kim.review()] == [] and kim.state().waiting == 0
    assert kim.history(kept)[-1].verb != "approve"
    assert kim.approve(kim.claim(kept.id)).standing == "active"  # she herself may think again
    assert kim.claim(kept.id).quoted_at is None
    assert rule_of(lambda: kim.keep_as_quotation(kim.claim(kept.id))) == "NOT_WAITING"


def test_an_approval_holds_for_exactly_what_was_shown(journal: Memory) -> None:
    about = {"subject": "문", "attribute": "뜻", "value": "경계"}
    kim, bot, item = asked(journal, **about)
    said = kim.message("문은 문이다.")
    slot = {"subject": "문", "attribute": "뜻", "value": "문"}
    kim.remember("문은 문이다.", kind="stated", sources=[said], **slot)  # type: ignore[arg-type]

    assert rule_of(lambda: kim.approve(item.claim, digest=item.digest)) == "PAYLOAD_CHANGED"
    (again,) = kim.review()
    seen_again = kim.message("또 그 문.")
    bot.remember(TEXT, category="theme", sources=[seen_again], **about)  # type: ignore[arg-type]
    with pytest.raises(ConflictError):
        kim.approve(again.claim, digest=again.digest)
    assert rule_of(lambda: kim.approve(again.claim.id, version=2, digest=again.digest)) == (
        "PAYLOAD_CHANGED"
    )
    (now,) = kim.review()
    assert kim.approve(now.claim, digest=now.digest).standing == "active"
