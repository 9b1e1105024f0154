"""P05: what agents that work alone let wait an approver settles, in the scope named for her and nowhere else."""

from collections.abc import Callable
from functools import partial
from unicodedata import normalize

import pytest

from muniment import (
    Approver,
    ConflictError,
    InvalidError,
    Memory,
    MunimentError,
    NotFoundError,
    RefusedError,
)
from muniment.claims import new_id
from muniment.tools import verify_raw

SECRET = "nine green 거북이"


@pytest.fixture
def memory(quick: Callable[..., Memory]) -> Memory:
    """Return a store in which an interpretation waits."""
    first = quick()
    first.close()
    (first.path / "policy.toml").write_text('format = 1\npreset = "journal"\n', encoding="utf-8")
    return quick()


def waits(memory: Memory, words: str = "프로젝트가 지쳐 있다", **place: str) -> str:
    """Return the identifier of an interpretation that a bot let wait."""
    bot = memory.session(agent="bot", **place)
    seen = bot.tool_result("standup", text=words)
    return bot.remember(words, category="theme", sources=[seen]).id


def said(attempt: Callable[[], object]) -> tuple[str, str]:
    """Return the type and the text of what an attempt raises."""
    with pytest.raises(MunimentError) as caught:
        attempt()
    return type(caught.value).__name__, str(caught.value)


def test_an_approver_settles_what_a_lone_agent_let_wait(memory: Memory) -> None:
    first, second = waits(memory, project="apollo"), waits(memory, "it is late", project="apollo")
    lee = memory.approver("lee", project="apollo")

    shown = {item.claim.id: item for item in lee.review()}
    kept = lee.approve(shown[first].claim, reason="맞다")
    dropped = lee.reject(shown[second].claim)

    assert (kept.standing, kept.integrity.name, kept.kind) == ("active", "EXTERNAL", "inferred")
    assert dropped.standing == "rejected" and list(lee.review()) == []
    rules = [one.rule for one in memory.auditor("park").decisions(rule="SETTLED_BY_APPROVER")]
    assert len(rules) == 2
    bot = memory.session(agent="bot", project="apollo")
    assert [item.claim.id for item in bot.recall("프로젝트").evidence] == [first]
    found = bot.investigate(first)
    assert [sort for sort, _ in verify_raw(found.bundle.encode(), found.key, "")] == []


@pytest.mark.parametrize(
    "place",
    [
        {"project": "zephyr"},
        {"project": "apollo", "person": "kim"},
        {"org": "acme", "project": "apollo"},
    ],
)
def test_what_is_elsewhere_or_a_persons_is_to_an_approver_as_if_it_were_not(
    memory: Memory, place: dict[str, str]
) -> None:
    claim = waits(memory, **place)
    lee = memory.approver("lee", project="apollo")
    unknown = new_id()

    reached = "person" not in place and place["project"] == "apollo"
    assert [item.claim.id for item in lee.review()] == ([claim] if reached else [])
    if not reached:
        for verb in (lee.approve, lee.reject):
            for version in (1, 7):
                forbidden = said(partial(verb, claim, version=version))
                absent = said(partial(verb, unknown, version=version))
                assert (forbidden[0], forbidden[1].replace(claim, unknown)) == absent
                assert forbidden[0] == "NotFoundError"


def test_a_persons_own_waits_for_her_alone(memory: Memory) -> None:
    claim = waits(memory, project="apollo", person="kim")
    kim = memory.session(person="kim", project="apollo")

    assert list(memory.approver("kim", project="apollo").review()) == []
    assert kim.approve(claim, version=1).standing == "active"


def test_approving_needs_the_secret_once_there_is_one_and_the_version_seen(memory: Memory) -> None:
    claim = waits(memory, project="apollo")
    lee, again = (memory.approver("lee", project="apollo") for _ in range(2))
    lee.set_secret(SECRET)

    assert not lee.needs_secret and again.needs_secret
    with pytest.raises(RefusedError, match="SECRET_NEEDED"):
        again.approve(claim, version=1)
    again.prove(SECRET)
    with pytest.raises(ConflictError):
        again.approve(claim, version=7)
    with pytest.raises(InvalidError, match="version"):
        again.approve(claim)
    assert again.approve(claim, version=1).version == 2
    with pytest.raises(RefusedError, match="NOT_WAITING"):
        again.reject(claim, version=2)


@pytest.mark.parametrize("place", [{}, {"project": ""}])
def test_an_approver_is_of_a_scope_that_is_named(memory: Memory, place: dict[str, str]) -> None:
    with pytest.raises(InvalidError, match="project"):
        memory.approver("lee", **place)
    with pytest.raises(InvalidError, match="authenticated"):
        memory.approver("", project="apollo")


def test_a_name_is_one_however_its_letters_are_composed(memory: Memory) -> None:
    claim = waits(memory, project="아폴로")

    decomposed = memory.approver("lee", project=normalize("NFD", "아폴로"))

    assert [item.claim.id for item in decomposed.review()] == [claim]


def test_an_approver_is_no_session(memory: Memory) -> None:
    kept = memory.session(person="lee", project="apollo")
    said_by_lee = kept.message("a quokka of lee's own")
    own = kept.remember(said_by_lee.text, kind="stated", sources=[said_by_lee])
    lee = memory.approver("lee", project="apollo")

    assert not hasattr(Approver, "recall")
    with pytest.raises(NotFoundError):
        lee.approve(own.id, version=1)
