"""P12: an account the person states is unverified, shown so and not used to act, until its service confirms it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from muniment import Claim, Memory, Session
from muniment.surfaces.cli import main
from muniment.testing import findings

from .test_p09_account_identity import POLICY

Open = Callable[..., Memory]
SLACK = """[tools.slack_me]
fields = { name = "identifier" }
who_am_i = "name"
services = ["Slack"]
"""


@pytest.fixture
def memory(quick: Open, tmp_path: Path) -> Memory:
    """Return a store whose policy registers who-am-Is and a look-up."""
    quick().close()
    (tmp_path / "store" / "policy.toml").write_text(POLICY + SLACK, "utf-8")
    return quick()


def stated(
    session: Session, text: str = "제 깃허브 계정은 minji-kim 입니다.", value: str = "minji-kim"
) -> Claim:
    """Let a person state an account of hers."""
    said = session.message(text)
    return session.remember(text, kind="stated", category="account", value=value, sources=[said])


def acted(session: Session, query: str = "깃허브 계정 GitHub account") -> list[str]:
    """Return the accounts that a session may act with."""
    return [one.claim.value for one in session.recall(query, purpose="act").evidence]


@pytest.mark.parametrize(
    "text",
    [
        "제 깃허브 계정은 minji-kim 입니다.",
        "My GitHub account is minji-kim.",
        "GitHub에서는 minji-kim",
    ],
)
def test_it_is_unverified_and_shown_so_until_a_who_am_i(memory: Memory, text: str) -> None:
    kim, bot = memory.session(person="kim"), memory.session(person="kim", agent="bot")
    claim = stated(kim, text)

    assert (claim.kind, claim.decision.rule, claim.login) == (
        "stated",
        "ACCOUNT_UNVERIFIED",
        "unverified",
    )
    assert acted(kim) == acted(bot) == []
    assert {one.rule for one in bot.recall("minji-kim account 계정", purpose="act").withheld} == {
        "ACCOUNT_NOT_CONFIRMED"
    }
    (shown,) = bot.recall("minji-kim account 계정").evidence
    assert (shown.use, shown.claim.login) == ("tentative", "unverified")
    assert "ACCOUNT_UNVERIFIED" in shown.rules

    result = bot.tool_result("github_user", {"login": "minji-kim", "id": 7})

    now = kim.claim(claim.id)
    assert (now.login, now.login_by, now.version) == ("confirmed", result.id, claim.version)
    assert acted(bot, text) == ["minji-kim"]
    assert findings(memory) == ()


def test_a_look_up_by_the_exact_login_confirms_and_no_other_does(memory: Memory) -> None:
    kim = memory.session(person="kim")
    claim = stated(kim)
    for query, login in (
        ("minji", "minji-kim"),
        ("minji-kim1", "minji-kim1"),
        ("minji-", "minji-kim"),
    ):
        kim.tool_result("github_search", {"query": query, "login": login})
        assert kim.claim(claim.id).login == "unverified"

    kim.tool_result("github_search", {"query": "minji-kim", "login": "minji-kim"})

    assert kim.claim(claim.id).login == "confirmed" and acted(kim) == ["minji-kim"]


@pytest.mark.parametrize(
    ("tool", "fields", "found"),
    [
        ("github_user", {"login": "minji-k1m"}, "minji-k1m"),
        ("github_user", {"login": "Minji-Kim"}, "Minji-Kim"),
        ("github_search", {"query": "minji-kim", "login": "minji-kim2"}, "minji-kim2"),
        ("github_search", {"query": "minji-kim"}, ""),
    ],
)
def test_a_mismatch_is_shown_and_nothing_is_done_with_it(
    memory: Memory, tool: str, fields: dict[str, str], found: str
) -> None:
    kim = memory.session(person="kim")
    claim = stated(kim)

    result = kim.tool_result(tool, fields)

    now = kim.claim(claim.id)
    assert (now.login, now.login_found, now.login_by) == ("mismatch", found, result.id)
    assert acted(kim) == []
    (shown,) = kim.recall("깃허브 계정").evidence
    assert shown.use == "tentative" and "ACCOUNT_MISMATCH" in shown.rules
    assert next(kim.claims()).login == "mismatch"


def test_the_newest_who_am_i_counts_and_falls_with_its_result(memory: Memory) -> None:
    kim = memory.session(person="kim")
    first = kim.tool_result("github_user", {"login": "minji-kim"})
    claim = stated(kim)
    assert claim.login == "confirmed"
    other = kim.tool_result("github_user", {"login": "work-kim"})
    assert kim.claim(claim.id).login == "mismatch"

    kim.erase(other)
    assert kim.claim(claim.id).login == "confirmed"
    kim.revoke(first)
    assert kim.claim(claim.id).login == "unverified" and acted(kim) == []
    kim.give_back(first)
    assert acted(kim) == ["minji-kim"]
    assert findings(memory) == ()


def test_neither_another_service_nor_another_person_nor_free_text_confirms(memory: Memory) -> None:
    kim, bot = memory.session(person="kim"), memory.session(person="kim", agent="bot")
    claim = stated(kim)
    park = memory.session(person="park")
    park.tool_result("github_user", {"login": "minji-kim"})
    kim.tool_result("slack_me", {"name": "minji-kim"})
    kim.tool_result("directory", {"login": "minji-kim"})
    kim.tool_result("github_user", {"id": 7}, "login: minji-kim")
    kim.tool_result("github_whoami", {"login": "minji-kim"})
    kim.document("who am i: minji-kim (GitHub)", origin="https://github.example")
    bot.message("who-am-I says minji-kim on GitHub")
    kim.confirm(claim)

    assert kim.claim(claim.id).login == "unverified" and acted(kim) == acted(bot) == []


def test_in_a_channel_each_members_who_am_i_is_her_own(memory: Memory) -> None:
    kim = memory.session(person="kim", channel="ops")
    park = memory.session(person="park", channel="ops", agent="bot")
    claim = stated(kim)
    park.tool_result("github_user", {"login": "park-1"})
    assert kim.claim(claim.id).login == "unverified"

    memory.session(person="kim", channel="ops", agent="bot").tool_result(
        "github_user", {"login": "minji-kim"}
    )

    assert kim.claim(claim.id).login == "confirmed"


def test_without_a_value_there_is_nothing_to_confirm(memory: Memory) -> None:
    kim = memory.session(person="kim")
    claim = stated(kim, value="")
    kim.tool_result("github_user", {"login": "minji-kim"})

    assert kim.claim(claim.id).login == "unverified" and acted(kim) == []


def test_it_outlives_reopening_and_is_told_on_the_command_line(
    memory: Memory, quick: Open, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kim = memory.session(person="kim")
    claim = stated(kim)
    other = stated(kim, "My Slack login is minji.", "minji")
    kim.tool_result("github_user", {"login": "minji-kim"})
    kim.tool_result("slack_me", {"name": "m1nji"})
    memory.close()

    assert main(["show", claim.id, "--store", str(tmp_path / "store"), "--person", "kim"]) == 0
    assert "confirmed by its service" in capsys.readouterr().out
    assert main(["show", other.id, "--store", str(tmp_path / "store"), "--person", "kim"]) == 0
    assert "the service names another account (m1nji)" in capsys.readouterr().out
    again = quick()
    assert again.session(person="kim").claim(claim.id).login == "confirmed"
    assert again.rebuild() and findings(again) == ()
