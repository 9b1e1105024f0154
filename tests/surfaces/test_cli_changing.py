"""What takes a claim's place or stands against it gives the attribute its new value, as in the library."""

import pytest

from .conftest import Run


def about(kim: Run, text: str, value: str) -> dict[str, str]:
    """Let kim say and remember a value; return the claim with the source that says it."""
    said = kim("message", text, "--json").json["id"]
    words = ("remember", text, "--kind", "stated", "--source", said)
    slot = ("--subject", "apollo", "--attribute", "environment", "--value", value)
    return {**kim(*words, *slot, "--json").json, "said": said}


@pytest.mark.parametrize("verb", ["correct", "supersede", "challenge"])
def test_a_new_value_is_given_with_the_words(kim: Run, verb: str) -> None:
    claim = about(kim, "배포 환경은 스테이징이다. 이제부터.", "스테이징")
    text = "배포 환경은 운영이다."
    said = kim("message", text, "--json").json["id"]
    words = (verb, f"{claim['id']}@{claim['version']}", text, "--source", said)

    new = kim(*words, "--value", "운영", "--gist", "production", "--json").json

    assert (new["value"], new["attribute"], new["quote"]) == ("운영", "environment", text)


def test_what_is_made_anew_has_a_value_too(kim: Run) -> None:
    ground = about(kim, "We deploy to staging, always.", "staging")
    slot = ("--attribute", "environment", "--value", "staging", "--json")
    words = ("remember", "staging is where it goes", "--source", ground["id"], *slot)
    derived = kim(*words).json
    text = "We deploy to production, always."
    said = kim("message", text, "--json").json["id"]
    kim("correct", f"{ground['id']}@1", text, "--source", said, "--value", "production")

    again = ("regenerate", f"{derived['id']}@1", "production is where it goes", "--source", said)
    new = kim(*again, "--value", "production", "--json")

    assert (new.json["value"], new.json["supersedes"]) == ("production", [derived["id"]])
    assert kim("regenerate", f"{derived['id']}@1", "x").code in (4, 5)
