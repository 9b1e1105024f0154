"""A scope is readable where every field it names is the session's own."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.claims import SCOPE_FIELDS, Scope, ScopeRecord
from muniment.lineage import State
from muniment.testing import scopes


@given(scopes(), scopes())
def test_a_scope_is_readable_iff_every_named_field_is_the_sessions(
    scope: Scope, reader: Scope
) -> None:
    wanted = all(getattr(scope, field) in ("", getattr(reader, field)) for field in SCOPE_FIELDS)
    agents_own = scope.agent != "" and scope.person == "" and reader.person != ""

    assert scope.readable_in(reader) is (wanted and not agents_own)


@given(scopes())
def test_what_is_nobodys_alone_is_read_by_all_and_a_scope_by_itself(scope: Scope) -> None:
    assert Scope().readable_in(scope)
    assert scope.readable_in(scope)


@given(scopes(), scopes(), scopes())
def test_who_reads_a_scope_reads_all_wider_ones(one: Scope, two: Scope, three: Scope) -> None:
    if one.readable_in(two) and two.readable_in(three):
        assert one.readable_in(three)


@given(scopes(), st.sampled_from(SCOPE_FIELDS))
def test_another_name_in_any_field_shuts_a_reader_out(scope: Scope, field: str) -> None:
    named = scope.model_copy(update={field: "kim"})
    stranger = scope.model_copy(update={field: "eve"})
    nobody = scope.model_copy(update={field: ""})

    assert not named.readable_in(stranger)
    assert not named.readable_in(nobody)


@given(st.lists(scopes(), max_size=12, unique=True), scopes())
def test_the_store_reads_scopes_by_the_same_law(known: list[Scope], reader: Scope) -> None:
    state = State()
    numbers = {"": 0, "kim": 101, "박서준": 102}
    keys = {number: scope for number, scope in enumerate(known, 1)}
    for number, scope in keys.items():
        key = tuple(numbers[getattr(scope, field)] for field in SCOPE_FIELDS)
        state.add_scope(number, (key[0], key[1], key[2], key[3], key[4], key[5]))
    asked = tuple(numbers[getattr(reader, field)] for field in SCOPE_FIELDS)

    found = state.readable((asked[0], asked[1], asked[2], asked[3], asked[4], asked[5]))

    assert found == {number for number, scope in keys.items() if scope.readable_in(reader)}


def test_a_scope_that_comes_later_is_seen_at_once() -> None:
    state = State()
    nobody = (0, 0, 0, 0, 0, 0)
    assert state.readable(nobody) == frozenset()

    state.apply(ScopeRecord(id="s", seq=1, at=0))

    assert state.readable(nobody) == {1}


@pytest.mark.parametrize(
    "pair", list(itertools.permutations(("kim", "Kim", "kím", "ki\u0301m", "kim "), 2))
)
def test_names_that_look_alike_are_other_names(pair: tuple[str, str]) -> None:
    assert not Scope(person=pair[0]).readable_in(Scope(person=pair[1]))
