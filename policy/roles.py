"""Roles: what each of those who have to do with a store may do, as one table over every verb there is."""

from collections.abc import Collection

from muniment.claims import Decision, Role

from .rules import decide
from .usability import VERBS

_PERSON = frozenset({Role.PERSON, Role.HOST})
_APPROVER = frozenset({Role.APPROVER, Role.HOST})
_OPERATOR = frozenset({Role.OPERATOR, Role.HOST})
_AUDITOR = frozenset({Role.AUDITOR, Role.HOST})
_CUSTODIAN = frozenset({Role.CUSTODIAN, Role.HOST})
_HOST = frozenset({Role.HOST})
_EVERYBODY = frozenset(Role)


def _rows(room: str, may: frozenset[Role], verbs: str) -> dict[str, frozenset[Role]]:
    return {f"{room}.{verb}": may for verb in verbs.split()}


MAY: dict[str, frozenset[Role]] = {
    # Of one's own, in one's own session; what that is, the session's scope says.
    **_rows("Session", _PERSON, " ".join((*VERBS, "lower_mark", "may", "state"))),
    # Acting for anybody, and with it reading anybody's words.
    **_rows("Memory", _HOST, "session auditor approver ingest replay request apply_request"),
    **_rows("Memory", _HOST, "check_new_file forgotten retained told forget_erased"),
    # By name and by identifier, without words.
    **_rows("Memory", _OPERATOR, "set_account pause resume compare_policy try_policy"),
    **_rows("Memory", _OPERATOR, "same_origin apart origins copied_origins hold release holds"),
    **_rows("Memory", _OPERATOR, "erase erase_person erase_tenant certificate"),
    **_rows(
        "Memory", _OPERATOR, "index rebuild rebuild_index checkpoint retention retentions corpora"
    ),
    **_rows("Memory", _OPERATOR, "register_corpus compare_corpus renew_corpus revoke_corpus"),
    **_rows("Memory", _OPERATOR | _AUDITOR, "statuses policy_versions"),
    **_rows("Memory", _OPERATOR | _CUSTODIAN, "backup restore"),
    **_rows("Memory", _CUSTODIAN, "keys_mirror has_mirror"),
    # What tells nothing that the files do not tell whoever can read them.
    **_rows("Memory", _EVERYBODY, "open close host_of tenants backups verify verify_files"),
    **_rows("Auditor", _AUDITOR, "journal decisions receipts receipt investigate"),
    **_rows("Auditor", _AUDITOR, "statuses policy_versions verify"),
    **_rows("Approver", _APPROVER, "review approve reject set_secret prove"),
}
"""Which roles may call what; whatever is not named here nobody may."""


def judge_role(call: str, roles: Collection[Role]) -> Decision:
    """Return whether somebody of these roles may make a call of the library, named as in the table."""
    may = MAY.get(call, frozenset[Role]())
    if may & frozenset(roles):
        return decide("ROLE_ALLOWS")
    wanted, here = (", ".join(sorted(held)) or "nobody" for held in (may, roles))
    return decide("NOT_YOUR_ROLE", f"{call} is for: {wanted}; here acts: {here}")
