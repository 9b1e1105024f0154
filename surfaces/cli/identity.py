"""Who is at the keyboard: the operating system's user, mapped in store.toml, and nobody by name alone."""

import os
import sys

from muniment import Memory, Session, roles_of
from muniment.claims import Integrity, RefusedError, Verdict
from muniment.lineage import Host
from muniment.policy import decide, judge_role

from .options import SessionOptions


def os_user() -> str:
    """Return the name of the operating system's user who runs this process, whatever the environment says."""
    if sys.platform == "win32":
        return os.getlogin()
    import pwd

    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:  # a user without an entry, as in some containers
        return str(os.geteuid())


def person_of(memory: Memory, asked: str | None) -> str:
    """Return the person who acts, or raise RefusedError when the user may not act as the one asked for.

    A user mapped under [people] is that person and nobody otherwise; the host may name any person. An empty name
    is nobody: nothing is found and nothing is kept.
    """
    user = os_user()
    own = memory.host.people.get(user, "")
    if asked is None or asked == own:
        return own
    if not asked:
        return ""
    if may(memory.host, "Memory.session"):
        return asked
    who = f"person {own!r}" if own else "no person"
    detail = f"the system's user {user!r} is {who} in store.toml, so it cannot act as {asked!r}"
    raise RefusedError(decide("NOT_YOUR_ROLE", detail))


def may(host: Host, call: str) -> bool:
    """Return whether a role of the system's user allows a call of the library."""
    return judge_role(call, roles_of(host, os_user())).verdict is not Verdict.REFUSE


def require(host: Host, call: str) -> None:
    """Raise RefusedError unless a role of the system's user allows a call of the library, named as in policy."""
    decision = judge_role(call, roles_of(host, os_user()))
    if decision.verdict is Verdict.REFUSE:
        raise RefusedError(decision)


def session_of(memory: Memory, options: SessionOptions) -> Session:
    """Return the session that the options ask for.

    Shared scopes, and agents that act for nobody, are for the host only: of nobody else store.toml says which of them
    they belong to, or are. What an agent has read before this process is not known here, so its mark starts at the
    bottom.
    """
    for name in ("org", "channel"):
        if getattr(options, name):
            require(memory.host, "Memory.session")
    person = person_of(memory, options.person)
    if options.agent and not person:
        require(memory.host, "Memory.session")
    session = memory.session(
        person=person,
        project=options.project,
        org=options.org,
        channel=options.channel,
        agent=options.agent,
        session=options.session,
    )
    if options.agent:
        session.lower_mark(Integrity.EXTERNAL)
    return session
