"""Identity: the system's user, mapped in store.toml; a name on the command line is not one."""

import json
from pathlib import Path

import pytest

from .conftest import Run


def host(store: Path, *, operators: str = "[]", people: str = "") -> None:
    """Write who may act as whom."""
    described = store / "store.toml"
    first = described.read_text("utf-8").splitlines()[0]
    described.write_text(
        f"{first}\n[host]\noperators = {operators}\n[people]\n{people}\n", encoding="utf-8"
    )


@pytest.fixture
def user(run: Run, store: Path) -> str:
    """Return the name of the system's user."""
    return str(run("init", "--store", str(store), "--json").json["user"])


@pytest.mark.parametrize("name", ["kim", "*", "%", "' OR '1'='1", "lee; --"])
def test_an_ordinary_user_cannot_act_as_another_person(
    run: Run, store: Path, user: str, name: str
) -> None:
    host(store, people=f'"{user}" = "lee"')

    ran = run("claims", "--store", str(store), "--person", name, "--project", "apollo", "--json")

    assert (ran.code, ran.out) == (4, "")
    assert json.loads(ran.err)["rule"] == "NOT_YOUR_ROLE"


def test_an_ordinary_user_is_the_person_they_are_mapped_to(
    run: Run, store: Path, user: str
) -> None:
    host(store, people=f'"{user}" = "kim"')

    own = run("claims", "--store", str(store), "--project", "apollo", "--json")
    named = run("claims", "--store", str(store), "--project", "apollo", "--person", "kim", "--json")

    assert (own.code, len(own.lines)) == (0, 3)
    assert own == named


def test_a_user_mapped_to_nobody_finds_and_keeps_nothing(run: Run, store: Path, user: str) -> None:
    host(store)

    assert run("claims", "--store", str(store), "--project", "apollo", "--json").lines == []
    assert run("message", "Hello.", "--store", str(store)).code == 4


@pytest.mark.parametrize("option", ["--channel", "--org"])
def test_shared_scopes_are_for_operators(run: Run, store: Path, user: str, option: str) -> None:
    host(store, people=f'"{user}" = "lee"')

    assert run("search-conversations", "deploy", "--store", str(store), option, "ops").code == 4


def test_a_file_that_names_persons_is_for_operators(run: Run, store: Path, user: str) -> None:
    host(store, people=f'"{user}" = "lee"')
    line = '{"type": "message", "person": "kim", "text": "I never said this."}'

    ran = run("ingest", "-", "--store", str(store), "--json", stdin=line)

    assert (ran.code, json.loads(ran.err)["rule"]) == (4, "NOT_YOUR_ROLE")
    host(store, operators=f'["{user}"]')
    found = run(
        "search-conversations",
        "never said this",
        "--store",
        str(store),
        "--person",
        "kim",
        "--json",
    )
    assert "I never said this." not in [hit["excerpt"] for hit in found.json["hits"]]


def test_the_environment_does_not_say_who_the_user_is(
    run: Run, store: Path, user: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    host(store, operators='["boss"]', people='boss = "kim"')
    for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.setenv(name, "boss")

    assert run("claims", "--store", str(store), "--person", "kim").code == 4


def test_what_an_agent_read_before_is_unknown_so_it_claims_as_from_outside(kim: Run) -> None:
    source = kim("message", "Deploys were slow today.", "--json").json["id"]
    words = ("remember", "Deploys are slow.", "--source", source, "--agent", "helper", "--json")

    unsure, declared = kim(*words), kim(*words[:-1], "--parents-complete", "--json")

    assert (unsure.json["kind"], unsure.json["integrity"]) == ("inferred", "EXTERNAL")
    assert (declared.json["kind"], declared.json["integrity"]) == ("inferred", "AGENT")
