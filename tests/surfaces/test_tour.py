"""The tour: it runs from an empty folder in both languages, and what it promises holds."""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from .conftest import Run, in_folder

pytestmark = pytest.mark.slow

ACTS = ["who", "ask", "poison", "correct", "time", "why", "detectors", "others", "forget"]
DATA = Path(__file__).parents[2] / "surfaces" / "cli" / "data"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an empty folder."""
    return tmp_path_factory.mktemp("tour")


@pytest.fixture(scope="module")
def told(folder: Path) -> Any:
    """Return the facts of a tour from an empty folder."""
    ran = in_folder(folder)("tour", "--json")
    assert (ran.code, ran.err) == (0, "")
    return ran.json


def test_the_facts_of_the_tour_hold(told: Any) -> None:
    assert [act["act"] for act in told["acts"]] == ACTS
    assert [
        check["what"] for act in told["acts"] for check in act["checks"] if not check["held"]
    ] == []
    assert (told["held"], told["total"]) == (len(ACTS), len(ACTS))
    facts = {act["act"]: act["facts"] for act in told["acts"]}
    assert [decision["rule"] for decision in facts["who"]["decisions"]] == [
        "NO_USER_SPAN",
        "NOT_OWN_PART",
        "UNREGISTERED_TOOL",
    ]
    assert set(facts["correct"]["derived"].values()) == {"stale"}
    assert (
        facts["correct"]["answer"][0]["words"] == "배포 환경은 staging이 아니라 production입니다."
    )
    assert [item["integrity"] for item in facts["poison"]["instruct"]] == ["USER"]
    assert all(item["same"] for item in facts["detectors"]["same"])
    assert facts["others"]["riley"]["evidence"] == []
    his, hers = (facts["others"][name]["evidence"] for name in ("daniel", "jiwoo"))
    assert "I'm grateful that the importer finally held." in {item["words"] for item in his}
    assert hers and not {item["claim"] for item in hers} & {item["claim"] for item in his}
    assert {file["file"] for file in told["files"]} >= {
        "default/journal/",
        "default/lineage.duckdb",
        "policy.toml",
    }


def test_its_store_is_an_ordinary_one_and_the_commands_it_names_work(
    told: Any, folder: Path
) -> None:
    shell = in_folder(folder)

    for command in told["next"]:
        ran = shell(*shlex.split(command)[1:])
        assert (ran.code, ran.err) == (0, ""), command
        assert ran.out
    assert shell("verify", "--store", told["store"]).code == 0


@pytest.mark.parametrize(
    ("environment", "score"),
    [
        ({"LC_ALL": "en_GB.UTF-8", "LANG": "ko_KR.UTF-8"}, "9 of 9 things held."),
        ({"LC_ALL": "C.UTF-8", "LANG": "ko_KR.UTF-8"}, "9가지 가운데 9가지가 지켜졌습니다."),
    ],
)
def test_it_is_told_plainly_in_the_language_of_the_environment(
    told: Any, folder: Path, environment: dict[str, str], score: str
) -> None:
    ran = in_folder(folder)(
        "tour", "--plain", LC_MESSAGES="", PYTHONIOENCODING="utf-8", **environment
    )

    assert (ran.code, ran.err) == (0, "")
    assert score in ran.out
    assert "\x1b" not in ran.out and "✗" not in ran.out
    assert [line for line in ran.out.splitlines() if line != line.rstrip()] == []


def test_nothing_but_the_store_of_a_tour_is_replaced(shell: Run, tmp_path: Path) -> None:
    place = tmp_path / "empty"
    (place / "mine").mkdir()
    (place / "mine" / "diary.txt").write_text("keep me", encoding="utf-8")
    (place / "link").symlink_to(place / "mine")
    (place / "file").write_text("keep me", encoding="utf-8")
    assert shell("init", "--store", "real").code == 0

    for name in ("mine", "link", "file", "real"):
        ran = shell("tour", "--store", name, "--json")
        assert (ran.code, ran.out) == (2, ""), name
        assert "muniment tour --store DIR" in json.loads(ran.err)["message"]

    assert (place / "mine" / "diary.txt").read_text("utf-8") == "keep me"
    assert (place / "file").read_text("utf-8") == "keep me"
    assert shell("verify", "--store", "real").code == 0


def test_its_conversation_names_nothing_real() -> None:
    text = (DATA / "tour.jsonl").read_text(encoding="utf-8")
    lines = [json.loads(line) for line in text.splitlines()]

    hosts = {
        word.split("/")[2]
        for word in text.replace('"', " ").split()
        if word.startswith(("https://", "http://"))
    }
    assert all(host.rstrip(".,").endswith((".example", ".invalid")) for host in hosts)
    assert 60 <= len(lines) <= 120
    assert {line["type"] for line in lines} == {"message", "tool_result", "document", "claim"}
