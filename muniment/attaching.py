"""What was made of a recall: the host attaches the answer to its receipt, so that a sentence of it can be explained."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from muniment.claims import (
    UNREADABLE,
    Integrity,
    InvalidError,
    canonical_text,
    phrase_in,
)
from muniment.lineage import (
    Store,
    day_of,
    said_in,
    spoken_in,
    words_passage,
    write_attachment,
)
from muniment.policy import (
    REMOVED,
    decide,
    judge_attachment,
    judge_credentials,
    without_credentials,
)
from muniment.retrieval import Answer, Prompt

from .acting import Acting
from .answers import Attached, read_attached
from .given import mapping_given, text_given
from .hushing import seen_receipt
from .receipts import Receipt

ANSWER_LIMIT = 40_000
PARAMETERS_LIMIT = 16_000
_NAMED = 200
_DEEPEST = 8


def attach(
    acting: Acting,
    receipt: Answer | Prompt | str,
    *,
    answer: str,
    model: str,
    parameters: Mapping[str, Any],
    trace: str,
) -> Attached:
    """Attach to a receipt what was made of its recall and return it as it is kept, without credentials."""
    words = {
        "answer": without_credentials(text_given(answer, "the answer", limit=ANSWER_LIMIT)),
        "model": without_credentials(text_given(model, "the model", limit=_NAMED)),
        "parameters": _parameters_given(parameters),
        "trace": without_credentials(text_given(trace, "the trace id", limit=_NAMED)),
    }
    if not any(words.values()):
        raise InvalidError("nothing is attached; give answer, model, parameters or trace")
    acting.must_write_for("attach")
    store = acting.store
    with store.lock:
        kept = seen_receipt(acting, receipt)
        decision = judge_attachment(destroyed=_is_destroyed(store, kept))
        if decision.rule != "ATTACHED":
            raise acting.refused("attach", decision)
        _must_stay_out(acting, kept, words)
        with store.group():
            header = write_attachment(
                store,
                decision,
                acting.writer(),
                kept.header.seq,
                words,
                trace=words["trace"],
                mark=_worth(acting, kept),
            )
    return read_attached(store, header.seq)


def _is_destroyed(store: Store, kept: Receipt) -> bool:
    return any(seal.slot in store.state.destroyed for seal in kept.header.seals)


def _worth(acting: Acting, kept: Receipt) -> Integrity:
    """Return what an answer is worth: a model's words, made of what the recall gave and of what the context held."""
    claims = acting.store.state.claims
    given = (claims[acting.store.state.ids[one.claim]].integrity for one in kept.given)
    return min(Integrity.AGENT, acting.mark, *given)


def _must_stay_out(acting: Acting, kept: Receipt, words: Mapping[str, str]) -> None:
    """Raise RefusedError where one of the words was erased and no claim that the recall gave says it anew."""
    store = acting.store
    scope = store.names.scope(store.state.number(kept.header.scope))
    if not store.state.tombstones:
        return
    known = [canonical_text(text) for text in _given_words(store, kept)]
    said = (text for one in spoken_in(words) for text in said_in(one))
    fresh = (one for one in said if not any(phrase_in(one, text) for text in known))
    passage = words_passage(store, scope, fresh, by_person=acting.alone, anew=False)
    if passage.is_closed:
        day = day_of(store, passage.erased_by)
        detail = f"you erased this on {day}; attach the rest without it" if acting.alone else ""
        raise acting.refused("attach", decide("SUPPRESSED", detail))


def _given_words(store: Store, kept: Receipt) -> Iterator[str]:
    """Yield what the claims that a recall gave say, as far as it is not erased."""
    for one in kept.given:
        for assertion in store.state.claims[store.state.ids[one.claim]].assertions:
            try:
                words = store.words(assertion)
            except UNREADABLE:
                continue
            yield from (str(words[name]) for name in ("quote", "gist", "value"))


def _parameters_given(parameters: object) -> str:
    """Return the parameters of a model as JSON, credentials taken out; empty where there are none."""
    given = mapping_given(parameters, "parameters")
    if not given:
        return ""
    plain = _plain(given, 0)
    try:
        text = json.dumps(plain, ensure_ascii=False, sort_keys=True, allow_nan=False)
    except ValueError:
        raise InvalidError(
            "parameters hold a number that is none, such as NaN, or is too long to write; leave it out"
        ) from None
    if len(text) > PARAMETERS_LIMIT:
        raise InvalidError(
            f"parameters have {len(text):,} characters as JSON; the most is {PARAMETERS_LIMIT:,}"
        )
    return text


def _plain(value: object, depth: int, name: str = "") -> Any:
    """Return a value as JSON holds it, without credentials; InvalidError for anything but plain values."""
    if depth > _DEEPEST:
        raise InvalidError(f"parameters are nested deeper than {_DEEPEST}; give them flat")
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str):
        text = text_given(value, "a parameter", limit=PARAMETERS_LIMIT) if value.strip() else value
        called = name and judge_credentials((f"{name}: {text}",))
        return REMOVED if called else without_credentials(text)
    if isinstance(value, Mapping):
        named = cast("Mapping[object, object]", value)
        return {
            without_credentials(text_given(key, "the name of a parameter")): _plain(
                one, depth + 1, str(key)
            )
            for key, one in named.items()
        }
    if isinstance(value, list | tuple):
        return [_plain(one, depth + 1, name) for one in cast("Sequence[object]", value)]
    raise InvalidError(
        f"the parameter {name!r} is of type {type(value).__name__}; "
        "give text, numbers, true, false, null, and lists and mappings of those"
    )
