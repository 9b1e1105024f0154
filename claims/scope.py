"""Where a claim applies and who may read it."""

from typing import Literal

from .value import Value

ScopeField = Literal["org", "person", "project", "channel", "agent", "session"]
SCOPE_FIELDS: tuple[ScopeField, ...] = ("org", "person", "project", "channel", "agent", "session")


class Scope(Value):
    """Six fields, each a name or empty; an empty field means any."""

    org: str = ""
    person: str = ""
    project: str = ""
    channel: str = ""
    agent: str = ""
    session: str = ""

    def named(self) -> dict[ScopeField, str]:
        """Return the non-empty fields in their fixed order."""
        return {field: name for field in SCOPE_FIELDS if (name := getattr(self, field))}

    def readable_in(self, session: "Scope") -> bool:
        """Return whether a session of that scope may read what has this one: every named field is the session's.

        What an agent keeps with no person beside it stays out of every session that has one.
        """
        if self.agent and not self.person and session.person:
            return False
        return all(getattr(session, field) == name for field, name in self.named().items())
