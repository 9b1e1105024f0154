"""Who is at the keyboard: the operating system's user, mapped in store.toml, and nobody by name alone."""

import os
import sys

from muniment import Memory, Session
from muniment.claims import Decision, Integrity, RefusedError, Verdict

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


def person_of(memory: Memory, asked: str) -> str:
    """Return the person who acts, or raise RefusedError when the user may not act as the one asked for.

    A user mapped under [people] is that person and nobody otherwise; an operator may name any person.
    """
    user = os_user()
    operates = user in memory.host.operators
    own = memory.host.people.get(user, "")
    if not asked or asked == own:
        return own
    if operates:
        return asked
    who = f"person {own!r}" if own else "no person"
    raise RefusedError(
        Decision(
            verdict=Verdict.REFUSE,
            rule="NOT_OPERATOR",
            reason=f"the system's user {user!r} is {who} in store.toml and no operator, so it cannot act as {asked!r}",
        )
    )


def session_of(memory: Memory, options: SessionOptions) -> Session:
    """Return the session that the options ask for.

    What an agent has read before this process is not known here, so its mark starts at the bottom.
    """
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
