# pyright: strict
"""How a program that installed Muniment uses it; checked by type checkers, never run."""

from muniment import Memory


def deploys(text: str) -> str:
    """Return why the first piece of evidence was recalled."""
    memory = Memory.open("store")
    kim = memory.session(person="kim", project="apollo")
    said = kim.message("We deploy to staging on Fridays.")
    kim.remember(
        "We deploy to staging on Fridays.", kind="stated", sources=[said], category="decision"
    )
    page = kim.document(text, origin="https://wiki.example/ops")
    kim.remember(text, kind="external", sources=[page], category="fact")
    answer = kim.recall("where do we deploy?", purpose="answer")
    first = answer.evidence[0]
    return f"{first.reasons} {first.use} {answer.receipt}"
