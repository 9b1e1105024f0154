"""origins and weigh: an operator says who copies whom, and what counts changes with it."""

import json
from pathlib import Path

import pytest

from .conftest import Run


@pytest.fixture
def reports(store: Path) -> tuple[str, ...]:
    """Return where the store lies."""
    return ("--store", str(store))


def report(kim: Run, folder: Path, site: str, value: str) -> str:
    page = folder / "page.txt"
    page.write_text(f"{site}: the gate opens at {value}", encoding="utf-8")
    source = kim("document", str(page), "--origin", site, "--json").json["id"]
    slot = ("--subject", "gate", "--attribute", "opens", "--value", value)
    text = f"the gate opens at {value}"
    claim = kim("remember", text, "--kind", "external", "--source", source, *slot, "--json")
    return str(claim.json["id"])


def test_from_a_suspicion_to_a_count_and_back(
    kim: Run, run: Run, reports: tuple[str, ...], tmp_path: Path
) -> None:
    for site, value in (("site:a", "nine"), ("site:b", "nine"), ("site:c", "ten")):
        claim = report(kim, tmp_path, site, value)
    assert kim("weigh", "gate", "opens", "--json").json["leading"] == ["nine"]

    said = run("origins", "same", "site:a", "site:b", "--reason", "b 는 a 를 베낀다", *reports)
    shown = kim("weigh", "gate", "opens")
    listed = run("origins", *reports, "--json")

    assert (said.code, said.err) == (0, "")
    assert "site:a = site:b" in said.out and "the operator · b 는 a 를 베낀다" in said.out
    assert shown.code == 0
    assert "2 values tie: no one of them goes before the others." in shown.out
    assert [one["origins"] for one in listed.lines] == [
        ["https://wiki.example/ops"],
        ["site:a", "site:b"],
        ["site:c"],
    ]
    nine = kim("weigh", "gate", "opens", "--json").json["values"][0]["claims"][0]
    assert nine != claim
    assert "are recorded as copies of each other on" in kim("support", nine).out

    assert run("origins", "apart", "site:a", "site:b", *reports).code == 0
    assert kim("weigh", "gate", "opens", "--json").json["leading"] == ["nine"]
    assert "No origins seem to copy" in run("origins", "suggest", *reports).out
    assert kim("weigh", "gate", "closes").out == "Nothing current says anything of that.\n"


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("same", "site:a"), 2),
        (("list", "site:a", "site:b"), 2),
        (("same", "https://wiki.example/ops", "site:nowhere"), 3),
        (("apart", "https://wiki.example/ops", "https://wiki.example/ops"), 2),
        (("guess",), 2),
    ],
)
def test_what_is_wrong_is_told_and_nothing_is_written(
    run: Run, reports: tuple[str, ...], words: tuple[str, ...], code: int
) -> None:
    ran = run("origins", *words, *reports)

    assert (ran.code, ran.out) == (code, "")
    assert ran.err.startswith("muniment: ")


def test_only_an_operator_may(run: Run, store: Path, reports: tuple[str, ...]) -> None:
    described = store / "store.toml"
    first = described.read_text("utf-8").splitlines()[0]
    described.write_text(f"{first}\n[host]\noperators = []\n", encoding="utf-8")

    for action in ("list", "suggest"):
        ran = run("origins", action, *reports, "--json")
        assert (ran.code, json.loads(ran.err)["rule"]) == (4, "NOT_YOUR_ROLE")


def test_a_suggestion_says_what_betrays_them(
    run: Run, store: Path, reports: tuple[str, ...]
) -> None:
    lines: list[dict[str, object]] = []
    for site in ("a", "b", "c", "d", "e"):
        source = "a" if site == "b" else site
        said = [
            (f"no {n}", f"{(n * 7 + ord(source) * n) % 5 if (n + ord(source)) % 3 == 0 else 9}")
            for n in range(100)
        ]
        text = "\n".join(f"{subject}: {value}" for subject, value in said)
        named = {"person": "kim", "project": "apollo"}
        lines.append(
            {"type": "document", "key": site, "text": f"{site}\n{text}", **named, "origin": site}
        )
        for subject, value in said:
            claim = {"kind": "external", "text": f"{subject}: {value}", "sources": [site]}
            slot = {"subject": subject, "attribute": "level", "value": value}
            lines.append({"type": "claim", **claim, **slot, **named})
    fed = run("ingest", "-", *reports, "--json", stdin="\n".join(map(json.dumps, lines)))
    assert fed.json["errors"] == []

    shown, found = (
        run("origins", "suggest", *reports),
        run("origins", "suggest", *reports, "--json"),
    )

    assert [one["origins"] for one in found.lines] == [["a", "b"]]
    assert shown.out.splitlines()[0] == "a ≈ b"
    assert "a ≈ b: 100 of 100 alike, about" in shown.out and "they agree" in shown.out
