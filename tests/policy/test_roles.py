"""The table of roles, tested whole: every role times every verb of the library and of the command line (P02)."""

from collections.abc import Iterator

import pytest

from muniment import Approver, Auditor, Memory, Role, Session
from muniment.claims import Verdict
from muniment.policy import MAY, judge_role
from muniment.surfaces.cli import COMMANDS

FACES: dict[str, type] = {
    "Session": Session,
    "Memory": Memory,
    "Auditor": Auditor,
    "Approver": Approver,
}
# What each duty is, written down a second time: who changes the table changes it here too, and says why.
DUTY = {
    Role.APPROVER: {
        *("Approver.review", "Approver.approve", "Approver.reject"),
        *("Approver.set_secret", "Approver.prove"),
    },
    Role.AUDITOR: {
        *("Auditor.journal", "Auditor.decisions", "Auditor.receipts", "Auditor.receipt"),
        *("Auditor.investigate", "Auditor.statuses", "Auditor.policy_versions", "Auditor.verify"),
        *("Memory.statuses", "Memory.policy_versions"),
    },
    Role.CUSTODIAN: {
        *("Memory.keys_mirror", "Memory.has_mirror", "Memory.backup", "Memory.restore"),
    },
    Role.OPERATOR: {
        *("Memory.set_account", "Memory.pause", "Memory.resume", "Memory.compare_policy"),
        *("Memory.try_policy", "Memory.policy_versions", "Memory.statuses"),
        *("Memory.same_origin", "Memory.apart", "Memory.origins", "Memory.copied_origins"),
        *("Memory.hold", "Memory.release", "Memory.holds"),
        *("Memory.erase", "Memory.erase_person", "Memory.erase_tenant", "Memory.certificate"),
        *("Memory.index", "Memory.rebuild", "Memory.checkpoint", "Memory.backup", "Memory.restore"),
        "Memory.rebuild_index",
        *("Memory.retention", "Memory.retentions", "Memory.corpora", "Memory.register_corpus"),
        *("Memory.compare_corpus", "Memory.renew_corpus", "Memory.revoke_corpus"),
    },
}
EVERYBODY = {
    f"Memory.{name}"
    for name in ("open", "close", "host_of", "tenants", "backups", "verify", "verify_files")
}


def calls() -> Iterator[str]:
    """Yield every public call there is, as the table names it."""
    for name, face in FACES.items():
        for verb in dir(face):
            if not verb.startswith("_") and callable(getattr(face, verb)):
                yield f"{name}.{verb}"


def test_the_table_names_every_public_call_and_nothing_else() -> None:
    assert sorted(calls()) == sorted(MAY)


def test_every_command_of_the_command_line_translates_calls_of_the_table() -> None:
    assert [
        (command.name, call) for command in COMMANDS for call in command.calls if call not in MAY
    ] == []
    reached = {call for command in COMMANDS for call in command.calls}
    assert {call for call in MAY if call.startswith("Auditor.")} - reached == {
        "Auditor.statuses",  # of the commands statuses, policy and verify, which others may call too
        "Auditor.policy_versions",
        "Auditor.verify",
    }


@pytest.mark.parametrize("role", Role)
def test_each_role_may_what_its_duty_is_and_no_more(role: Role) -> None:
    may = {call for call in MAY if judge_role(call, {role}).verdict is Verdict.ALLOW}

    if role is Role.HOST:
        assert may == set(MAY)
    elif role is Role.PERSON:
        assert may == {call for call in MAY if call.startswith("Session.")} | EVERYBODY
    else:
        assert may == DUTY[role] | EVERYBODY


@pytest.mark.parametrize("call", [*MAY, "Memory.unheard_of", "", "*"])
def test_nobody_of_no_role_may_anything_and_an_unknown_call_is_nobodys(call: str) -> None:
    assert judge_role(call, ()).verdict is Verdict.REFUSE
    if call not in MAY:
        assert judge_role(call, set(Role)).rule == "NOT_YOUR_ROLE"


def test_two_roles_may_what_each_may_and_no_more() -> None:
    for one in Role:
        for other in Role:
            for call, may in MAY.items():
                allowed = judge_role(call, {one, other}).verdict is Verdict.ALLOW
                assert allowed == (one in may or other in may), (one, other, call)
