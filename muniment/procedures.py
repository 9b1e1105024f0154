"""Procedures: how a class of task is done. They live apart from memory, are patched, and go out as SKILL.md."""

import json
import re

from muniment.claims import (
    UNREADABLE,
    Category,
    Claim,
    ConflictError,
    Integrity,
    InvalidError,
    Kind,
    Lifecycle,
    NotFoundError,
    RefusedError,
    Relation,
    Verb,
    checked_text,
    cleaned,
)
from muniment.lineage import ClaimState
from muniment.policy import decide

from .acting import Acting, Grounds
from .changing import replace_claim
from .given import Because, list_given, text_given
from .keeping import keep_claim, keep_source, message_of, whole
from .remembering import Wish
from .tasks import said_key

NAME_LIMIT = 64
DESCRIPTION_LIMIT = 1_024
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_STANDS = (Lifecycle.ASSERTED, Lifecycle.PENDING)


def keep_procedure(
    acting: Acting,
    name: str,
    text: str,
    *,
    description: str,
    grounds: Grounds,
    version: int | None,
    key: str,
    because: Because,
) -> ClaimState:
    """Keep how a class of task is done, or patch what stands under that name; two of one name there never are."""
    _must_name(name)
    told = " ".join(text_given(description, "the description", limit=DESCRIPTION_LIMIT).split())
    grounds = list_given(grounds, "sources")
    text_given(key, "key")  # before anything is written
    acting.must_write_for("keep_procedure")
    with acting.store.lock:
        standing = _standing(acting, name)
        if standing is None and version is not None:
            raise NotFoundError(
                f"no procedure {name} stands here to be patched; leave version out to keep a new one"
            )
        repeated = bool(key) and acting.keyed(key, "").key in acting.store.state.keys
        if standing is None or (repeated and version is None):
            return _new(acting, name, text, told, grounds, key)
        view = acting.view(standing)
        if version is None:
            raise ConflictError(
                f"the procedure {name} stands at version {standing.version}; look at it, then pass version=… with that",
                current=view,
            )
        with whole(acting, "keep_procedure"):
            return replace_claim(
                acting,
                Verb.SUPERSEDE,
                standing.id,
                text,
                grounds or [_said(acting, name, told or view.value, "")],
                gist="",
                value=told or view.value,
                valid_from=None,
                version=version,
                because=because,
            )


def _must_name(name: str) -> None:
    if not _NAME.fullmatch(text_given(name, "the name")) or len(name) > NAME_LIMIT:
        raise InvalidError(
            f"{name!r} is no name of a procedure; use at most {NAME_LIMIT} small letters a-z, digits and single "
            "hyphens, as in deploy-a-service; the description may be in any language"
        )


def _new(
    acting: Acting, name: str, text: str, description: str, grounds: Grounds, key: str
) -> ClaimState:
    checked_text(description, "the description", limit=DESCRIPTION_LIMIT)
    wish = Wish.asked(
        text=text,
        kind=Kind.INFERRED,
        category=Category.PROCEDURE,
        subject=name,
        value=description,
    )
    with whole(acting, "keep_procedure"):
        named = grounds or [_said(acting, name, description, key)]
        seq, _, _ = keep_claim(acting, wish, named, key)
    return acting.store.state.claims[seq]


def _said(acting: Acting, name: str, description: str, key: str) -> str:
    """Return the message in which whoever keeps a procedure names it: its ground where none is given."""
    said = keep_source(
        acting, message_of(acting, f"{name}: {description}", (), None), said_key(key)
    )
    return acting.store.state.names[said]


def _standing(acting: Acting, name: str) -> ClaimState | None:
    """Return the procedure that stands under a name where this session keeps its own."""
    store = acting.store
    scope = store.state.scope_numbers.get(store.names.key_of(acting.claims_scope()), 0)
    for seq in store.state.by_category.get((scope, Category.PROCEDURE), ()):
        claim = store.state.claims[seq]
        beside = any(relation is Relation.CHALLENGES for relation, _ in claim.relations)
        if claim.lifecycle in _STANDS and claim.assertions and not beside:
            try:
                if store.words(claim.assertions[0])["subject"] == name:
                    return claim
            except UNREADABLE:
                continue
    return None


def skill_text(claim: Claim) -> str:
    """Return a procedure as the text of a SKILL.md; RefusedError for one that outside words went into."""
    written = "the person" if claim.integrity >= Integrity.USER else "an assistant"
    front = {
        "name": claim.subject,
        "description": json.dumps(cleaned(claim.value), ensure_ascii=False),
        "metadata": "",
        "  claim": json.dumps(claim.id),
        "  version": json.dumps(str(claim.version)),
        "  written-by": json.dumps(written),
    }
    lines = (f"{name}: {value}".rstrip() for name, value in front.items())
    return "\n".join(("---", *lines, "---", "", cleaned(claim.words).strip(), ""))


def must_be_own(claim: Claim) -> None:
    """Raise RefusedError for a procedure that outside words went into: exported it would be an instruction."""
    if claim.integrity < Integrity.AGENT:
        raise RefusedError(
            decide(
                "OUTSIDE_WORDS", "keep it yourself, from a session that read nothing from outside"
            )
        )
