"""One step to change a claim: what is meant is chosen in plain words, and the right verb does it."""

from typing import Annotated

from cyclopts import Parameter
from rich.text import Text

from muniment import Choice, Session
from muniment.claims import Claim, InvalidError, RefusedError

from .asking import asked, chosen, is_somebody_there
from .changing import ChangeOptions, NewOptions, shown_changed
from .erasing import erase
from .exits import OK, PARTLY
from .opening import acting
from .options import SessionOptions, claim_at
from .restraining import shown_mute
from .showing import DIM, STRONG, Screen, claim_block, coded, emit, ruled
from .words import word

_OPTIONS, _CHANGE, _NEW = SessionOptions(), ChangeOptions(), NewOptions()
_TEXT = Parameter(allow_leading_hyphen=True)


def change(
    claim: str,
    /,
    *,
    wrong: Annotated[str, _TEXT] = "",
    changed: Annotated[str, _TEXT] = "",
    unused: bool = False,
    destroy: bool = False,
    yes: bool = False,
    new: NewOptions = _NEW,
    change: ChangeOptions = _CHANGE,
    options: SessionOptions = _OPTIONS,
) -> int:
    """Change what is remembered: it was wrong, the world changed, do not use it, or destroy it.

    Without one of these the ways are shown, and at a terminal one of them is asked for. New words are recorded as a
    message, unless --source says where they stand.

    Parameters
    ----------
    claim
        The claim as ID@VERSION, as tables show it.
    wrong
        It was never true: what is right instead.
    changed
        It was true until the world changed: what is true now.
    unused
        Do not use it: it stays, and is brought up nowhere.
    destroy
        Destroy it with everything written from it, after showing that.
    yes
        With --destroy: do not ask.
    """
    given = {"wrong": wrong, "changed": changed, "unused": unused, "destroy": destroy}
    means = [name for name, value in given.items() if value]
    if len(means) > 1:
        raise InvalidError(f"--{means[0]} and --{means[1]} are two ways; choose one of them")
    name, seen = claim_at(claim, change.version)
    with acting(options) as session:
        found, choices = session.claim(name), session.choices(name)
        text, value = wrong or changed, new.value
        if not means:
            answer = _shown(found, choices, options)
            if not answer:
                return PARTLY if is_somebody_there(options) else OK
            means, seen = [answer], found.version if seen is None else seen
            text, value = _new_words(found, answer)
            if answer in ("wrong", "changed") and not text:
                return PARTLY
        one = next(choice for choice in choices if choice.means == means[0])
        if one.means == "unused" and one.verb == "mute":
            return shown_mute(options, session.mute(name))
        if one.means != "destroy":
            how = ChangeOptions(version=seen, reason=change.reason, code=change.code)
            words = NewOptions(source=new.source, gist=new.gist, value=value)
            return _changed(session, found, one, text, words, how, options)
    return erase(name, reason=change.reason, yes=yes, options=options)


def _shown(found: Claim, choices: tuple[Choice, ...], options: SessionOptions) -> str:
    """Show a claim and the ways to change it, and return the one that is chosen at the terminal, empty for none."""
    if options.json:
        emit({"claim": found, "choices": choices})
        return ""
    screen = Screen()
    screen.block(claim_block(found, options.person or found.scope.person))
    for place, choice in enumerate(choices, 1):
        said = coded(word(f"choice.{choice.means}"), choice.verb)
        screen.put(Text.assemble((f"{place}. ", STRONG), said), hang=3)
        told = Text(word(f"choice_effect.{choice.verb}"), style=DIM)
        screen.put(told if choice.is_open else ruled(choice.decision), indent=3)
        if choice.decision.rule == "LOWER_INTEGRITY":
            screen.put(ruled(choice.decision), indent=3)
    open_ones = {str(place): one.means for place, one in enumerate(choices, 1) if one.is_open}
    if not is_somebody_there(options):
        screen.put(word("choice.how"))
        return ""
    return chosen(word("choice.ask"), {"": "", **open_ones})


def _new_words(found: Claim, means: str) -> tuple[str, str]:
    """Return what is so instead, and the value it gives the claim's attribute, as the person types them."""
    if means not in ("wrong", "changed"):
        return "", ""
    text = asked(word(f"choice.{means}_ask"))
    value = (
        asked(word("choice.value_ask", None, attribute=found.attribute)) if found.attribute else ""
    )
    return text, value


def _changed(
    session: Session,
    before: Claim,
    choice: Choice,
    text: str,
    new: NewOptions,
    change: ChangeOptions,
    options: SessionOptions,
) -> int:
    name, version = before.id, change.version
    reason, code = change.reason, change.code or ""
    if not choice.is_open:
        raise RefusedError(choice.decision)
    if choice.verb == "retract":
        found = session.retract(name, version=version, reason=reason, code=code)
        return shown_changed(session, found, name, options)
    if version is None:
        raise InvalidError(f"name the version you saw: write the claim as {name}@1")
    # What is not changed because another version was seen leaves no message behind either.
    said = (session.message(text),) if version == before.version and not new.source else ()
    do = session.correct if choice.verb == "correct" else session.supersede
    found = do(
        name,
        text,
        sources=new.source or said,
        gist=new.gist,
        value=new.value,
        version=version,
        reason=reason,
        code=code,
    )
    return shown_changed(session, found, name, options)
