"""`attach`, `why` of a sentence and of what is not there, and `compare` on a screen, in both languages."""

import json
from pathlib import Path

from .conftest import Run

ANSWER = "We deploy to staging on Fridays. 그리고 달은 치즈로 되어 있다."


def test_an_answer_is_attached_and_its_sentences_are_explained(kim: Run, tmp_path: Path) -> None:
    receipt = kim("recall", "배포 환경, where do we deploy?", "--json").json["receipt"]
    nothing = kim("why", "--text", "달은 치즈", "--json")
    assert nothing.json["from_memory"] == "could not look"
    file = tmp_path / "answer.txt"
    file.write_text(ANSWER, encoding="utf-8")

    done = kim(
        *("attach", receipt, "--answer", str(file), "--model", "m-1", "--trace", "추적-1"),
        *("--parameters", '{"temperature": 0.5}'),
    )
    assert done.code == 0 and "Attached" in done.out
    assert kim("attach", receipt, "--answer", "-", stdin="둘째 답").code == 0

    yes = kim("why", "--text", "deploy to staging on Fridays")
    assert yes.out.startswith("from memory\n") and "word for word" in yes.out
    assert "“We deploy to staging on Fridays.”" in yes.out and "looked at" in yes.out
    no = kim("why", "--text", "달은 치즈로", "--lang", "ko")
    assert no.out.startswith("기억에서 나온 것이 아님 · not from memory")
    traced = kim("why", "추적-1")
    assert (
        ANSWER in traced.out.replace("\n", " ") and "m-1" in traced.out and "둘째 답" in traced.out
    )
    far = kim("why", "--text", "deploy to staging", "--around", "2020-01-01", "--json").json
    assert (far["from_memory"], far["looked"]["receipts"]) == ("could not look", 0)
    own = kim("why", receipt, "--line", "3", "--json").json
    assert own["from_memory"] == "could not look"


def test_what_is_not_there_is_explained_and_two_are_compared(kim: Run) -> None:
    first = kim("recall", "배포 환경, where do we deploy?", "--json").json["receipt"]
    claims = {one["quote"]: one["id"] for one in kim("claims", "--json").lines}
    claim = claims["We deploy to staging on Fridays."]
    kim("retract", f"{claim}@1")
    second = kim("recall", "배포 환경, where do we deploy?", "--json").json["receipt"]

    given = kim("why", "--not", claim, first)
    assert given.code == 0 and "it was given after all · given" in given.out
    held = kim("why", "--not", claim, second, "--lang", "ko")
    assert "규칙이 내주지 않음 · held back" in held.out and "RETRACTED" in held.out
    assert kim("why", "--not", claim, second, "--json").json["step"] == "held back"

    compared = kim("compare", first, second)
    assert compared.code == 0 and "only here" in compared.out and "RETRACTED" in compared.out
    document = kim("compare", first, second, "--json").json
    (only,) = [one for one in document["claims"] if one["claim"] == claim]
    assert (only["second"], only["why_not"]["rule"]) == (None, "RETRACTED")


def test_what_is_written_wrong_says_the_way_out(kim: Run) -> None:
    receipt = kim("recall", "where do we deploy?", "--json").json["receipt"]
    for words in (
        ("why",),
        ("why", "--not", "x", receipt, "--text", "y"),
        ("why", "--text", "y", "--around", "yesterday"),
        ("why", "--text", "y", "--around", "2026-03-02T09:00:00"),
        ("attach", receipt),
        ("attach", receipt, "--parameters", "[1]"),
        ("attach", receipt, "--parameters", "{"),
    ):
        ran = kim(*words, "--json")
        assert ran.code != 0 and json.loads(ran.err)["error"] == "invalid", (words, ran.err)
    for command in (("compare", receipt, "x"), ("why", "--not", "x", receipt), ("why", "x")):
        assert json.loads(kim(*command, "--json").err)["error"] == "not_found", command
