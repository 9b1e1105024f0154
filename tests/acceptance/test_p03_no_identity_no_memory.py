"""P03: without an identity nothing is found and nothing is written, not a byte."""

from collections.abc import Callable
from pathlib import Path

import pytest

from muniment import InvalidError, Memory, NotFoundError, RefusedError, Session

NOBODY: tuple[dict[str, str], ...] = (
    {},
    {"person": ""},
    {"org": "acme"},
    {"project": "apollo", "channel": "general"},
    {"session": "s1"},
    {"org": "acme", "project": "apollo", "channel": "general", "session": "s1"},
)


def journal(memory: Memory) -> dict[str, bytes]:
    """Return every byte of the record."""
    folder = memory.store.folder
    files = [
        folder / "head",
        *sorted((folder / "journal").iterdir()),
        *sorted(_under(folder / "keys")),
    ]
    return {str(file.relative_to(folder)): file.read_bytes() for file in files}


def _under(folder: Path) -> list[Path]:
    return [file for file in folder.rglob("*") if file.is_file()]


@pytest.fixture
def full(quick: Callable[..., Memory]) -> Memory:
    """Return a store that holds something in every place a nobody might look."""
    memory = quick()
    for names in ({"person": "kim"}, {"agent": "bot"}, {"person": "kim", "channel": "general"}):
        session = memory.session(**names, project="apollo", org="acme")
        said = session.message("배포는 금요일")
        session.remember("배포는 금요일", category="constraint", sources=[said])
        session.recall("배포")
    return memory


@pytest.mark.parametrize("names", NOBODY)
def test_reading_without_an_identity_finds_nothing_and_says_it_did_not_look(
    full: Memory, names: dict[str, str]
) -> None:
    nobody = full.session(**names)
    before = journal(full)

    answer = nobody.recall("배포는 언제?")
    turns = nobody.search_conversations("배포는 언제?")

    for given in (answer, turns):
        assert given.looked is False and given.searched == 0
        assert given.notes == ("no identity: nothing is looked up",)
    assert (answer.evidence, answer.withheld, answer.receipt, turns.hits) == ((), (), "", ())
    assert list(nobody.claims()) == []
    assert len(list(nobody.export())) == 1
    assert journal(full) == before


@pytest.mark.parametrize("names", NOBODY)
def test_writing_without_an_identity_is_refused_and_leaves_no_trace(
    full: Memory, names: dict[str, str]
) -> None:
    nobody = full.session(**names)
    kim = full.session(person="kim", project="apollo", org="acme")
    (claim, *_) = kim.claims()
    before = journal(full)

    writes: list[Callable[[], object]] = [
        lambda: nobody.message("x"),
        lambda: nobody.message(parts=[("pasted", "x", "https://new.example")]),
        lambda: nobody.tool_result("a new tool", {"exit_code": 0}),
        lambda: nobody.document("x", origin="https://new.example"),
        lambda: nobody.remember("x"),
    ]
    for write in writes:
        with pytest.raises(RefusedError, match="NO_IDENTITY"):
            write()
    for change in (nobody.confirm, nobody.retract):
        with pytest.raises(KeyError):
            change(claim)
    with pytest.raises(KeyError):
        nobody.correct(claim, "y")
    assert journal(full) == before


def test_a_line_to_ingest_that_names_nobody_is_refused(full: Memory) -> None:
    before = journal(full)

    report = full.ingest(['{"type":"message","text":"x","project":"apollo","key":"m1"}'])

    assert [error.line for error in report.errors] == [1]
    assert "neither person nor agent" in report.errors[0].message
    assert journal(full) == before


@pytest.mark.parametrize("name", [" ", "\t", "\n", "\u3000", "\u00a0", "\0", "kim\0", "\ud800"])
@pytest.mark.parametrize("field", ["person", "agent", "project", "channel", "org", "session"])
def test_a_name_of_nothing_is_no_name(full: Memory, field: str, name: str) -> None:
    before = journal(full)

    with pytest.raises(InvalidError, match=f"the {field}"):
        full.session(**{field: name})
    assert journal(full) == before


@pytest.mark.parametrize(
    "name",
    ["*", "%", "_", "' OR 1=1 --", '"', "\\", "../..", "null", "None", "kim; DROP", "[a-z]*"],
)
def test_a_strange_name_is_a_name_like_any_other(full: Memory, name: str) -> None:
    other: Session = full.session(person=name, project="apollo", org="acme")

    assert other.recall("배포").evidence == () and list(other.claims()) == []
    said = other.message("나만의 말")
    assert other.source(said.id).author == name
    assert other.search_conversations("나만의 말").hits[0].author == name
    assert full.verify().findings == ()


def test_an_unknown_person_finds_nothing_but_was_looked_for(full: Memory) -> None:
    answer = full.session(person="stranger").recall("배포는 언제?")

    assert answer.looked and answer.evidence == () and answer.searched == 0


@pytest.mark.parametrize("agent", ["", "helper"])
def test_asking_alone_writes_nobodys_name(quick: Callable[..., Memory], agent: str) -> None:
    memory = quick()
    lee = memory.session(person="lee", agent=agent, project="hermes", channel="ops")
    answer = lee.recall("what do you know of me?")
    with pytest.raises(RefusedError):
        lee.remember("lee likes tea")

    assert answer.looked and (answer.evidence, answer.receipt) == ((), "")
    assert memory.store.state.entity_types == {}
    with pytest.raises(NotFoundError):
        memory.erase_person("lee")
    assert memory.verify().findings == () and memory.rebuild()

    lee.message("hello")
    assert lee.recall("what do you know of me?").receipt
    memory.erase_person("lee")
    assert lee.recall("what do you know of me?").receipt == ""  # asking brings the name not back
    with pytest.raises(NotFoundError):
        memory.erase_person("lee")
