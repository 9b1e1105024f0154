"""What was attached to the receipt of a recall, read back."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from muniment.claims import UNREADABLE, AttachRecord, ErasedError, Value, from_micros
from muniment.lineage import Store, attached_to

_GONE = "its words were destroyed by an erasure"
_KEYLESS = "its words cannot be read without their key"
_OWN_EYES = "what was answered is shown to the person herself"


class Attached(Value):
    """What was attached to a receipt: an answer, its model and parameters, the host's trace id; `notes` say what lacks.

    To an agent the answer and the parameters stay empty: it would read a model's words as if they were remembered.
    """

    id: str
    receipt: str
    attached_at: datetime
    answer: str = ""
    model: str = ""
    parameters: Mapping[str, Any] = {}
    trace: str = ""
    notes: tuple[str, ...] = ()


def answers_of(store: Store, receipt: int, *, alone: bool) -> tuple[Attached, ...]:
    """Return what was attached to a receipt, oldest first; to anybody but the person `alone` without its words."""
    found = (read_attached(store, seq) for seq in attached_to(store, receipt))
    return tuple(one if alone else _unsaid(one) for one in found)


def _unsaid(one: Attached) -> Attached:
    hidden = one.answer or one.parameters
    notes = (*one.notes, _OWN_EYES) if hidden else one.notes
    return one.model_copy(update={"answer": "", "parameters": {}, "notes": notes})


def read_attached(store: Store, seq: int) -> Attached:
    """Return what one record attached; where its words are gone, that."""
    header = store.header(seq)
    assert isinstance(header, AttachRecord)
    known = {"id": header.id, "receipt": header.receipt, "attached_at": from_micros(header.at)}
    try:
        words = store.words(seq)
    except UNREADABLE as error:
        why = _GONE if isinstance(error, ErasedError) else _KEYLESS
        return Attached.model_validate({**known, "notes": (why,)})
    read: object = json.loads(words["parameters"] or "{}")
    return Attached.model_validate({**known, **words, "parameters": read})
