"""What the public yardstick `agmi` needs to know of a store: where its memories lie, and what the product says of them.

Stores are made and asked through the public interface alone; what lies on disk is edited by `benchmarks.surgery` and by
SQL, never by the product.
"""

import copy
import json
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import duckdb
from agmi.adapters.base import MemoryAdapter
from agmi.adapters.base import Record as Row
from agmi.adapters.semantic_base import MemoryItem, Retrieved, SemanticMemoryAdapter
from agmi.signing import KEYRING

from benchmarks import surgery
from muniment import ErasedError, FormatError, IntegrityError, Memory, Soundness
from muniment.retrieval import Embedder

OWN, OTHER = "kim", "lee"
_YEAR = 365 * 86_400 * 1_000_000


class StoreAdapter(MemoryAdapter):
    """A store in a folder, an anchor in another; subclasses say which files are edited.

    An edit that opening the store or reading its claims refuses is rejected; one that only the audit of the files
    names is reported.
    """

    supports_replay = supports_metadata = supports_snapshot = True
    detection_point = "read"
    anchored = True

    def setup(self) -> None:
        """Make an empty store, and a folder outside it for the anchor."""
        self.place = Path(tempfile.mkdtemp(prefix="agmi-muniment-"))
        self.store, self.witness = self.place / "store", self.place / "elsewhere" / "anchor"
        self.witness.parent.mkdir()
        self.folder = self.store / "default"

    def teardown(self) -> None:
        """Remove both."""
        shutil.rmtree(self.place, ignore_errors=True)

    def seed(self, n: int) -> None:
        """Let the first person say and remember so many things."""
        self._tell(OWN, [f"The limit of account {number} is {40 + number}." for number in range(n)])

    def seed_other(self, n: int) -> None:
        """Let another person say and remember so many things."""
        self._tell(OTHER, [f"The code of door {number} is {70 + number}." for number in range(n)])

    def append_genuine(self) -> None:
        """Let the first person say and remember one thing more."""
        self._tell(OWN, ["The limit of the new account is 99."])

    def _tell(self, person: str, lines: list[str]) -> None:
        with Memory.open(self.store) as memory:
            session = memory.session(person=person)
            said = [session.message(line) for line in lines]
            for line, message in zip(lines, said, strict=True):
                session.remember(line, kind="stated", sources=[message])
            if self.anchored:
                memory.checkpoint(anchor=self.witness)

    def reload(self) -> None:
        """Do nothing: every `verify` reads the files anew."""

    def verify(self) -> bool:
        """Return whether the audit of the files finds nothing, and the product opens the store and reads every claim.

        The audit comes first, since opening mends what it can.
        """
        self.verify_detail, self.detection_point = None, "audit"
        found = Memory.verify_files(self.store, anchor=self.witness if self.anchored else None)
        with suppress(ErasedError):  # it says that words are gone, not that anybody took them
            try:
                with Memory.open(self.store) as memory:
                    list(memory.session(person=OWN).claims())
            except (IntegrityError, FormatError) as error:
                self.detection_point = "read"
                return self._refused(str(error))
        if found.soundness is Soundness.OK:
            return True
        return self._refused(f"{found.soundness}: {found.findings[0].message}")

    def _refused(self, why: str) -> bool:
        self.verify_detail = why.replace(str(self.place), "…")
        return False

    def snapshot_store(self) -> object:
        """Copy the whole store; the anchor is not part of it."""
        return self._copy_store(self.store)

    def restore_store(self, token: object) -> None:
        """Put the copy back."""
        self._restore_store(str(token), self.store)
        shutil.rmtree(Path(str(token)).parent, ignore_errors=True)

    def forge_record(self, template: Row) -> Row:
        """Return a record that would follow the last one."""
        return self.mutate_payload(Row(template.seq + 1, copy.deepcopy(template.fields)))


class JournalAdapter(StoreAdapter):
    """The claims in the journal, where the memory lies; frames keep a right checksum."""

    name = "journal"
    agreeing = False

    def _claims(self, frames: surgery.Frames, person: str) -> list[surgery.Entry]:
        """Return a person's claims in order; whose they are tells the scope, the first being the first person's."""
        entries = [entry for frame in frames for entry in frame]
        scopes = [entry.header["id"] for entry in entries if entry.header["op"] == "scope"]
        wanted = scopes[:1] if person == OWN else scopes[1:2]
        return [e for e in entries if e.header["op"] == "claim" and e.header["scope"] in wanted]

    def _rows(self, person: str) -> list[Row]:
        claims = self._claims(surgery.read_frames(self.folder), person)
        return [
            Row(
                number,
                {
                    "header": {
                        name: value
                        for name, value in entry.header.items()
                        if name != "seq" or not self.agreeing
                    },
                    "payloads": [payload.hex() for payload in entry.payloads],
                },
            )
            for number, entry in enumerate(claims)
        ]

    def read_all_raw(self) -> list[Row]:
        """Return the first person's claims as they lie in the journal."""
        return self._rows(OWN)

    def read_other_raw(self) -> list[Row]:
        """Return the other person's claims as they lie in the journal."""
        return self._rows(OTHER)

    def _edit(self, change: Callable[[surgery.Frames, list[surgery.Entry]], None]) -> None:
        frames = surgery.read_frames(self.folder)
        change(frames, self._claims(frames, OWN))
        surgery.rewrite(self.folder, frames, agreeing=self.agreeing)

    def write_raw(self, record: Row) -> None:
        """Put a record in the place of the one with its number, or after the last."""

        def put(frames: surgery.Frames, claims: list[surgery.Entry]) -> None:
            payloads = [bytes.fromhex(payload) for payload in record.fields["payloads"]]
            header = dict(record.fields["header"])
            if record.seq < len(claims):
                target = claims[record.seq]
                target.header, target.payloads = header | {"seq": target.header["seq"]}, payloads
            else:
                last = frames[-1][-1].header["seq"]
                frames.append([surgery.Entry(header | {"seq": last + 1}, payloads)])

        self._edit(put)

    def delete_raw(self, seq: int) -> None:
        """Cut a claim out of the journal."""

        def cut(frames: surgery.Frames, claims: list[surgery.Entry]) -> None:
            for frame in frames:
                frame[:] = [entry for entry in frame if entry is not claims[seq]]

        self._edit(cut)

    def mutate_payload(self, record: Row) -> Row:
        """Change the sealed words: without the key nobody can say to what."""
        sealed = bytearray.fromhex(record.fields["payloads"][0])
        sealed[len(sealed) // 2] ^= 0xFF
        record.fields["payloads"][0] = sealed.hex()
        return record

    def forge_record(self, template: Row) -> Row:
        """Return a record with an identifier nothing has yet."""
        forged = super().forge_record(template)
        header = forged.fields["header"]
        header["id"] = header["id"][:-6] + "Forged"
        return forged

    def replay_onto(self, victim_seq: int, donor: Row) -> None:
        """Give one claim the sealed words of another, and what says with which key they open."""

        def replay(_: surgery.Frames, claims: list[surgery.Entry]) -> None:
            victim = claims[victim_seq]
            victim.payloads = [bytes.fromhex(payload) for payload in donor.fields["payloads"]]
            victim.header["seals"] = donor.fields["header"]["seals"]

        self._edit(replay)

    def read_meta(self, seq: int) -> dict[str, Any]:
        """Return when a claim was recorded and what it is."""
        header = self.read_all_raw()[seq].fields["header"]
        return {name: header[name] for name in ("at", "category")}

    def write_meta(self, seq: int, meta: dict[str, Any]) -> None:
        """Make a fact a standing constraint, recorded a year before."""

        def relabel(_: surgery.Frames, claims: list[surgery.Entry]) -> None:
            if meta.get("agmi_meta_tampered"):
                claims[seq].header |= {"at": meta["at"] - _YEAR, "category": "constraint"}

        self._edit(relabel)

    def identity_of(self, record: Row) -> str:
        """Return the claim's identifier."""
        return str(record.fields["header"]["id"])

    def payload_of(self, record: Row) -> str:
        """Return the sealed words."""
        return json.dumps(record.fields["payloads"])

    def owner_of(self, record: Row) -> str:
        """Return the scope a claim belongs to."""
        return str(record.fields["header"]["scope"])


class AgreeingAdapter(JournalAdapter):
    """The claims in the journal; head, graph and index are made to agree with every edit."""

    name = "journal, all files made to agree"
    agreeing = True

    def reload(self) -> None:
        """Let the product make the graph anew that was removed: its absence must not give the edit away."""
        with suppress(IntegrityError, FormatError):  # `verify` meets it again
            Memory.open(self.store).close()


class UnanchoredAdapter(AgreeingAdapter):
    """The same without an anchor: for contrast."""

    name = "the same, no anchor kept"
    anchored = False


_CLAIM = ("category", "integrity", "recorded")
_STATE = ("lifecycle", "version", "supported", "fresh")


class GraphAdapter(StoreAdapter):
    """The claims in the lineage graph, edited by SQL."""

    name = "graph"

    def _sql(self, *statements: tuple[str, list[Any]]) -> list[tuple[Any, ...]]:
        with duckdb.connect(str(self.folder / "lineage.duckdb")) as connection:
            for statement, values in statements:
                found = connection.execute(statement, values).fetchall()
        return found

    def _rows(self, place: int) -> list[Row]:
        columns = ", ".join((*(f"c.{one}" for one in _CLAIM), *(f"s.{one}" for one in _STATE)))
        found = self._sql(
            (
                f"SELECT c.seq, c.scope, r.id, r.position, {columns} FROM claim c "
                "JOIN claim_state s ON s.claim = c.seq JOIN record r ON r.seq = c.seq "
                "WHERE c.scope = (SELECT seq FROM scope ORDER BY seq LIMIT 1 OFFSET ?) ORDER BY c.seq",
                [place],
            )
        )
        names = ("seq", "scope", "id", "place", *_CLAIM, *_STATE)
        return [Row(number, dict(zip(names, row, strict=True))) for number, row in enumerate(found)]

    def read_all_raw(self) -> list[Row]:
        """Return the first person's claims as the graph has them."""
        return self._rows(0)

    def read_other_raw(self) -> list[Row]:
        """Return the other person's claims as the graph has them."""
        return self._rows(1)

    def write_raw(self, record: Row) -> None:
        """Put a record in the place of the one with its number, or after the last."""
        rows, fields = self.read_all_raw(), record.fields
        if record.seq < len(rows):
            self._update(int(rows[record.seq].fields["seq"]), fields)
            return
        (seq,) = self._sql(("SELECT max(seq) + 1 FROM record", []))[0]
        old = fields["seq"]
        copied = {
            "record": "seq",
            "claim": "seq",
            "rendering": "seq",
            "antecedent": "justification",
        }
        self._sql(
            *(
                (f"INSERT INTO {table} SELECT * REPLACE (? AS {key}) FROM {table} WHERE {key} = ?", [seq, old])
                for table, key in copied.items()
            ),
            ("INSERT INTO claim_state SELECT * REPLACE (? AS claim) FROM claim_state WHERE claim = ?", [seq, old]),
            ("UPDATE rendering SET claim = ? WHERE seq = ?", [seq, seq]),
            ("UPDATE antecedent SET claim = ? WHERE justification = ?", [seq, seq]),
            ("UPDATE meta SET value = ? WHERE name = 'applied'", [str(seq)]),
        )  # fmt: skip
        self._update(int(seq), fields | {"id": fields["id"][:-6] + "Forged"})

    def _update(self, seq: int, fields: dict[str, Any]) -> None:
        parts = (("claim", "seq", _CLAIM), ("claim_state", "claim", _STATE))
        self._sql(
            *(
                (
                    f"UPDATE {table} SET {', '.join(f'{one} = ?' for one in columns)} WHERE {key} = ?",
                    [*(fields[one] for one in columns), seq],
                )
                for table, key, columns in parts
            ),
            (
                "UPDATE record SET id = ?, position = ? WHERE seq = ?",
                [fields["id"], fields["place"], seq],
            ),
        )

    def delete_raw(self, seq: int) -> None:
        """Delete every row of a claim."""
        number = self.read_all_raw()[seq].fields["seq"]
        keys = {"claim": "seq", "rendering": "seq", "antecedent": "claim", "claim_state": "claim"}
        self._sql(
            *((f"DELETE FROM {table} WHERE {key} = ?", [number]) for table, key in keys.items())
        )

    def mutate_payload(self, record: Row) -> Row:
        """Withdraw a claim, and let its row point at other bytes of the journal."""
        record.fields |= {"lifecycle": "retracted", "place": record.fields["place"] + 1}
        return record

    def replay_onto(self, victim_seq: int, donor: Row) -> None:
        """Let one claim's row point at the words of another."""
        victim = self.read_all_raw()[victim_seq].fields
        self._update(
            victim["seq"], donor.fields | {name: victim[name] for name in ("id", "recorded")}
        )

    def read_meta(self, seq: int) -> dict[str, Any]:
        """Return when a claim was recorded and what it is."""
        fields = self.read_all_raw()[seq].fields
        return {name: fields[name] for name in ("recorded", "category")}

    def write_meta(self, seq: int, meta: dict[str, Any]) -> None:
        """Make a fact a standing constraint, recorded a year before."""
        fields = self.read_all_raw()[seq].fields
        if meta.get("agmi_meta_tampered"):
            fields |= {"recorded": meta["recorded"] - _YEAR, "category": "constraint"}
        self._update(fields["seq"], fields)

    def identity_of(self, record: Row) -> str:
        """Return the claim's number."""
        return str(record.fields["seq"])

    def payload_of(self, record: Row) -> str:
        """Return where the claim's words lie and what became of it."""
        return json.dumps([record.fields[name] for name in ("place", *_STATE)])

    def owner_of(self, record: Row) -> str:
        """Return the scope a claim belongs to."""
        return str(record.fields["scope"])


class KeysAdapter(StoreAdapter):
    """The key slots of the claims; a slot deleted is one overwritten with zeros, which is what erasing does."""

    name = "keys"
    supports_metadata = False

    def _rows(self, person: str) -> list[Row]:
        claims = JournalAdapter._claims(self, surgery.read_frames(self.folder), person)  # type: ignore[arg-type]
        slots = [(entry.header["seals"][0]["slot"], entry.header["scope"]) for entry in claims]
        held = [(slot, scope, surgery.read_slot(self.folder, slot)) for slot, scope in slots]
        return [
            Row(number, {"slot": slot, "scope": scope, "key": key.hex()})
            for number, (slot, scope, key) in enumerate(one for one in held if any(one[2]))
        ]

    def read_all_raw(self) -> list[Row]:
        """Return the slots of the first person's claims."""
        return self._rows(OWN)

    def read_other_raw(self) -> list[Row]:
        """Return the slots of the other person's claims."""
        return self._rows(OTHER)

    def write_raw(self, record: Row) -> None:
        """Put a key into the slot of the claim with that number."""
        rows = self.read_all_raw()
        if record.seq >= len(rows):
            raise NotImplementedError("a key without a record opens nothing")
        slot = rows[record.seq].fields["slot"]
        surgery.write_slot(self.folder, slot, bytes.fromhex(record.fields["key"]))

    def delete_raw(self, seq: int) -> None:
        """Overwrite a slot with zeros."""
        slot = self.read_all_raw()[seq].fields["slot"]
        surgery.write_slot(self.folder, slot, bytes(surgery.SLOT))

    def mutate_payload(self, record: Row) -> Row:
        """Change one byte of a key."""
        key = bytearray.fromhex(record.fields["key"])
        key[20] ^= 0xFF
        record.fields["key"] = key.hex()
        return record

    def replay_onto(self, victim_seq: int, donor: Row) -> None:
        """Put one claim's key into the slot of another."""
        self.write_raw(Row(victim_seq, donor.fields))

    def identity_of(self, record: Row) -> str:
        """Return the slot."""
        return str(record.fields["slot"])

    def payload_of(self, record: Row) -> str:
        """Return the wrapped key."""
        return str(record.fields["key"])

    def owner_of(self, record: Row) -> str:
        """Return the scope of the claim whose key it is."""
        return str(record.fields["scope"])


class RecallAdapter(SemanticMemoryAdapter):
    """Memories written and read as an agent does, for one purpose.

    Whoever bears the writer's valid signature is who the host has authenticated: the person herself speaks. Any other
    write that calls itself the user's comes from an agent's session that asks for `stated`; one that says it is
    external is a document. Nothing is written with anything but the public verbs.
    """

    def __init__(self, purpose: str, embedder: Embedder) -> None:
        self.name, self._purpose, self._embedder = f"recall to {purpose}", purpose, embedder
        self.unsigned: set[str] = set()
        self.came: Counter[str] = Counter()
        self._place: Path | None = None
        self._memory: Memory | None = None

    def reset(self) -> None:
        """Make an empty store."""
        self.close()
        self.unsigned.clear()  # another fixture may let the person herself say the same
        self._place = Path(tempfile.mkdtemp(prefix="agmi-muniment-"))
        self._memory = Memory.open(self._place / "store", embedder=self._embedder)

    def close(self) -> None:
        """Close and remove the store."""
        if self._memory is not None and self._place is not None:
            self._memory.close()
            shutil.rmtree(self._place, ignore_errors=True)
        self._memory = None

    def add_memory(self, item: MemoryItem) -> None:
        """Write a memory through the door that its writer has."""
        memory = self._opened()
        if KEYRING.verify(item.user_id, item.source, item.text, item.signature):
            session = memory.session(person=item.user_id)
            source = session.message(item.text)
        else:
            self.unsigned.add(item.text)
            session = memory.session(person=item.user_id, agent="assistant")
            source = (
                session.message(item.text)
                if item.source == "user"
                else session.document(item.text, origin="https://outside.example")
            )
        session.remember(item.text, kind="stated", sources=[source])

    def retrieve(self, query: str, user_id: str, k: int = 5) -> list[Retrieved]:
        """Return what a recall gives, exactly; `came` counts as what unsigned words came, and for what use."""
        session = self._opened().session(person=user_id)
        found = session.recall(query, purpose=self._purpose, limit=k).evidence
        for item in found:
            if item.claim.words in self.unsigned:
                self.came[f"{item.claim.kind}, {item.use}"] += 1
        return [Retrieved(item.claim.words, item.claim.scope.person, item.score) for item in found]

    def measured_on(self) -> str:
        """Return what was asked."""
        return f"session.recall(…, purpose={self._purpose!r}), the default embedder"

    def _opened(self) -> Memory:
        if self._memory is None:
            self.reset()
        assert self._memory is not None
        return self._memory
