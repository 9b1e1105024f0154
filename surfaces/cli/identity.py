"""Who is at the keyboard: the operating system's user, mapped in store.toml, and nobody by name alone."""

import os
import sys

from muniment import Memory, Session
from muniment.claims import Decision, Integrity, RefusedError, Verdict
from muniment.lineage import Host

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

    A user mapped under [people] is that person and nobody otherwise; an operator may name any person. An empty name
    is nobody: nothing is found and nothing is kept.
    """
    user = os_user()
    operates = user in memory.host.operators
    own = memory.host.people.get(user, "")
    if asked is None or asked == own:
        return own
    if not asked:
        return ""
    if operates:
        return asked
    who = f"person {own!r}" if own else "no person"
    raise _refusal(
        f"the system's user {user!r} is {who} in store.toml, so it cannot act as {asked!r}"
    )


def require_operator(memory: Memory, what: str) -> None:
    """Raise RefusedError unless the system's user is an operator of the store."""
    require_operator_of(memory.host, what)


def require_operator_of(host: Host, what: str) -> None:
    """Raise RefusedError unless the system's user is an operator of a store that is not opened."""
    user = os_user()
    if user not in host.operators:
        raise _refusal(f"{what} is for operators in store.toml; the system's user {user!r} is none")


def _refusal(reason: str) -> RefusedError:
    return RefusedError(Decision(verdict=Verdict.REFUSE, rule="NOT_OPERATOR", reason=reason))


def session_of(memory: Memory, options: SessionOptions) -> Session:
    """Return the session that the options ask for.

    Shared scopes are open to operators only, since store.toml says of nobody else which of them they belong to.
    What an agent has read before this process is not known here, so its mark starts at the bottom.
    """
    for name in ("org", "channel"):
        if getattr(options, name):
            require_operator(memory, f"--{name}")
    session = memory.session(
        person=person_of(memory, options.person),
        project=options.project,
        org=options.org,
        channel=options.channel,
        agent=options.agent,
        session=options.session,
    )
    if options.agent:
        session.lower_mark(Integrity.EXTERNAL)
    return session
