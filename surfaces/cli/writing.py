"""Taking in: what somebody said, what a tool answered, what stands outside, and claims about it."""

import json
from dataclasses import dataclass
from typing import Annotated, Literal

from cyclopts import Parameter

from muniment.claims import (
    Category,
    Failure,
    InvalidError,
    Kind,
    Reasoning,
    Rejected,
    Source,
)

from .exits import OK
from .incoming import text_of
from .opening import acting
from .options import SessionOptions, Words, moment, pairs
from .safe import plain
from .showing import Screen, claim_block, emit, hint_lines, source_block

_OPTIONS = SessionOptions()


def message(
    text: Words = "",
    /,
    *,
    part: Annotated[
        tuple[tuple[Literal["own", "quoted", "pasted", "attached", "recalled"], str], ...],
        Parameter(allow_leading_hyphen=True),
    ] = (),
    said_at: str = "",
    key: str = "",
    anew: bool = False,
    replaces: str = "",
    options: SessionOptions = _OPTIONS,
) -> int:
    """Record what a person said, or an agent where --agent is given.

    Parameters
    ----------
    text
        The words; - reads them from standard input.
    part
        A part of the message with where its words come from, repeated in order, instead of TEXT.
    said_at
        When it was said, with its zone; otherwise now.
    key
        Idempotency key: the same key and words again change nothing.
    anew
        Say on purpose what you had erased.
    replaces
        The message that was edited; what rests only on it becomes stale.
    """
    words = _read(text)
    if bool(words) == bool(part):
        raise InvalidError("give either the words or --part, not both and not neither")
    with acting(options) as session:
        when = moment(said_at, "--said-at")
        said = session.message(
            words, parts=part, said_at=when, key=key, anew=anew, replaces=replaces
        )
        return _source(options, said)


def tool_result(
    tool: str,
    text: Words = "",
    /,
    *,
    field: tuple[str, ...] = (),
    said_at: str = "",
    key: str = "",
    options: SessionOptions = _OPTIONS,
) -> int:
    """Record what a tool answered.

    Parameters
    ----------
    tool
        The tool's name; its typed fields are registered in policy.toml.
    text
        The free text of the answer; - reads it from standard input.
    field
        A field of the answer as NAME=VALUE, repeated; 0 is a number, true a truth value, "0" in quotes a word.
    said_at
        When the tool answered, with its zone; otherwise now.
    key
        Idempotency key: the same key and content again change nothing.
    """
    fields = {name: _typed(value) for name, value in pairs(field, "--field").items()}
    with acting(options) as session:
        when = moment(said_at, "--said-at")
        return _source(
            options, session.tool_result(tool, fields, _read(text), said_at=when, key=key)
        )


def document(
    file: Words,
    /,
    *,
    origin: str,
    media_type: str = "text/plain",
    asserted_source: str = "",
    said_at: str = "",
    key: str = "",
    anew: bool = False,
    replaces: str = "",
    options: SessionOptions = _OPTIONS,
) -> int:
    """Record a page, mail or file from outside.

    Parameters
    ----------
    file
        The file that holds its text; - reads standard input.
    origin
        Where it comes from: https://… or mail:somebody@….
    media_type
        What it is written in.
    asserted_source
        Who it says it is from; kept, and decides nothing.
    said_at
        When it was written, with its zone.
    key
        Idempotency key: the same key and content again change nothing.
    anew
        Take in on purpose what you had erased.
    replaces
        Its version before; what rests only on that becomes stale.
    """
    text = text_of(file)
    with acting(options) as session:
        source = session.document(
            text,
            origin=origin,
            media_type=media_type,
            asserted_source=asserted_source,
            said_at=moment(said_at, "--said-at"),
            key=key,
            anew=anew,
            replaces=replaces,
        )
        return _source(options, source)


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class ClaimOptions:
    """What is said about a claim beside its words."""

    kind: Kind = Kind.INFERRED
    """The kind asked for; the answer says which it became and why."""
    category: Category = Category.FACT
    """What it is about; see: muniment rules."""
    source: tuple[str, ...] = ()
    """What it rests on: the identifier of a source or claim, repeated."""
    gist: str = ""
    """A wording of it for search, marked as a model's."""
    field: str = ""
    """The tool's field it was read off, for an observed claim."""
    subject: str = ""
    """Whom or what it is about."""
    attribute: str = ""
    """Which property of the subject."""
    value: str = ""
    """The value of that property."""
    task: str = ""
    """The kind of task a preference is for."""
    because: str = ""
    """Why it was decided."""
    rejected: tuple[str, ...] = ()
    """An alternative that was rejected, as PLAN=WHY, repeated."""
    symptom: str = ""
    """What was seen when it failed."""
    cause: str = ""
    """Why it failed."""
    did_not_work: tuple[str, ...] = ()
    """What did not help, repeated."""
    fixed_by: str = ""
    """What helped."""
    environment: str = ""
    """Where it failed; elsewhere it is to be checked again."""
    valid_from: str = ""
    """From when it is true."""
    valid_to: str = ""
    """Until when it is true."""
    expires_at: str = ""
    """From when it is not applied any more."""
    recheck_at: str = ""
    """From when it is shown as one to check again."""
    recheck_when: str = ""
    """The event after which to check it again, in words."""
    parents_complete: bool = False
    """Nothing else than the named sources went into it: a statement of the host's."""


_CLAIM = ClaimOptions()


def failure_of(claim: ClaimOptions) -> Failure:
    """Return how something failed, as the options say."""
    return Failure(
        symptom=claim.symptom,
        cause=claim.cause,
        did_not_work=claim.did_not_work,
        fixed_by=claim.fixed_by,
        environment=claim.environment,
    )


def reasoning_of(claim: ClaimOptions) -> Reasoning:
    """Return why something was decided, as the options say."""
    rejected = pairs(claim.rejected, "--rejected").items()
    return Reasoning(
        because=claim.because,
        rejected=tuple(Rejected(plan=plan, why=why) for plan, why in rejected),
    )


def remember(
    text: Words,
    /,
    *,
    claim: ClaimOptions = _CLAIM,
    key: str = "",
    anew: bool = False,
    sensitive: bool = False,
    options: SessionOptions = _OPTIONS,
) -> int:
    """Remember a claim that rests on something recorded; the store decides its kind.

    Parameters
    ----------
    text
        The claim; for a stated one words that stand in the person's own message. - reads standard input.
    key
        Idempotency key: the same key and content again change nothing.
    anew
        Let in on purpose what you had erased.
    sensitive
        Declare it sensitive: it comes on explicit need only.
    """
    with acting(options) as session:
        found = session.remember(
            _read(text),
            kind=claim.kind,
            category=claim.category,
            gist=claim.gist,
            sources=claim.source,
            field=claim.field,
            subject=claim.subject,
            attribute=claim.attribute,
            value=claim.value,
            task=claim.task,
            failure=failure_of(claim),
            reasoning=reasoning_of(claim),
            valid_from=moment(claim.valid_from, "--valid-from"),
            valid_to=moment(claim.valid_to, "--valid-to"),
            expires_at=moment(claim.expires_at, "--expires-at"),
            recheck_at=moment(claim.recheck_at, "--recheck-at"),
            recheck_when=claim.recheck_when,
            parents_complete=claim.parents_complete,
            key=key,
            anew=anew,
            sensitive=sensitive,
        )
    if options.json:
        emit(found)
    else:
        Screen().block((*claim_block(found, found.scope.person), *hint_lines(found.hints)))
    return OK


def _source(options: SessionOptions, source: Source) -> int:
    if options.json:
        emit(plain(source))
    else:
        Screen().block(source_block(source))
    return OK


def _read(text: str) -> str:
    """Return the text, or standard input where the text is a lone hyphen."""
    return text_of("-") if text == "-" else text


def _typed(value: str) -> str | int | bool:
    """Return a field's value: a JSON number, truth value or string where it is one, otherwise the word."""
    try:
        found = json.loads(value)
    except ValueError:
        return value
    return found if isinstance(found, str | int | bool) else value
