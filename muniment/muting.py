"""Muting a claim or a theme: it stays listed and is not brought up; and letting it in again."""

from muniment.claims import (
    Claim,
    Header,
    InvalidError,
    Mute,
    MuteRecord,
    Muting,
    NotFoundError,
    Right,
    Scope,
    canonical_text,
    checked_text,
    from_micros,
)
from muniment.lineage import theme_words, write_mute
from muniment.policy import judge_credentials, judge_own_memory

from .acting import Acting
from .given import text_given
from .keeping import must_allow

THEME_LIMIT = 200


def mute(acting: Acting, claim: Claim | str, theme: str, muting: Muting) -> Mute:
    """Mute a claim or a theme of this person's, or let it in again; as it is already, nothing is written."""
    about = text_given(theme, "theme", limit=THEME_LIMIT)
    if bool(claim) == bool(about):
        raise InvalidError("name either a claim or a theme, not both and not neither")
    verb = "mute" if muting is Muting.MUTED else "unmute"
    with acting.store.lock:
        if about:
            return _theme(acting, about, muting, verb)
        return _claim(acting, claim, muting, verb)


def _claim(acting: Acting, claim: Claim | str, muting: Muting, verb: str) -> Mute:
    node, held = acting.claim(claim), acting.store.state.restraint
    allowed = judge_own_memory(alone=acting.alone, own_scope=acting.owns(node))
    decision = must_allow(acting, verb, allowed)
    before = held.muted.get(node.seq, 0)
    if muting is Muting.MUTED and before:
        return _shown(acting, acting.store.header(before))
    if muting is Muting.UNMUTED and not before:
        raise _not_muted(acting.view(node))
    with acting.store.group() as store:
        header = write_mute(
            store,
            decision,
            acting.writer(Right.MANAGE),
            muting,
            scope=store.names.register_scope(acting.claims_scope()),
            claim=node.seq,
        )
    return _shown(acting, header)


def _not_muted(claim: Claim) -> InvalidError:
    """Return the error that says what mutes a claim that is not muted itself, and what to do about it."""
    ways = {
        "theme": "a theme mutes it: see mutes, and unmute the theme",
        "request": "somebody asked to forget it: decline that, or erase it",
        "ground": "all it rests on is muted: unmute that",
    }
    why = "; ".join(ways[by.value] for by in claim.muted)
    return InvalidError(f"{claim.id} is not muted{' itself: ' + why if why else ''}")


def _theme(acting: Acting, theme: str, muting: Muting, verb: str) -> Mute:
    checked_text(theme, "theme", limit=THEME_LIMIT)
    wanted, held = canonical_text(theme), acting.store.state.restraint
    if not wanted:
        raise InvalidError(f"theme {theme!r} holds no word; name what it is about")
    allowed = judge_own_memory(alone=acting.alone, own_scope=True)
    decision = must_allow(acting, verb, judge_credentials((theme,)) or allowed)
    own = Scope(person=acting.scope.person)
    number = acting.store.state.scope_numbers.get(acting.store.names.key_of(own), 0)
    before = next(
        (
            seq
            for seq, scope in held.themes.items()
            if scope == number and canonical_text(theme_words(acting.store, seq)) == wanted
        ),
        0,
    )
    if muting is Muting.MUTED and before:
        return _shown(acting, acting.store.header(before))
    if muting is Muting.UNMUTED and not before:
        raise NotFoundError(f"the theme {theme!r} is not muted; see what is with `muniment mutes`")
    with acting.store.group() as store:
        header = write_mute(
            store,
            decision,
            acting.writer(Right.MANAGE),
            muting,
            scope=store.names.register_scope(own),
            theme=before,
            words=theme if muting is Muting.MUTED else "",
        )
    return _shown(acting, header)


def list_mutes(acting: Acting) -> tuple[Mute, ...]:
    """Return the claims and themes that are muted for this session, oldest first; to an agent without the themes."""
    readable, held = acting.readable(), acting.store.state.restraint
    claims = [
        seq for node, seq in held.muted.items() if acting.store.state.claims[node].scope in readable
    ]
    themes = [seq for seq, scope in held.themes.items() if scope in readable and acting.alone]
    return tuple(_shown(acting, acting.store.header(seq)) for seq in sorted((*claims, *themes)))


def _shown(acting: Acting, header: Header) -> Mute:
    if not isinstance(header, MuteRecord):
        raise InvalidError(f"{header.id} mutes nothing")
    store = acting.store
    first = store.state.number(header.theme) or (0 if header.claim else header.seq)
    return Mute(
        id=header.id,
        muting=header.muting,
        claim=header.claim,
        theme=theme_words(store, first) if first else "",
        by=store.names.name(store.state.number(header.by)),
        at=from_micros(header.at),
    )
