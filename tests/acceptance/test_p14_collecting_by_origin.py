"""P14: each origin has a collection policy: whether it enters, in which categories, how long, how little is kept."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest

from muniment import InvalidError, Memory, RefusedError
from muniment.claims import Decision
from muniment.testing import findings

Open = Callable[..., Memory]
COLLECTING = """format = 1
[tools.search]
fields = { hits = "integer" }
[origins."domain:shut.example"]
enter = false
[origins."tool:crawler"]
enter = false
[origins."domain:wiki.example"]
categories = ["fact", "definition"]
keep_days = 30
[origins."domain:quote.example"]
minimum = "quote"
[origins."domain:뜻.example"]
minimum = "gist"
"""


@pytest.fixture
def collecting(quick: Open, tmp_path: Path, moment: list[datetime]) -> Memory:
    """Return a store whose policy says what may be collected from where."""
    quick(clock=lambda: moment[0]).close()
    (tmp_path / "store" / "policy.toml").write_text(COLLECTING, "utf-8")
    return quick(clock=lambda: moment[0])


def rule_of(attempt: Callable[[], object]) -> Decision:
    """Return the decision that an attempt is refused by."""
    with pytest.raises(RefusedError) as caught:
        attempt()
    return caught.value.decision


def test_a_shut_origin_enters_by_no_way(collecting: Memory) -> None:
    kim, bot = collecting.session(person="kim"), collecting.session(person="kim", agent="bot")
    shut = "https://a.SHUT.example./page"
    ways: tuple[Callable[[], object], ...] = (
        lambda: kim.document("words", origin=shut),
        lambda: bot.document("words", origin="mailto:a@shut.example"),
        lambda: kim.document("words", origin="Kim <a@shut.example>"),
        lambda: kim.message(parts=[("own", "look: "), ("pasted", "words", shut)]),
        lambda: bot.tool_result("crawler", {"n": 1}),
        lambda: bot.tool_result("crawler", {}, "text"),
    )

    for way in ways:
        assert rule_of(way).rule == "ORIGIN_SHUT"
        last = collecting.store.header(collecting.store.state.seq)
        assert last.op == "refusal"
    report = collecting.ingest(
        [json.dumps({"type": "document", "person": "kim", "text": "x", "origin": shut})]
    )
    assert [one.error for one in report.errors] == ["refused"]
    assert not collecting.store.state.sources
    assert kim.document("words", origin="https://notshut.example").text == "words"
    assert findings(collecting) == ()


def test_a_category_and_a_time_hold_along_every_chain(
    collecting: Memory, pass_time: Callable[[timedelta], None], moment: list[datetime]
) -> None:
    bot = collecting.session(person="kim", agent="bot")
    page = bot.document("The port is 8080. 포트는 8080.", origin="https://wiki.example/ops")
    fact = bot.remember("The port is 8080.", kind="external", sources=[page])
    until = datetime(2026, 4, 1, 9, 0, tzinfo=UTC)
    assert fact.expires_at == until
    pass_time(timedelta(days=10))
    drawn = bot.remember("so 8080 is taken", sources=[fact])
    assert drawn.expires_at == until
    assert bot.remember("8080 it is", sources=[drawn]).expires_at == until

    for ground in (page, fact, drawn):
        decision = rule_of(partial(bot.remember, "tabs", category="preference", sources=[ground]))
        assert decision.rule == "ORIGIN_CATEGORY" and "fact, definition" in decision.reason
    answer = bot.recall("port 8080")
    handed = bot.message(parts=[("recalled", "The port is 8080. 포트는 8080.", answer.receipt)])
    copied = bot.document("The port is 8080. 포트는 8080.", origin="https://copy.example")
    for ground in (handed, copied):
        decision = rule_of(partial(bot.remember, "tabs", category="preference", sources=[ground]))
        assert decision.rule == "ORIGIN_CATEGORY"
    again = bot.remember("The port is 8080.", kind="external", sources=[page])
    assert (again.id, again.seen_count) == (fact.id, 2)

    pass_time(timedelta(days=20))
    assert not bot.recall("port 8080").evidence
    assert rule_of(lambda: bot.remember("8080", sources=[page])).rule == "ORIGIN_OVER"
    assert moment[0] >= until


def test_the_least_that_does_is_kept(collecting: Memory) -> None:
    bot = collecting.session(person="kim", agent="bot")
    quoted = bot.document("Tea is at four.", origin="https://quote.example")
    kept = bot.remember("Tea is at four.", kind="external", sources=[quoted])
    assert (kept.quote, kept.gist) == ("Tea is at four.", "")
    for attempt in (
        lambda: bot.remember("Tea is at four.", kind="external", gist="tea", sources=[quoted]),
        lambda: bot.remember("there is tea", sources=[quoted]),
    ):
        assert rule_of(attempt).rule == "ORIGIN_MINIMUM"
    meant = bot.document("차는 네 시에.", origin="https://뜻.example/1")
    told = bot.remember("tea at four", sources=[meant])
    assert (told.quote, told.gist) == ("", "tea at four")
    decision = rule_of(lambda: bot.remember("차는 네 시에.", kind="external", sources=[meant]))
    assert decision.rule == "ORIGIN_MINIMUM"


def test_another_collection_policy_is_tried_before_it_holds(
    collecting: Memory, tmp_path: Path
) -> None:
    bot = collecting.session(person="kim", agent="bot")
    page = bot.document("The port is 8080.", origin="https://wiki.example/ops")
    bot.remember("The port is 8080.", kind="external", sources=[page])
    file = tmp_path / "new.toml"
    file.write_text(COLLECTING.replace('["fact", "definition"]', '["definition"]'), "utf-8")

    trial = collecting.try_policy(file)

    assert [(one.name, one.after) for one in trial.changes] == [
        ("origins.domain:wiki.example.categories", "definition")
    ]
    assert [(one.rule, one.rule_then) for one in trial.claims] == [
        ("TAKEN_AS_IS", "ORIGIN_CATEGORY")
    ]


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ('[origins."wiki"]\nenter = true\n', 2, "name an origin as"),
        ('[origins."domain:a b"]\n', 2, "name an origin as"),
        ('[origins."domain:a.example"]\n\nkeep = 3\n', 4, "keep"),
        ('[origins."domain:a.example"]\nkeep_days = -1\n', 3, "greater than or equal"),
        ('[origins."domain:a.example"]\ncategories = ["facts"]\n', 3, "categories"),
        ('[origins."domain:a.example"]\ncategories = []\n', 3, "at least 1"),
        ('[origins."domain:a.example"]\nminimum = "some"\n', 3, "minimum"),
    ],
)
def test_what_is_wrong_with_it_is_named_with_its_line(
    quick: Open, tmp_path: Path, text: str, line: int, says: str
) -> None:
    quick().close()
    (tmp_path / "store" / "policy.toml").write_text(f"format = 1\n{text}", "utf-8")

    with pytest.raises(InvalidError, match=rf"line {line}: origins.*{says}"):
        quick()
