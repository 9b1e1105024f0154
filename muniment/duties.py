"""Which roles the description of a store gives to a user of the operating system."""

from muniment.claims import Role
from muniment.lineage import Host


def roles_of(host: Host, user: str) -> frozenset[Role]:
    """Return what a user of the operating system is to a store, empty for nobody."""
    held = {
        Role.HOST: user in host.users,
        Role.OPERATOR: user in host.operators,
        Role.AUDITOR: user in host.auditors,
        Role.CUSTODIAN: user in host.custodians,
        Role.APPROVER: user in host.approvers,
        Role.PERSON: bool(host.people.get(user)),
    }
    return frozenset(role for role, is_held in held.items() if is_held)
