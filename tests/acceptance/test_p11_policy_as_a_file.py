"""P11: rules change without code: a policy file, validated, versioned, compared, and tried over what is kept."""

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from muniment import InvalidError, Memory
from muniment.policy import RULES
from muniment.surfaces.cli import main

ROOT = Path(__file__).parents[2]
TOOLS = """format = 1
[tools.deploy_status]
fields = { environment = "identifier", exit_code = "integer" }
"""
WITHOUT_EXIT = """format = 1
[tools.deploy_status]
fields = { environment = "identifier" }
[tools.weather]
fields = { wind_knots = "integer" }
[accounts.free]
prompt = true
"""


@pytest.fixture
def store(quick: Callable[..., Memory], tmp_path: Path) -> Memory:
    """Return a store with two tools' results and what was observed, guessed and said of them."""
    quick().close()
    (tmp_path / "store" / "policy.toml").write_text(TOOLS, "utf-8")
    memory = quick()
    bot = memory.session(person="kim", agent="bot")
    fields: dict[str, str | int] = {"environment": "production", "exit_code": 0}
    deployed = bot.tool_result("deploy_status", fields)
    wind = bot.tool_result("weather", {"wind_knots": 31}, "강풍 주의보")
    bot.remember("it went to", kind="observed", field="environment", sources=[deployed])
    code = bot.remember("종료 코드", kind="observed", field="exit_code", sources=[deployed])
    bot.remember("so the deployment went well", sources=[code], parents_complete=True)
    bot.remember("31 knots", kind="observed", field="wind_knots", sources=[wind])
    kim = memory.session(person="kim")
    said = kim.message("배포는 금요일. We deploy on Fridays.")
    kim.remember("We deploy on Fridays.", kind="stated", sources=[said])
    memory.set_account("kim", "free")
    return memory


def test_a_trial_says_which_claims_would_be_ruled_otherwise_and_how(
    store: Memory, tmp_path: Path
) -> None:
    file = tmp_path / "new.toml"
    file.write_text(WITHOUT_EXIT, "utf-8")
    list(store.session(person="kim").export())  # that it was given out is written down, once
    before = (store.store.state.seq, [*store.session(person="kim").export()])

    trial = store.try_policy(file)

    assert {
        one.words: (one.kind, one.integrity.name, one.rule, one.kind_then, one.integrity_then.name, one.rule_then)
        for one in trial.claims
    } == {
        "exit_code: 0":
            ("observed", "TOOL", "TYPED_FIELD", "external", "EXTERNAL", "FREE_TEXT"),
        "so the deployment went well":
            ("inferred", "AGENT", "DERIVED", "inferred", "EXTERNAL", "EXTERNAL_LINEAGE"),
        "wind_knots: 31":
            ("external", "EXTERNAL", "UNREGISTERED_TOOL", "observed", "TOOL", "TYPED_FIELD"),
    }  # fmt: skip
    (kim,) = trial.accounts
    assert (kim.person, kim.account, kim.claims) == ("kim", "free", 5)
    assert [(one.name, one.before, one.after) for one in kim.changes] == [
        ("accounts.free.prompt", "false", "true")
    ]
    assert trial.looked_at == 5
    assert before == (store.store.state.seq, [*store.session(person="kim").export()])


def test_a_trial_says_what_would_wait_for_the_person(store: Memory, tmp_path: Path) -> None:
    kim = store.session(person="kim")
    said = kim.message("금요일에는 배포하지 않는다. I like tea.")
    never = kim.remember(
        "금요일에는 배포하지 않는다.", kind="stated", category="constraint", sources=[said]
    )
    kim.remember("I like tea.", kind="stated", category="preference", sources=[said])
    file = tmp_path / "strict.toml"
    file.write_text(TOOLS.replace("format = 1", 'format = 1\npreset = "regulated"'), "utf-8")

    trial = store.try_policy(file)

    changes = {one.name: (one.before, one.after) for one in trial.changes}
    assert changes.pop("preset") == ("solo", "regulated")
    assert changes.pop("retention.receipt") == ("", "365 days")
    assert all(name.startswith("retention.") for name in changes)
    assert [
        (one.claim, one.kind, one.kind_then, one.rule, one.rule_then) for one in trial.claims
    ] == [(never.id, "stated", "stated", "OWN_WORDS", "WAITS_DIRECTIVE")]


def test_a_trial_agrees_with_what_the_policy_then_does(
    store: Memory, tmp_path: Path, quick: Callable[..., Memory]
) -> None:
    file = tmp_path / "new.toml"
    file.write_text(WITHOUT_EXIT, "utf-8")
    foretold = {one.words: one.kind_then for one in store.try_policy(file).claims}
    store.close()
    (tmp_path / "store" / "policy.toml").write_text(WITHOUT_EXIT, "utf-8")
    with quick() as memory:
        bot = memory.session(person="kim", agent="bot")
        fields: dict[str, str | int] = {"environment": "staging", "exit_code": 0}
        deployed = bot.tool_result("deploy_status", fields)
        wind = bot.tool_result("weather", {"wind_knots": 31})
        code = bot.remember("코드", kind="observed", field="exit_code", sources=[deployed])
        knots = bot.remember("31", kind="observed", field="wind_knots", sources=[wind])

        assert foretold == {
            "exit_code: 0": code.kind,
            "wind_knots: 31": knots.kind,
            "so the deployment went well": "inferred",
        }
        assert memory.session(person="kim").can_use_prompt_memory  # free, and now it may


def test_the_policy_in_force_rules_nothing_otherwise(store: Memory, tmp_path: Path) -> None:
    same = tmp_path / "store" / "policy.toml"

    trial = store.try_policy(same)

    assert (trial.claims, trial.accounts, trial.changes) == ((), (), ())
    assert store.compare_policy(same) == ()


def test_a_file_is_compared_line_by_line(store: Memory, tmp_path: Path) -> None:
    file = tmp_path / "new.toml"
    file.write_text(WITHOUT_EXIT, "utf-8")

    assert [(one.name, one.before, one.after) for one in store.compare_policy(file)] == [
        ("accounts.free.prompt", "false", "true"),
        ("tools.deploy_status.exit_code", "integer", ""),
        ("tools.weather", "", "registered"),
        ("tools.weather.wind_knots", "", "integer"),
    ]


def test_everything_wrong_with_a_file_is_named_with_its_line(store: Memory, tmp_path: Path) -> None:
    file = tmp_path / "wrong.toml"
    file.write_text(
        "format = 1\n[accounts.fre]\nprompt = true\n\n[accounts.free]\nkeep_days = -3\n"
        "[tools.'날씨']\nfields = { '풍속' = 'number' }\n",
        "utf-8",
    )
    for look in (store.compare_policy, store.try_policy):
        with pytest.raises(InvalidError) as error:
            look(file)
        told = str(error.value)
        assert "line 2: accounts.fre:" in told and "line 6: accounts.free.keep_days:" in told
        assert "line 8: tools.날씨.fields.풍속:" in told
    with pytest.raises(InvalidError, match="there is no policy file"):
        store.try_policy(tmp_path / "none.toml")


def test_versions_are_in_the_journal_with_dates_and_digests(
    quick: Callable[..., Memory], tmp_path: Path
) -> None:
    moment = [datetime(2026, 3, 2, 9, 0, tzinfo=UTC)]

    def opened(text: str) -> Memory:
        (tmp_path / "store" / "policy.toml").write_text(text, "utf-8")
        return quick(clock=lambda: moment[0])

    quick(clock=lambda: moment[0]).close()
    digests: list[str] = []
    for text in (TOOLS, TOOLS, WITHOUT_EXIT):
        moment[0] += timedelta(days=1)
        with opened(text) as memory:
            digests.append(memory.policy.digest)
            assert memory.rebuild()
            versions = memory.policy_versions()
    start = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)

    assert [one.digest for one in versions][-2:] == [digests[0], digests[2]]
    assert [one.since for one in versions][-2:] == [start + timedelta(days=days) for days in (1, 3)]
    assert [one.until for one in versions][-2:] == [versions[-1].since, None]


def test_the_command_line_lists_compares_tries_and_dates(
    store: Memory, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store.close()
    file = tmp_path / "new.toml"
    file.write_text(WITHOUT_EXIT, "utf-8")
    at = ("--store", str(tmp_path / "store"))

    def run(*words: str) -> tuple[int, str, str]:
        code = main(["policy", *words, *at])
        out, err = capsys.readouterr()
        return code, out, err

    code, out, _ = run("rules", "--json")
    listed = json.loads(out)
    assert code == 0 and {rule["code"] for rule in listed["rules"]} == RULES.keys()
    assert {rule["reason"] != "" for rule in listed["rules"]} == {True}
    assert len(listed["accounts"]) == 5
    for rule in listed["rules"]:
        name, case = re.fullmatch(r"(.+)::\w+\[(\w+)\]", rule["check"]).groups()  # type: ignore[union-attr]
        assert case == rule["code"] and f'"{case}": ' in (ROOT / name).read_text("utf-8")
    code, out, _ = run("diff", str(file))
    assert code == 0 and "tools.deploy_status.exit_code: integer → nothing" in out
    code, out, _ = run("try", str(file))
    assert (
        code == 0 and "“wind_knots: 31”" in out and "3 of 5 claims would be ruled otherwise" in out
    )
    code, out, _ = run("versions", "--json")
    assert code == 0 and len(json.loads(out)["versions"]) >= 2
    for words, told in (
        (("diff",), "name the file"),
        (("rules", str(file)), "takes no file"),
        (("try", str(tmp_path / "none.toml")), "there is no policy file"),
    ):
        code, _, err = run(*words)
        assert code == 2 and told in err
