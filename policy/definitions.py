"""The terms an organisation approved: they stand in the policy file, and go before the question that speaks of them."""

from collections.abc import Iterable

from pydantic import model_validator

from muniment.claims import BLOCK_LIMIT, Value, canonical_text

from .themes import speaks_of


class Definition(Value):
    """What a term means in an organisation, or a project of it; with neither named, everywhere in the store."""

    term: str
    means: str
    org: str = ""
    project: str = ""
    approved_by: str = ""

    @model_validator(mode="after")
    def _checked(self) -> "Definition":
        if not canonical_text(self.term) or not self.means.strip():
            raise ValueError("a definition has a term and says what it means")
        if len(self.term) + len(self.means) > BLOCK_LIMIT:
            raise ValueError(f"a definition has at most {BLOCK_LIMIT:,} characters")
        return self

    @property
    def place(self) -> tuple[str, str, str]:
        """The term where it holds: no two definitions have the same."""
        return canonical_text(self.term), self.org, self.project


def definitions_for(
    known: Iterable[Definition], query: str, *, org: str, project: str
) -> tuple[Definition, ...]:
    """Return what the terms in a question mean for whoever asks, of one term the narrowest that holds there."""
    found: dict[str, Definition] = {}
    for one in known:
        here = one.org in ("", org) and one.project in ("", project)
        before = found.get(one.place[0])
        narrower = before is None or _narrow(one) > _narrow(before)
        if here and narrower and speaks_of(one.term, query):
            found[one.place[0]] = one
    return tuple(found.values())


def _narrow(one: Definition) -> int:
    return bool(one.org) + 2 * bool(one.project)
