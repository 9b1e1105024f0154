"""The cast of the tour: who asks the store, and finding again what they said."""

from functools import cached_property

from muniment import Evidence, Memory, Session
from muniment.claims import Claim, NotFoundError

_ROOM = {"project": "pinetide", "channel": "harbour-ops"}


class Cast:
    """The sessions of the tour's people on one open store."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory

    @cached_property
    def jiwoo(self) -> Session:
        """You."""
        return self.memory.session(person="jiwoo", **_ROOM)

    @cached_property
    def deckhand(self) -> Session:
        """The assistant that acts for you."""
        return self.memory.session(person="jiwoo", agent="deckhand", **_ROOM)

    @cached_property
    def sumin(self) -> Session:
        """Your colleague in support."""
        return self.memory.session(person="sumin", **_ROOM)

    def journal(self, person: str) -> Session:
        """Return a person's session in the project `journal`."""
        return self.memory.session(person=person, project="journal")

    def stated(self, words: str, session: Session | None = None) -> Claim:
        """Return the claim that says exactly this; NotFoundError when the conversation left none."""
        for claim in (session or self.jiwoo).claims():
            if words in (claim.quote, claim.gist):
                return claim
        raise NotFoundError(f"the tour's conversation left no claim that says {words!r}")


def summary(evidence: Evidence) -> dict[str, object]:
    """Return what the tour compares and keeps of one piece of evidence."""
    return {
        "claim": evidence.claim.id,
        "words": evidence.claim.words,
        "kind": evidence.claim.kind.value,
        "integrity": evidence.claim.integrity.name,
        "use": evidence.use.value,
        "freshness": evidence.freshness,
        "rules": list(evidence.rules),
        "reasons": [reason.code for reason in evidence.reasons],
    }
