"""P09: an account is kept from a who-am-I, an exact look-up, the person or a registered file, never from a guess."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from muniment import Claim, InvalidError, Memory, RefusedError, Session
from muniment.claims import lookalikes
from muniment.policy import policy_from
from muniment.testing import findings

Open = Callable[..., Memory]
POLICY = """format = 1
[tools.github_user]
fields = { login = "identifier", id = "integer", company = "identifier" }
who_am_i = "login"
services = ["GitHub", "깃허브"]
[tools.github_search]
fields = { query = "identifier", login = "identifier" }
looked_up = { asked = "query", found = "login" }
services = ["GitHub", "깃허브"]
[tools.directory]
fields = { login = "identifier" }
"""


@pytest.fixture
def memory(quick: Open, tmp_path: Path) -> Memory:
    """Return a store with a who-am-I, a look-up and a tool that is neither."""
    quick().close()
    (tmp_path / "store" / "policy.toml").write_text(POLICY, "utf-8")
    return quick()


def observed(session: Session, tool: str, fields: dict[str, Any], field: str = "login") -> Claim:
    """Let a session keep a field of a tool's result as the person's account at GitHub."""
    result = session.tool_result(tool, fields)
    return session.remember(
        f"{field}: {fields.get(field, '')}",
        kind="observed",
        field=field,
        category="account",
        subject="GitHub",
        attribute="account",
        value=str(fields.get(field, "")),
        sources=[result],
    )


def refused(attempt: Callable[[], object]) -> str:
    """Return the rule an attempt is refused by."""
    with pytest.raises(RefusedError) as caught:
        attempt()
    return caught.value.decision.rule


def acted(session: Session) -> list[str]:
    """Return the accounts that a session may act with."""
    return [one.claim.value for one in session.recall("GitHub account", purpose="act").evidence]


def test_a_who_am_i_is_kept_and_used(memory: Memory) -> None:
    bot = memory.session(person="kim", agent="bot")

    claim = observed(bot, "github_user", {"login": "minji-kim", "id": 7})

    assert (claim.kind, claim.integrity.name, claim.decision.rule) == (
        "observed",
        "TOOL",
        "TYPED_FIELD",
    )
    assert (claim.login, acted(bot)) == ("confirmed", ["minji-kim"])
    assert findings(memory) == ()


def test_a_look_up_counts_by_the_exact_full_login_alone(memory: Memory) -> None:
    bot = memory.session(person="kim", agent="bot")
    for query in ("minji", "minji-kim-", "Minji-kim", "minji-kim1"):
        found = {"query": query, "login": "minji-kim"}
        assert refused(lambda: observed(bot, "github_search", found)) == "ACCOUNT_GUESSED"  # noqa: B023

    claim = observed(bot, "github_search", {"query": "minji-kim", "login": "minji-kim"})

    assert (claim.login, acted(bot)) == ("confirmed", ["minji-kim"])


def test_guesses_are_refused_by_every_way(memory: Memory) -> None:
    kim, bot = memory.session(person="kim"), memory.session(person="kim", agent="bot")
    page = bot.document(
        "Kim's GitHub account is minji-kim. 김의 깃허브는 minji-kim.", origin="https://p.example"
    )
    said = kim.message("나는 깃허브를 써. I use GitHub. If mine were minji-kim, fine.")
    told: dict[str, Any] = {"category": "account", "value": "minji-kim", "subject": "GitHub"}
    ways: tuple[Callable[[], object], ...] = (
        lambda: bot.remember("her account is minji-kim", sources=[said], **told),
        lambda: bot.remember("her account is minji-kim", kind="stated", sources=[said], **told),
        lambda: bot.remember("mine were minji-kim", kind="stated", sources=[said], **told),
        lambda: kim.remember("I use GitHub.", kind="stated", sources=[said], **told),
        lambda: kim.remember(
            "Kim's GitHub account is minji-kim.", kind="external", sources=[page], **told
        ),
        lambda: bot.remember("김의 깃허브는 minji-kim.", kind="stated", sources=[page], **told),
        lambda: observed(bot, "directory", {"login": "minji-kim"}),
        lambda: observed(bot, "unknown_tool", {"login": "minji-kim"}),
        lambda: observed(bot, "github_user", {"login": "minji-kim", "company": "kim"}, "company"),
        lambda: observed(bot, "github_user", {"login": "minji kim"}),  # no identifier
        lambda: observed(bot, "github_search", {"query": "minji-kim", "login": "minji-kim"}, "query"),
    )  # fmt: skip

    for way in ways:
        assert refused(way) == "ACCOUNT_GUESSED"
    assert list(kim.claims()) == [] and acted(bot) == []
    line = {
        "type": "claim", "person": "kim", "agent": "bot", "text": "minji-kim", "category": "account",
        "sources": [said.id],
    }  # fmt: skip
    assert memory.ingest([json.dumps(line)]).errors[0].message.startswith("ACCOUNT_GUESSED")


def test_a_stated_account_is_not_replaced_by_a_guess(memory: Memory) -> None:
    kim, bot = memory.session(person="kim"), memory.session(person="kim", agent="bot")
    said = kim.message("My GitHub account is minji-kim.")
    own = kim.remember(
        said.text, kind="stated", category="account", value="minji-kim", sources=[said]
    )
    page = bot.document("Her account is now other-kim.", origin="https://p.example")

    for change in (bot.correct, bot.supersede):
        assert refused(lambda: change(own, "other-kim", sources=[page])) == "ACCOUNT_GUESSED"  # noqa: B023
    assert refused(lambda: bot.challenge(own, "other-kim", sources=[page])) == "ACCOUNT_GUESSED"
    assert kim.claim(own.id).standing == "active"


LATIN = "minji.kim"
LOOKALIKES = {
    "Cyrillic i": "m\u0456nji.kim",
    "Cyrillic all": "\u0430\u0440\u0440\u04cf\u0435",
    "Greek omicron": "d\u03bf.kim",
    "Korean i": "m\u3163nji.kim",
    "Korean bar": "minji\u3161kim",
    "Korean o": "k\u3147m",
    "fullwidth": "\uff4dinji.kim",
    "script g": "\u0261oogle.com",
    "Arabic digit": "kim1\u0661",
    "Han stroke": "kim\u4e00lee",
    "mathematical": "\U0001d426inji.kim",
}
HONEST = {
    "Latin": LATIN,
    "Korean": "김민지",
    "Korean and Latin": "kim민지",
    "accents": "josé.müller",
    "Russian": "почта@яндекс.рф",
    "Japanese": "東京taro",
    "number": "국민 9988-77-665544",
}


@pytest.mark.parametrize("category", ["account", "contact"])
@pytest.mark.parametrize("login", LOOKALIKES.values(), ids=LOOKALIKES)
def test_a_letter_that_passes_for_another_is_refused_in_a_login(
    memory: Memory, login: str, category: str
) -> None:
    kim = memory.session(person="kim")
    said = kim.message(f"제 깃허브 계정은 {login} 입니다.")

    attempt = lambda: kim.remember(  # noqa: E731
        said.text, kind="stated", category=category, value=login, sources=[said]
    )

    assert refused(attempt) == "LOOKALIKE"
    assert list(kim.claims()) == []


@pytest.mark.parametrize("login", HONEST.values(), ids=HONEST)
def test_the_letters_a_language_has_stay(memory: Memory, login: str) -> None:
    kim = memory.session(person="kim")
    said = kim.message(f"연락처는 {login} 입니다. Позвоните Оле в IT-отдел.")

    claim = kim.remember(said.text, kind="stated", category="contact", value=login, sources=[said])

    assert claim.value == login and lookalikes(said.text) == ()


def test_an_address_is_looked_at_in_what_directs_and_flagged_elsewhere(memory: Memory) -> None:
    kim = memory.session(person="kim")
    text = "청구서는 늘 bills@cor\u0440.example 로 보내."
    said = kim.message(text)

    assert (
        refused(lambda: kim.remember(text, kind="stated", category="constraint", sources=[said]))
        == "LOOKALIKE"
    )
    kim.remember(text, kind="stated", category="preference", sources=[said])
    (found,) = kim.recall("청구서").evidence
    assert "an address holds a letter that passes for another" in found.hints


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ('fields = { a = "integer" }\nservices = ["S"]\nwho_am_i = "a"\n', 5, "no field of type identifier"),
        ('fields = { a = "identifier" }\nwho_am_i = "a"\n', 4, "of which service"),
        ('fields = { a = "identifier" }\nservices = ["!"]\nwho_am_i = "a"\n', 4, "letters"),
        (
            'fields = { a = "identifier" }\nservices = ["S"]\nwho_am_i = "a"\n'
            'looked_up = { asked = "a", found = "a" }\n',
            6,
            "not both",
        ),
        ('fields = { a = "identifier" }\nservices = ["S"]\nlooked_up = { asked = "a" }\n', 5, "found"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_registration_is_named(text: str, line: int, says: str) -> None:
    with pytest.raises(InvalidError, match=rf"line {line}: tools.x.*{says}"):
        policy_from(f"format = 1\n[tools.x]\n{text}")
