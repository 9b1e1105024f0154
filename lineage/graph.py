"""The lineage graph in DuckDB: rows made from headers, without a word of text; rebuilt from the journal at will."""

import gc
import json
from array import array
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from muniment.claims import (
    Access,
    AccessRecord,
    Account,
    AccountRecord,
    Asking,
    Assertion,
    AssertRecord,
    AttachRecord,
    BlockRecord,
    Category,
    ChangeRecord,
    ClaimRecord,
    CorpusRecord,
    DiscloseRecord,
    EchoRef,
    EntityRecord,
    EraseRecord,
    ForgetRecord,
    Header,
    HoldRecord,
    Integrity,
    IntegrityError,
    Kind,
    Kinship,
    Lifecycle,
    Medium,
    MuteRecord,
    Muting,
    PauseRecord,
    Pausing,
    PolicyRecord,
    ReceiptRecord,
    RefusalRecord,
    Relation,
    RestoreRecord,
    RetentionRecord,
    SameOriginRecord,
    ScopeRecord,
    SecretRecord,
    SensitiveRecord,
    Sensitivity,
    SourceRecord,
    Vouching,
)

from .files import Opened
from .merkle import Frontier
from .sensitive import Apart
from .state import BlockState, ClaimState, SourceState, State, receipt_day, scope_key

if TYPE_CHECKING:
    import duckdb

    Numbers = array[int]

# Primary keys only where rows are replaced: DuckDB's own constraints cost time and its foreign keys are not safe under
# concurrency. `seq` numbers are the journal's.
SCHEMA: dict[str, dict[str, str]] = {
    "record": {"seq": "BIGINT", "id": "VARCHAR", "op": "VARCHAR", "position": "BIGINT", "at": "BIGINT", "by": "BIGINT"},
    "idempotency": {"seq": "BIGINT", "key": "VARCHAR"},
    "entity": {"seq": "BIGINT", "type": "VARCHAR"},
    "scope": {
        "seq": "BIGINT", "org": "BIGINT", "person": "BIGINT", "project": "BIGINT", "channel": "BIGINT",
        "agent": "BIGINT", "session": "BIGINT",
    },
    "source": {
        "seq": "BIGINT", "medium": "VARCHAR", "scope": "BIGINT", "author": "BIGINT", "origin": "BIGINT",
        "conversation": "BIGINT", "integrity": "TINYINT", "said": "BIGINT", "recorded": "BIGINT",
    },
    "part": {
        "source": "BIGINT", "ordinal": "INTEGER", "first": "BIGINT", "past": "BIGINT", "label": "VARCHAR",
        "integrity": "TINYINT", "origin": "BIGINT", "media_type": "VARCHAR",
    },
    "claim": {
        "seq": "BIGINT", "kind": "VARCHAR", "category": "VARCHAR", "integrity": "TINYINT", "scope": "BIGINT",
        "valid_from": "BIGINT", "recorded": "BIGINT",
    },
    "rendering": {
        "seq": "BIGINT", "claim": "BIGINT", "activity": "VARCHAR", "asked": "VARCHAR", "mark": "TINYINT",
        "parents_complete": "BOOLEAN", "verdict": "VARCHAR", "rule": "VARCHAR", "policy": "VARCHAR",
    },
    "antecedent": {"justification": "BIGINT", "claim": "BIGINT", "ordinal": "INTEGER", "node": "BIGINT"},
    "span": {"justification": "BIGINT", "source": "BIGINT", "first": "BIGINT", "past": "BIGINT"},
    "relation": {"seq": "BIGINT", "relation": "VARCHAR", "claim": "BIGINT", "other": "BIGINT"},
    "change": {
        "seq": "BIGINT", "claim": "BIGINT", "verb": "VARCHAR", "lifecycle": "VARCHAR", "previous": "BIGINT",
        "other": "BIGINT", "reason": "VARCHAR", "lost": "INTEGER", "rescued": "INTEGER", "rule": "VARCHAR",
    },
    "claim_state": {
        "claim": "BIGINT", "lifecycle": "VARCHAR", "version": "INTEGER", "head": "BIGINT", "supported": "BOOLEAN",
        "fresh": "BOOLEAN", "valid_to": "BIGINT", "expires": "BIGINT", "recheck": "BIGINT", "confirmed": "BIGINT",
        "replaced_by": "BIGINT",
    },
    "access": {
        "seq": "BIGINT", "source": "BIGINT", "access": "VARCHAR", "lost": "INTEGER", "rescued": "INTEGER",
        "rule": "VARCHAR",
    },
    "replacement": {"seq": "BIGINT", "source": "BIGINT", "lost": "INTEGER", "rescued": "INTEGER", "rule": "VARCHAR"},
    "echo": {"seq": "BIGINT", "node": "BIGINT", "sort": "VARCHAR", "first": "BIGINT", "past": "BIGINT"},
    "disclosure": {"seq": "BIGINT", "verb": "VARCHAR", "scope": "BIGINT", "rule": "VARCHAR"},
    "disclosed": {"disclosure": "BIGINT", "node": "BIGINT"},
    "receipt": {
        "seq": "BIGINT", "purpose": "VARCHAR", "scope": "BIGINT", "day": "BIGINT", "slot": "BIGINT",
        "withheld": "INTEGER",
    },
    "receipt_claim": {"receipt": "BIGINT", "ordinal": "INTEGER", "claim": "BIGINT"},
    "refusal": {"seq": "BIGINT", "verb": "VARCHAR", "verdict": "VARCHAR", "rule": "VARCHAR", "policy": "VARCHAR"},
    "policy": {"seq": "BIGINT", "digest": "VARCHAR"},
    "erasure": {
        "seq": "BIGINT", "sort": "VARCHAR", "basis": "VARCHAR", "scope": "BIGINT", "receipts": "INTEGER",
        "lost": "INTEGER", "rescued": "INTEGER", "rule": "VARCHAR", "policy": "VARCHAR",
    },
    "erased": {"erasure": "BIGINT", "node": "BIGINT", "claim": "BIGINT", "whole": "BOOLEAN"},
    "erased_slot": {"erasure": "BIGINT", "first": "BIGINT", "length": "BIGINT"},
    "tombstone": {"erasure": "BIGINT", "sort": "VARCHAR", "digest": "VARCHAR", "scope": "BIGINT"},
    "secret": {"seq": "BIGINT", "person": "BIGINT", "rule": "VARCHAR"},
    "block": {
        "seq": "BIGINT", "scope": "BIGINT", "verb": "VARCHAR", "held": "BOOLEAN", "settles": "BIGINT",
        "rule": "VARCHAR",
    },
    "block_line": {
        "block": "BIGINT", "ordinal": "INTEGER", "record": "BIGINT", "seal": "INTEGER", "integrity": "TINYINT",
        "author": "BIGINT", "source": "BIGINT", "claim": "BIGINT",
    },
    "hold": {"seq": "BIGINT", "target": "BIGINT", "releases": "BIGINT", "rule": "VARCHAR"},
    "restore": {
        "seq": "BIGINT", "records": "BIGINT", "newest": "BIGINT", "witness": "VARCHAR", "erasures": "INTEGER",
        "accesses": "INTEGER", "rule": "VARCHAR", "policy": "VARCHAR",
    },
    "same_origin": {
        "seq": "BIGINT", "first": "BIGINT", "second": "BIGINT", "kinship": "VARCHAR", "rule": "VARCHAR",
        "policy": "VARCHAR",
    },
    "pause": {"seq": "BIGINT", "scope": "BIGINT", "pausing": "VARCHAR", "rule": "VARCHAR"},
    "mute": {
        "seq": "BIGINT", "claim": "BIGINT", "scope": "BIGINT", "theme": "BIGINT", "muting": "VARCHAR",
        "rule": "VARCHAR",
    },
    "forget": {"seq": "BIGINT", "claim": "BIGINT", "asking": "VARCHAR", "rule": "VARCHAR"},
    "account": {"seq": "BIGINT", "person": "BIGINT", "account": "VARCHAR", "rule": "VARCHAR"},
    "sensitive": {
        "seq": "BIGINT", "scope": "BIGINT", "claim": "BIGINT", "sensitivity": "VARCHAR", "slot": "BIGINT",
        "by": "BIGINT", "rule": "VARCHAR",
    },
    "admitted": {"sensitive": "BIGINT", "agent": "VARCHAR"},
    "retention": {"seq": "BIGINT", "moment": "BIGINT", "person": "BIGINT", "rule": "VARCHAR", "policy": "VARCHAR"},
    "retained": {"retention": "BIGINT", "counted": "VARCHAR", "destroyed": "INTEGER", "kept": "INTEGER"},
    "corpus": {"seq": "BIGINT", "corpus": "BIGINT", "vouching": "VARCHAR", "rule": "VARCHAR"},
    "attachment": {
        "seq": "BIGINT", "receipt": "BIGINT", "trace": "VARCHAR", "mark": "TINYINT", "slot": "BIGINT",
        "rule": "VARCHAR",
    },
    "meta": {"name": "VARCHAR", "value": "VARCHAR"},
}  # fmt: skip
_KEYED = {"claim_state": "claim", "meta": "name"}

_ROWS_AT_ONCE = 8_192
# A look into these takes a fraction of the time that making the member from its value does.
_KINDS = {one.value: one for one in Kind}
_CATEGORIES = {one.value: one for one in Category}
_INTEGRITIES = {one.value: one for one in Integrity}
_LIFECYCLES = {one.value: one for one in Lifecycle}

Row = tuple[str, tuple[object, ...]]
Values = tuple[object, ...]
IN_MEMORY = Path(":memory:")


class Graph:
    """One tenant's graph file, open in this process alone; at `IN_MEMORY` a graph without a file."""

    def __init__(self, path: Path, access: Opened = Opened.WRITE) -> None:
        self._path = path
        self._connection = _connect(path, access)
        if access is Opened.WRITE:
            self._create()

    def _create(self) -> None:
        for table, columns in SCHEMA.items():
            keyed = _KEYED.get(table, "")
            body = ", ".join(
                f'"{name}" {sort}{" PRIMARY KEY" if name == keyed else ""}'
                for name, sort in columns.items()
            )
            self._connection.execute(f'CREATE TABLE IF NOT EXISTS "{table}" ({body})')

    def applied(self) -> int:
        """Return the sequence number of the last record this graph has taken in."""
        found = self._connection.execute("SELECT value FROM meta WHERE name = 'applied'").fetchone()
        return int(found[0]) if found else 0

    def operations(self) -> tuple[str, ...]:
        """Return the operations of the records this graph has taken in, each once."""
        return tuple(op for (op,) in self._rows("SELECT DISTINCT op FROM record ORDER BY op"))

    def edge(self) -> Frontier:
        """Return the right edge of the tree over the records this graph has taken in."""
        rows = self._rows("SELECT name, value FROM meta WHERE name IN ('applied', 'peaks')")
        meta: dict[str, str] = dict(rows)
        peaks = [bytes.fromhex(peak) for peak in json.loads(meta.get("peaks", "[]"))]
        return Frontier(int(meta.get("applied", "0")), peaks)

    def rows_between(self, table: str, after: int, last: int) -> list[Values]:
        """Return the rows of a table that belong to the records after one number and up to another, as they came in.

        The first column of a table names the record, of `claim_state` the claim; those come in the claims' order.
        """
        if not self._has(table):
            return []
        first = next(iter(SCHEMA[table]))
        order = f'ORDER BY "{first}"' if table in _KEYED else ""
        found = self._connection.execute(
            f'SELECT * FROM "{table}" WHERE "{first}" > ? AND "{first}" <= ? {order}', [after, last]
        )
        return found.fetchall()

    def _has(self, table: str) -> bool:
        """Return whether there is such a table: a graph made before it came and only read since has none."""
        known = "SELECT 1 FROM duckdb_tables() WHERE database_name = 'graph' AND table_name = ?"
        return self._connection.execute(known, [table]).fetchone() is not None

    def count(self, table: str) -> int:
        """Return how many rows a table has."""
        if not self._has(table):
            return 0
        found = self._connection.execute(f'SELECT count(*) FROM "{table}"').fetchone()
        return int(found[0]) if found else 0

    def meta(self) -> dict[str, str]:
        """Return what this graph says of itself, but for where the journal ended."""
        return dict(self._rows("SELECT name, value FROM meta WHERE name <> 'end'"))

    def digest(self) -> str:
        """Return the SHA-256 of everything in this graph; where the journal ended is no part of that."""
        total = sha256()
        for line in self.dump():
            if not line.startswith('["meta", "end"'):
                total.update(line.encode("utf-8") + b"\n")
        return total.hexdigest()

    def post(
        self, headers: Sequence[tuple[Header, int]], state: State, frontier: Frontier, end: int
    ) -> None:
        """Take in headers with their positions, and the present labels of every claim touched, in one transaction."""
        rows: dict[str, list[tuple[object, ...]]] = {}
        for header, position in headers:
            for table, row in rows_of(header, position, state):
                rows.setdefault(table, []).append(row)
        rows["claim_state"] = [state_row(state.claims[seq]) for seq in sorted(state.touched)]
        rows["meta"] = [("end", str(end)), *meta_of(state, frontier).items()]
        self._connection.execute("BEGIN")
        try:
            for table, found in rows.items():
                self._insert(table, found)
            self._connection.execute("COMMIT")
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        state.touched.clear()

    def _insert(self, table: str, rows: Sequence[tuple[object, ...]]) -> None:
        if rows:
            columns = ", ".join(f"unnest(?::{sort}[])" for sort in SCHEMA[table].values())
            verb = "INSERT OR REPLACE" if table in _KEYED else "INSERT"
            self._connection.execute(
                f'{verb} INTO "{table}" SELECT {columns}',
                [list(column) for column in zip(*rows, strict=True)],
            )

    def load(self) -> tuple[State, int]:
        """Return the state this graph holds and the journal's position after it."""
        with collecting_later():
            return self._loaded()

    def _loaded(self) -> tuple[State, int]:
        meta = dict(self._rows("SELECT name, value FROM meta"))
        state = State()
        if not meta:
            return state, 0
        state.seq, state.at, state.next_slot = (
            int(meta["applied"]),
            int(meta["at"]),
            int(meta["slot"]),
        )
        state.frontier = Frontier(
            state.seq, [bytes.fromhex(peak) for peak in json.loads(meta["peaks"])]
        )
        for seq, identifier, position in self._stream(
            "SELECT seq, id, position FROM record ORDER BY seq"
        ):
            state.positions.append(position)
            state.remember_id(identifier, seq)
        if len(state.positions) != state.seq + 1:
            raise IntegrityError(
                f"it has {len(state.positions) - 1} records and says that it has {state.seq}"
            )
        state.entity_types = dict(self._rows("SELECT seq, type FROM entity"))
        for seq, *key in self._rows("SELECT * FROM scope ORDER BY seq"):
            state.add_scope(seq, (key[0], key[1], key[2], key[3], key[4], key[5]))
        for seq, key in self._stream("SELECT seq, key FROM idempotency ORDER BY seq"):
            state.keys[key] = state.ids[state.names[seq]]
        for seq, digest in self._rows("SELECT seq, digest FROM policy ORDER BY seq"):
            state.policy = digest
            state.policies.append(seq)
        for (
            seq,
            medium,
            scope,
            author,
            origin,
            conversation,
            integrity,
            said,
            recorded,
        ) in self._rows("SELECT * FROM source"):
            state.add_source(
                SourceState(
                    seq=seq, id=state.names[int(seq)], medium=Medium(medium), scope=scope, author=author,
                    origin=origin, conversation=conversation, integrity=Integrity(integrity), said=said,
                    recorded=recorded,
                )
            )  # fmt: skip
        for seq, source, access in self._rows(
            "SELECT seq, source, access FROM access ORDER BY seq"
        ):
            state.accesses.append((seq, source, Access(access)))
            (state.revoked.add if access == Access.REVOKED else state.revoked.discard)(source)
        for seq, first, second, kinship in self._rows(
            "SELECT seq, first, second, kinship FROM same_origin ORDER BY seq"
        ):
            state.add_kinship(seq, first, second, Kinship(kinship))
        for seq, source in self._rows("SELECT seq, source FROM replacement ORDER BY seq"):
            state.replaced.setdefault(source, []).append(seq)
        self._load_claims(state)
        for scope, day, slot in self._rows(
            "SELECT s.id, r.day, r.slot FROM receipt r JOIN record s ON s.seq = r.scope ORDER BY r.seq"
        ):
            state.receipt_slots[(scope, day)] = slot
        self._load_erasures(state)
        for seq, scope, held, settles in self._rows(
            "SELECT seq, scope, held, settles FROM block ORDER BY seq"
        ):
            state.add_block(scope, BlockState(seq, held, settles))
        state.secrets = {
            person: seq for seq, person in self._rows("SELECT seq, person FROM secret ORDER BY seq")
        }
        for seq, target, releases in self._rows(
            "SELECT seq, target, releases FROM hold ORDER BY seq"
        ):
            state.add_hold(seq, target, releases)
        state.restores = [seq for (seq,) in self._rows("SELECT seq FROM restore ORDER BY seq")]
        runs = self._rows("SELECT seq FROM retention ORDER BY seq")
        state.retentions = [seq for (seq,) in runs]
        for seq, corpus, vouching in self._rows(
            "SELECT seq, corpus, vouching FROM corpus ORDER BY seq"
        ):
            state.vouch(seq, corpus, Vouching(vouching))
        self._load_disclosures(state)
        self._load_restraint(state)
        self._load_sensitive(state)
        return state, int(meta["end"])

    def _load_disclosures(self, state: State) -> None:
        query = (
            "SELECT node, min(seq) AS first FROM (SELECT claim AS node, receipt AS seq FROM receipt_claim "
            "UNION ALL SELECT node, disclosure FROM disclosed) GROUP BY node ORDER BY first, node"
        )
        for node, seq in self._rows(query):
            state.disclose(node, seq)
        for seq, node in self._rows("SELECT DISTINCT seq, node FROM echo ORDER BY seq, node"):
            state.echoed.setdefault(node, []).append(seq)

    def _load_restraint(self, state: State) -> None:
        held = state.restraint
        for scope, pausing in self._rows("SELECT scope, pausing FROM pause ORDER BY seq"):
            held.pause(scope, Pausing(pausing))
        for seq, person, account in self._rows(
            "SELECT seq, person, account FROM account ORDER BY seq"
        ):
            held.set_account(seq, person, Account(account))
        # In the order they were written, both together.
        rows = self._rows(
            "SELECT seq, claim, scope, theme, muting FROM mute UNION ALL "
            "SELECT seq, claim, 0, 0, asking FROM forget ORDER BY seq"
        )
        for seq, claim, scope, theme, said in rows:
            if scope:
                held.mute(seq, claim, scope, theme, Muting(said))
            else:
                held.ask(seq, claim, Asking(said))
        held.let_go(
            claim.seq for claim in state.claims.values() if claim.lifecycle is Lifecycle.ERASED
        )

    def _load_sensitive(self, state: State) -> None:
        agents: dict[int, tuple[str, ...]] = {}
        for seq, agent in self._rows(
            "SELECT sensitive, agent FROM admitted ORDER BY sensitive, agent"
        ):
            agents[seq] = (*agents.get(seq, ()), agent)
        rows = self._rows(
            'SELECT seq, scope, claim, sensitivity, slot, "by" FROM sensitive ORDER BY seq'
        )
        for seq, scope, claim, sensitivity, slot, by in rows:
            apart = Apart(seq, slot, agents.get(seq, ()), not by)
            state.sensitive.declare(scope, claim, Sensitivity(sensitivity), apart)

    def _load_erasures(self, state: State) -> None:
        slots: dict[int, list[tuple[int, int]]] = {}
        for erasure, first, length in self._rows("SELECT * FROM erased_slot"):
            slots.setdefault(erasure, []).append((first, length))
        for (seq,) in self._rows("SELECT seq FROM erasure ORDER BY seq"):
            state.add_erasure(seq, slots.get(seq, ()))
        for erasure, digest, scope in self._rows(
            "SELECT erasure, digest, scope FROM tombstone ORDER BY erasure"
        ):
            state.add_tombstone(erasure, digest, scope)

    def _load_erased(
        self, state: State, changes: dict[int, list[int]]
    ) -> dict[int, tuple[int, ...]]:
        """Return the destroyed renderings of each claim, and add the erasures to the changes of each."""
        left: dict[int, list[int]] = {}
        for claim, seq in self._rows(
            "SELECT claim, seq FROM rendering WHERE claim IN (SELECT claim FROM erased WHERE whole) ORDER BY seq"
        ):
            left.setdefault(claim, []).append(seq)
        gone: dict[int, dict[int, None]] = {}
        for erasure, node, claim, whole in self._rows("SELECT * FROM erased ORDER BY erasure"):
            if not claim:
                state.erased_sources[node] = state.sources.pop(node)
                state.erased[node] = erasure
                continue
            before = gone.setdefault(claim, {})
            for rendering in left.get(claim, ()) if whole else (node,):
                if rendering not in before:
                    before[rendering] = None
                    state.erased[rendering] = erasure
            if erasure not in changes.setdefault(claim, []):
                changes[claim].append(erasure)
        for claim in gone:
            changes[claim].sort()
        return {claim: tuple(sorted(renderings)) for claim, renderings in gone.items()}

    def _load_claims(self, state: State) -> None:
        changes: dict[int, list[int]] = {}
        for seq, claim in self._stream("SELECT seq, claim FROM change ORDER BY seq"):
            changes.setdefault(claim, []).append(seq)
        erased = self._load_erased(state, changes)
        relations: dict[int, list[tuple[Relation, int]]] = {}
        for relation, claim, other in self._stream(
            "SELECT relation, claim, other FROM relation ORDER BY seq"
        ):
            relations.setdefault(claim, []).append((Relation(relation), other))
        renderings = self._renderings()
        query = "SELECT * EXCLUDE (claim) FROM claim c JOIN claim_state s ON s.claim = c.seq ORDER BY c.seq"
        for row in self._stream(query):
            seq, kind, category, integrity, scope, valid_from, recorded = row[:7]
            lifecycle, version, head, supported, fresh, *times = row[7:]
            valid_to, expires, recheck, confirmed, replaced_by = times
            name = state.names[int(seq)]
            seq = state.ids[name]  # one number, not an equal one for each place where it stands
            gone = erased.get(seq, ())
            found = [one for one in renderings.of(seq) if one[0] not in gone]
            state.add_claim(
                ClaimState(
                    seq=seq, id=name, kind=_KINDS[kind], category=_CATEGORIES[category],
                    integrity=_INTEGRITIES[integrity],
                    scope=scope, lifecycle=_LIFECYCLES[lifecycle], valid_from=valid_from, valid_to=valid_to,
                    expires=expires,
                    recheck=recheck, recorded=recorded, head=seq if head == seq else head, version=version,
                    confirmed=confirmed, replaced_by=replaced_by, supported=supported, fresh=fresh,
                    assertions=tuple(one for one, _ in found),
                    justifications=state.shared(tuple(grounds for _, grounds in found)),
                    changes=tuple(changes.get(seq, ())), relations=tuple(relations.get(seq, ())), erased=gone,
                )
            )  # fmt: skip

    def _renderings(self) -> "_Renderings":
        """Return the renderings of all claims with what each rests on."""
        claims, seqs = array("q"), array("q")
        for claim, seq in self._stream("SELECT claim, seq FROM rendering ORDER BY claim, seq"):
            claims.append(claim)
            seqs.append(seq)
        owners, used, nodes = array("q"), array("q"), array("q")
        query = "SELECT claim, justification, node FROM antecedent ORDER BY claim, justification, ordinal"
        for claim, justification, node in self._stream(query):
            owners.append(claim)
            used.append(justification)
            nodes.append(node)
        return _Renderings(claims, seqs, owners, used, nodes)

    def receipts_of(self, claims: Iterable[int], scopes: Iterable[int]) -> list[tuple[int, int]]:
        """Return (number, slot) of the receipts that gave one of the claims or were asked in one of the scopes."""
        found = self._connection.execute(
            "SELECT seq, slot FROM receipt WHERE slot IS NOT NULL AND (seq IN (SELECT receipt FROM receipt_claim "
            "WHERE claim IN (SELECT unnest(?::BIGINT[]))) OR scope IN (SELECT unnest(?::BIGINT[])))",
            [list(claims), list(scopes)],
        )
        return found.fetchall()

    def receipts_between(self, scopes: Iterable[int], first: int, last: int) -> list[int]:
        """Return the receipts asked in one of the scopes on the days from one to another, oldest first."""
        found = self._connection.execute(
            "SELECT seq FROM receipt WHERE scope IN (SELECT unnest(?::BIGINT[])) AND day BETWEEN ? AND ? ORDER BY seq",
            [list(scopes), first, last],
        )
        return [seq for (seq,) in found.fetchall()]

    def attachments(
        self,
        *,
        to: Iterable[int] = (),
        under: Iterable[int] = (),
        asked_in: Iterable[int] = (),
        trace: str = "",
    ) -> list[tuple[int, int, int]]:
        """Return (number, receipt, slot) of what was attached to receipts, oldest first.

        Those are receipts by number, sealed under one of the keys or asked in one of the scopes; or the trace is this.
        """
        found = self._connection.execute(
            "SELECT a.seq, a.receipt, a.slot FROM attachment a JOIN receipt r ON r.seq = a.receipt "
            "WHERE a.receipt IN (SELECT unnest(?::BIGINT[])) OR r.slot IN (SELECT unnest(?::BIGINT[])) "
            "OR r.scope IN (SELECT unnest(?::BIGINT[])) OR (? <> '' AND a.trace = ?) ORDER BY a.seq",
            [list(to), list(under), list(asked_in), trace, trace],
        )
        return found.fetchall()

    def secrets_of(self, person: int) -> list[int]:
        """Return the records in which a person set a secret, also those of secrets she has replaced."""
        found = self._connection.execute("SELECT seq FROM secret WHERE person = ?", [person])
        return [seq for (seq,) in found.fetchall()]

    def changes(self) -> list[tuple[int, int]]:
        """Return (number, claim) of every change of a claim, oldest first."""
        return self._rows("SELECT seq, claim FROM change ORDER BY seq")

    def receipts_under(self, slots: Iterable[int]) -> int:
        """Return how many receipts are sealed under these keys."""
        found = self._connection.execute(
            "SELECT count(*) FROM receipt WHERE slot IN (SELECT unnest(?::BIGINT[]))", [list(slots)]
        ).fetchone()
        return int(found[0]) if found else 0

    def sources_with_part_of(self, origins: Iterable[int]) -> list[tuple[int, int]]:
        """Return (source, origin) of the parts that came from one of the origins."""
        found = self._connection.execute(
            "SELECT source, origin FROM part WHERE origin IN (SELECT unnest(?::BIGINT[]))",
            [list(origins)],
        )
        return found.fetchall()

    def _rows(self, query: str) -> list[tuple[Any, ...]]:
        return self._connection.execute(query).fetchall()

    def _stream(self, query: str) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a query, a few thousand at a time; nothing else may be asked meanwhile."""
        found = self._connection.execute(query)
        while rows := found.fetchmany(_ROWS_AT_ONCE):
            yield from rows

    def dump(self) -> Iterator[str]:
        """Yield every row of every table as a line of JSON, sorted: two graphs are equal iff these are."""
        made = {name for (name,) in self._rows("SELECT table_name FROM duckdb_tables()")}
        for table in SCHEMA:
            if table not in made:  # of an older version, opened to be read: as good as empty
                continue
            order = ", ".join(f'"{column}"' for column in SCHEMA[table])
            for row in self._rows(f'SELECT * FROM "{table}" ORDER BY {order}'):
                yield json.dumps([table, *row])

    def checkpoint(self) -> None:
        """Write what the WAL holds into the file."""
        self._connection.execute("CHECKPOINT")

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


class _Renderings:
    """The renderings of all claims in columns, to be asked about in the order of the claims."""

    def __init__(self, claims: "Numbers", seqs: "Numbers", *grounds: "Numbers") -> None:
        self._claims, self._seqs = claims, seqs
        self._owners, self._used, self._nodes = grounds
        self._at = self._ground = 0

    def of(self, claim: int) -> Iterator[tuple[int, tuple[int, ...]]]:
        """Yield the number of each rendering of a claim and what it rests on; no claim is asked about twice."""
        while self._at < len(self._claims) and self._claims[self._at] <= claim:
            if self._claims[self._at] == claim:
                seq = self._seqs[self._at]
                yield claim if seq == claim else seq, self._grounds(claim, seq)
            self._at += 1

    def _grounds(self, claim: int, seq: int) -> tuple[int, ...]:
        owners, used, at, end = self._owners, self._used, self._ground, len(self._used)
        while at < end and (owners[at], used[at]) < (claim, seq):
            at += 1
        first = at
        while at < end and owners[at] == claim and used[at] == seq:
            at += 1
        self._ground = at
        return tuple(self._nodes[first:at])


@contextmanager
def collecting_later() -> Generator[None]:
    """Let the garbage collector rest: so many new objects, none of them garbage, cost it half the time of opening."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _connect(path: Path, access: Opened) -> "duckdb.DuckDBPyConnection":
    import duckdb

    connection = duckdb.connect(":memory:", config={"python_enable_replacements": False})
    lasting = access is Opened.WRITE and path != IN_MEMORY
    spill = _quoted(path.parent / "spill") if lasting else ""
    connection.execute(f"SET temp_directory = '{spill}'")
    connection.execute(
        "SET memory_limit = '256MB'; SET threads = 2; SET checkpoint_threshold = '64MB'"
    )
    connection.execute(
        "SET autoinstall_known_extensions = false; SET autoload_known_extensions = false"
    )
    connection.execute(
        "SET allow_community_extensions = false; SET dynamic_or_filter_threshold = 5000"
    )
    options = "READ_ONLY" if access is Opened.READ else "STORAGE_VERSION 'v1.5.0', BLOCK_SIZE 16384"
    options = "" if path == IN_MEMORY else f"({options})"
    connection.execute(f"ATTACH '{_quoted(path)}' AS graph {options}")
    connection.execute(
        "USE graph; SET enable_external_access = false; SET lock_configuration = true"
    )
    return connection


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")


def rows_of(header: Header, position: int, state: State) -> Iterable[Row]:
    """Return the rows one header becomes."""
    number = state.number
    rows: list[Row] = [
        ("record", (header.seq, header.id, header.op, position, header.at, number(header.by)))
    ]
    if header.key:
        rows.append(("idempotency", (header.seq, header.key)))
    match header:
        case EntityRecord():
            rows.append(("entity", (header.seq, header.type)))
        case ScopeRecord():
            rows.append(("scope", (header.seq, *scope_key(header, state))))
        case PolicyRecord():
            rows.append(("policy", (header.seq, header.digest)))
        case SourceRecord():
            rows.extend(_source_rows(header, state))
        case ClaimRecord():
            rows.append(("claim", (
                header.seq, header.kind.value, header.category.value, header.integrity.value, number(header.scope),
                header.valid_from, header.at,
            )))  # fmt: skip
            rows.extend(
                ("relation", (header.seq, named.relation.value, header.seq, number(named.claim)))
                for named in header.relations
            )
            rows.extend(_assertion_rows(header, header.seq, state))
        case AssertRecord():
            rows.extend(_assertion_rows(header, number(header.claim), state))
        case ChangeRecord():
            rows.append(("change", (
                header.seq, number(header.claim), header.verb.value, header.lifecycle.value, number(header.previous),
                number(header.other), header.reason, header.lost.count, header.rescued.count, header.decision.rule,
            )))  # fmt: skip
        case AccessRecord():
            rows.append(("access", (
                header.seq, number(header.source), header.access.value, header.lost.count, header.rescued.count,
                header.decision.rule,
            )))  # fmt: skip
        case ReceiptRecord():
            _, day = receipt_day(header.scope, header.at)
            slot = header.seals[0].slot if header.seals else None
            rows.append(
                (
                    "receipt",
                    (
                        header.seq,
                        header.purpose.value,
                        number(header.scope),
                        day,
                        slot,
                        header.withheld,
                    ),
                )
            )
            rows.extend(
                ("receipt_claim", (header.seq, place, number(claim)))
                for place, claim in enumerate(header.claims)
            )
        case RefusalRecord():
            stamp = header.decision
            rows.append(
                (
                    "refusal",
                    (header.seq, header.verb, stamp.verdict.value, stamp.rule, stamp.policy),
                )
            )
        case EraseRecord():
            rows.extend(_erasure_rows(header, state))
        case SecretRecord():
            rows.append(("secret", (header.seq, number(header.person), header.decision.rule)))
        case BlockRecord():
            rows.extend(_block_rows(header, state))
        case HoldRecord():
            rows.append(("hold", (
                header.seq, number(header.target), number(header.releases), header.decision.rule,
            )))  # fmt: skip
        case RestoreRecord():
            rows.append(("restore", (
                header.seq, header.records, header.newest, header.witness.value, header.erasures, header.accesses,
                header.decision.rule, header.decision.policy,
            )))  # fmt: skip
        case SameOriginRecord():
            first, second = map(number, header.origins)
            rows.append(("same_origin", (
                header.seq, first, second, header.kinship.value, header.decision.rule, header.decision.policy,
            )))  # fmt: skip
        case DiscloseRecord():
            stamp = header.decision
            rows.append(("disclosure", (header.seq, header.verb, number(header.scope), stamp.rule)))
            rows.extend(("disclosed", (header.seq, number(thing))) for thing in header.things)
        case PauseRecord() | MuteRecord() | ForgetRecord() | AccountRecord():
            rows.append(_restraint_row(header, state))
        case SensitiveRecord():
            slot = header.seals[0].slot if header.seals else -1
            rows.append(("sensitive", (
                header.seq, number(header.scope), number(header.claim), header.sensitivity.value, slot,
                number(header.by), header.decision.rule,
            )))  # fmt: skip
            rows.extend(("admitted", (header.seq, agent)) for agent in header.agents)
        case RetentionRecord():
            stamp = header.decision
            rows.append(("retention", (
                header.seq, header.moment, number(header.person), stamp.rule, stamp.policy,
            )))  # fmt: skip
            rows.extend(
                ("retained", (header.seq, one.rule, one.destroyed, one.kept))
                for one in header.counts
            )
        case CorpusRecord():
            rows.append(("corpus", (
                header.seq, number(header.corpus), header.vouching.value, header.decision.rule,
            )))  # fmt: skip
        case AttachRecord():
            rows.append(("attachment", (
                header.seq, number(header.receipt), header.trace, header.mark.value, header.seals[0].slot,
                header.decision.rule,
            )))  # fmt: skip
    return rows


def _echo_rows(seq: int, echoes: Iterable[EchoRef], state: State) -> Iterator[Row]:
    for echo in echoes:
        yield "echo", (seq, state.number(echo.of), echo.sort.value, echo.start, echo.end)


def _restraint_row(
    header: PauseRecord | MuteRecord | ForgetRecord | AccountRecord, state: State
) -> Row:
    number, seq, rule = state.number, header.seq, header.decision.rule
    match header:
        case PauseRecord():
            return "pause", (seq, number(header.scope), header.pausing.value, rule)
        case MuteRecord():
            places = (number(header.claim), number(header.scope), number(header.theme))
            return "mute", (seq, *places, header.muting.value, rule)
        case ForgetRecord():
            return "forget", (seq, number(header.claim), header.asking.value, rule)
        case AccountRecord():
            return "account", (seq, number(header.person), header.account.value, rule)


def _source_rows(header: SourceRecord, state: State) -> Iterator[Row]:
    number = state.number
    source = state.sources.get(header.seq) or state.erased_sources[header.seq]
    yield "source", (
        header.seq, header.medium.value, source.scope, source.author, source.origin, source.conversation,
        source.integrity.value, header.said_at, header.at,
    )  # fmt: skip
    for place, part in enumerate(header.parts):
        yield "part", (
            header.seq, place, part.start, part.end, part.label.value, part.integrity.value,
            number(part.origin), part.media_type,
        )  # fmt: skip
    yield from _echo_rows(header.seq, header.echo_of, state)
    if header.replaces:
        yield "replacement", (
            header.seq, number(header.replaces), header.lost.count, header.rescued.count,
            header.decision.rule,
        )  # fmt: skip


def _assertion_rows(header: Assertion, claim: int, state: State) -> Iterator[Row]:
    stamp = header.decision
    yield "rendering", (
        header.seq, claim, header.activity, header.asked.value, header.mark.value, header.parents_complete,
        stamp.verdict.value, stamp.rule, stamp.policy,
    )  # fmt: skip
    for place, antecedent in enumerate(header.antecedents):
        yield "antecedent", (header.seq, claim, place, state.number(antecedent))
    for span in header.spans:
        yield "span", (header.seq, state.number(span.source), span.start, span.end)
    yield from _echo_rows(header.seq, header.echo_of, state)


def _block_rows(header: BlockRecord, state: State) -> Iterator[Row]:
    number, seq = state.number, header.seq
    yield "block", (
        seq, number(header.scope), header.verb.value, header.held, number(header.settles), header.decision.rule,
    )  # fmt: skip
    for place, line in enumerate(header.lines):
        yield "block_line", (
            seq, place, number(line.record) or seq, line.seal, line.integrity.value, number(line.author),
            number(line.source), number(line.claim),
        )  # fmt: skip


def _erasure_rows(header: EraseRecord, state: State) -> Iterator[Row]:
    number, seq = state.number, header.seq
    stamp = header.decision
    yield "erasure", (
        seq, header.sort.value, header.basis.value, number(header.scope), header.receipts,
        header.lost.count, header.rescued.count, stamp.rule, stamp.policy,
    )  # fmt: skip
    for source in header.sources:
        yield "erased", (seq, number(source), 0, True)
    for claim in header.claims:
        yield "erased", (seq, number(claim), number(claim), True)
    for one in header.renderings:
        yield "erased", (seq, number(one.rendering), number(one.claim), False)
    for run in header.slots:
        yield "erased_slot", (seq, run.first, run.count)
    for stone in header.tombstones:
        yield "tombstone", (seq, stone.sort.value, stone.digest, number(stone.scope))


def meta_of(state: State, frontier: Frontier) -> dict[str, str]:
    """Return what a graph of this state says of itself."""
    peaks = json.dumps([peak.hex() for peak in frontier.peaks])
    return {
        "applied": str(frontier.size),
        "at": str(state.at),
        "slot": str(state.next_slot),
        "peaks": peaks,
    }


def state_row(claim: ClaimState) -> Values:
    """Return the row of a claim's present labels."""
    return (
        claim.seq, claim.lifecycle.value, claim.version, claim.head, claim.supported, claim.fresh, claim.valid_to,
        claim.expires, claim.recheck, claim.confirmed, claim.replaced_by,
    )  # fmt: skip
