"""The names behind the opaque identifiers: read from their sealed payloads at open, never written elsewhere."""

from typing import TYPE_CHECKING, Any

from muniment.claims import (
    SCOPE_FIELDS,
    EntityRecord,
    EntityType,
    ErasedError,
    IntegrityError,
    KeysError,
    Scope,
    ScopeRecord,
    checked_text,
)

from .files import Opened

if TYPE_CHECKING:
    from .state import ScopeKey
    from .store import Store

_NAME_LIMIT = 2_000


class Names:
    """The registered persons, agents, tools, origins and scopes of one tenant."""

    def __init__(self, store: "Store") -> None:
        self._store = store
        self._numbers: dict[tuple[str, str], int] = {}
        self._names: dict[int, str] = {}
        self._unreadable: set[str] = set()
        self._damaged: dict[str, list[int]] = {}
        for seq, sort in store.state.entity_types.items():
            try:
                self._keep(seq, sort, store.words(seq)["name"])
            except ErasedError:
                self._names[seq] = "(erased)"
            except KeysError:
                self._names[seq] = "(unreadable)"
                self._unreadable.add(sort)
            except IntegrityError:
                if store.access is not Opened.READ or not store.notes:
                    raise
                self._names[seq] = "(damaged)"
                self._damaged.setdefault(sort, []).append(seq)

    def _keep(self, seq: int, sort: str, name: str) -> None:
        self._numbers[(sort, name)] = seq
        self._names[seq] = name

    def name(self, seq: int) -> str:
        """Return the name of an entity, empty for 0."""
        return self._names[seq] if seq else ""

    def find(self, sort: EntityType, name: str) -> int:
        """Return the number of a registered name, 0 when it is empty or unknown.

        IntegrityError where it may be one that a reader of a damaged store cannot make out.
        """
        found = self._numbers.get((sort, name), 0) if name else 0
        if name and not found and sort in self._damaged:
            raise IntegrityError(
                f"whether this {sort} is known cannot be told: names are damaged",
                findings=[f"record {seq}: the name of a {sort}" for seq in self._damaged[sort]],
            )
        return found

    def must_tell(self, sort: EntityType, name: str) -> None:
        """Raise KeysError where a name is not known and may be one of those that cannot be read here."""
        if name and sort in self._unreadable and not self.find(sort, name):
            raise KeysError(
                f"INCOMPLETE: this store was restored without the keys of its names, so it cannot tell whether {sort} "
                f"{name!r} is in it, and nothing can be found, recalled, kept or exported for that {sort}; restore the "
                "backup once more with its keys mirror. Without words: `muniment statuses`, `muniment verify`"
            )

    def register(self, sort: EntityType, name: str) -> int:
        """Return the number of a name, registered in the open group where it is new; 0 for the empty name."""
        from .store import Sealable

        if not name:
            return 0
        found = self.find(sort, name)
        if found:
            return found
        checked_text(name, f"the name of a {sort}", limit=_NAME_LIMIT)
        header = self._store.add(EntityRecord, [Sealable({"name": name})], type=sort)
        self._keep(header.seq, sort, name)
        return header.seq

    def key_of(self, scope: Scope) -> "ScopeKey":
        """Return the entity numbers of a session's scope; a name not registered becomes -1, which matches nothing."""
        org, person, project, channel, agent, session = (
            (self.find(field, name) or -1) if (name := getattr(scope, field)) else 0
            for field in SCOPE_FIELDS
        )
        return (org, person, project, channel, agent, session)

    def register_scope(self, scope: Scope) -> int:
        """Return the number of a scope, registered in the open group with its names where they are new."""
        numbers = {field: self.register(field, name) for field, name in scope.named().items()}
        org, person, project, channel, agent, session = (
            numbers.get(field, 0) for field in SCOPE_FIELDS
        )
        found = self._store.state.scope_numbers.get((org, person, project, channel, agent, session))
        if found:
            return found
        named: dict[str, Any] = {
            field: self._store.state.names[number] for field, number in numbers.items()
        }
        return self._store.add(ScopeRecord, **named).seq

    def scope(self, seq: int) -> Scope:
        """Return a registered scope with its names."""
        key = self._store.state.scopes[seq]
        return Scope(
            **{
                field: self.name(number)
                for field, number in zip(SCOPE_FIELDS, key, strict=True)
                if number
            }
        )
