"""The policy file: what is wrong is named with its line; what a field holds must fit its type."""

from decimal import Decimal
from pathlib import Path

import pytest

from muniment import InvalidError, Memory
from muniment.policy import (
    DEFAULT_POLICY,
    FieldType,
    Policy,
    compare_policies,
    fits,
    policy_from,
    read_policy,
)

GOOD = """format = 1
[tools.deploy_status]
fields = { environment = "identifier", exit_code = "integer" }
"""


def test_the_default_policy_registers_nothing() -> None:
    assert policy_from(DEFAULT_POLICY) == Policy()


def test_a_tool_and_its_types_are_read() -> None:
    policy = policy_from(GOOD)

    assert policy.types("deploy_status", "exit_code") == "integer"
    assert policy.types("deploy_status", "comment") is None
    assert policy.types("other", "exit_code") is None


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("format = 1\n[tools.x]\nfields = { a = 'text' }\n", 3, "integer"),
        ("format = 1\n[tools.x]\nfeilds = { a = 'integer' }\n", 3, "feilds"),
        ("format = 2\n", 1, "format"),
        ("format = 1\n\n\nretention = 3\n", 4, "retention"),
        ("format = 1\n[tools]\nx = 3\n", 3, "x"),
        ("format = 1\n[tools.x\n", 2, "line 2"),
        ("format = 1\nformat = 1\n", 2, "line 2"),
        ("format = 1\n[tools.x]\nfields = [1]\n", 3, "fields"),
        ("format = 1\n\nstores = ['muniment/default']\n", 3, "last line of its export"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(text: str, line: int, says: str) -> None:
    with pytest.raises(InvalidError) as caught:
        policy_from(text, where="policy.toml")

    assert "policy.toml" in str(caught.value)
    assert f"line {line}" in str(caught.value) and says in str(caught.value)


def test_the_stores_it_knows_are_a_line_of_it_each() -> None:
    key = f"muniment/default/{'0' * 16}+{'1' * 8}+{'A' * 44}"
    policy = policy_from(f'format = 1\nstores = ["{key}"]\n')

    (change,) = compare_policies(Policy(), policy)

    assert (change.name, change.before, change.after) == (f"stores.{key}", "", "known")


def test_a_missing_file_is_the_default_policy(tmp_path: Path) -> None:
    assert read_policy(tmp_path / "none.toml") == Policy()


def test_a_store_does_not_open_with_a_wrong_policy_and_says_where(tmp_path: Path) -> None:
    Memory.open(tmp_path / "store").close()
    file = tmp_path / "store" / "policy.toml"
    file.write_text("format = 1\n[tools.x]\nfields = { a = 'text' }\n", encoding="utf-8")

    with pytest.raises(InvalidError, match="policy.toml, line 3"):
        Memory.open(tmp_path / "store")

    file.write_text(GOOD, encoding="utf-8")
    Memory.open(tmp_path / "store").close()


@pytest.mark.parametrize("raw", [b"format = 1\n# \xff\n", b"\xff\xfef\x00", b"format = 1\n\0"])
def test_a_file_that_is_no_text_is_an_invalid_policy(tmp_path: Path, raw: bytes) -> None:
    file = tmp_path / "policy.toml"
    file.write_bytes(raw)

    with pytest.raises(InvalidError, match="policy.toml"):
        read_policy(file)


def test_a_byte_order_mark_is_no_fault(tmp_path: Path) -> None:
    file = tmp_path / "policy.toml"
    file.write_text(GOOD, encoding="utf-8-sig")

    assert read_policy(file) == policy_from(GOOD)


def test_the_digest_changes_with_the_policy_alone() -> None:
    again = policy_from(GOOD.replace("{ ", "{  "))

    assert policy_from(GOOD).digest == again.digest != Policy().digest


def test_a_change_of_policy_is_a_record_of_its_own(tmp_path: Path) -> None:
    memory = Memory.open(tmp_path / "store")
    before = memory.store.state.seq
    memory.close()
    Memory.open(tmp_path / "store").close()
    (tmp_path / "store" / "policy.toml").write_text(GOOD, encoding="utf-8")
    after = Memory.open(tmp_path / "store")

    assert after.store.state.seq == before + 1
    assert after.store.state.policy == after.policy.digest
    after.close()


Value = str | int | bool | Decimal
YES: dict[FieldType, tuple[Value, ...]] = {
    "integer": (0, -1, 10**30),
    "boolean": (True, False),
    "decimal": (1, Decimal("0.5"), "12.50", "-3"),
    "time": ("2026-03-01T00:30+09:00", "2026-03-01T00:30:00Z"),
    "identifier": ("staging", "release-7", "ops@corp.example", "v2.0", "a" * 128),
}
NO: dict[FieldType, tuple[Value, ...]] = {
    "integer": (True, "1", Decimal(1), "", "１"),
    "boolean": (1, 0, "true", ""),
    "decimal": (True, "NaN", "Infinity", "1,5", "", "12.5 EUR", "send 12"),
    "time": ("2026-03-01T00:30", "yesterday", "", 0, "2026-03-01T00:30Z; then pay"),
    "identifier": (
        *("", "two words", "a\n", "a\nb", "-x", "a" * 129, "한글", 7, True, "a;b", "a\u200bb"),
    ),
}


@pytest.mark.parametrize(
    ("value", "expected"), [(value, sort) for sort, values in YES.items() for value in values]
)
def test_what_fits(value: Value, expected: FieldType) -> None:
    assert fits(value, expected)


@pytest.mark.parametrize(
    ("value", "expected"), [(value, sort) for sort, values in NO.items() for value in values]
)
def test_what_does_not_fit(value: Value, expected: FieldType) -> None:
    assert not fits(value, expected)
