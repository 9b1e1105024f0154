"""Asking a person at her terminal: what she types there, and only there."""

import os
import sys
from collections.abc import Mapping
from getpass import getpass
from typing import Literal

from muniment import Session
from muniment.claims import InvalidError

from .options import StoreOptions
from .words import word


def is_somebody_there(options: StoreOptions) -> bool:
    """Return whether a person can be asked: at a terminal, and not by a program that wants JSON."""
    return not options.json and sys.stdin.isatty()


def must_be_at_terminal(options: StoreOptions, what: str) -> None:
    """Raise InvalidError where nobody is there who could look at what is shown."""
    if not is_somebody_there(options):
        raise InvalidError(f"{what} at a terminal, by the person who looks at it")


def asked(prompt: str) -> str:
    """Return what is typed after a prompt; where the terminal was closed, the command ends as if stopped."""
    try:
        return input(f"{prompt} ").strip()
    except EOFError:
        raise KeyboardInterrupt from None


def chosen(prompt: str, answers: Mapping[str, str]) -> str:
    """Return the answer that was chosen, asking again for any that is none; `answers` maps what is typed to it."""
    while (typed := asked(prompt).casefold()) not in answers:
        pass
    return answers[typed]


def prove_here(session: Session, *, needed: bool = False) -> None:
    """Ask for the person's secret at the terminal where one is needed; it is read from nowhere else."""
    if session.needs_secret or needed:
        session.prove(secret_typed("ask"))


def secret_typed(ask: Literal["ask", "former", "new"], *, again: bool = False) -> str:
    """Return a secret typed at the terminal, twice where it is a new one."""
    secret = _typed(word(f"secret.{ask}"))
    if again and secret != _typed(word("secret.again")):
        raise InvalidError("the two are not the same; nothing was changed")
    return secret


def _typed(prompt: str) -> str:
    """Return what is typed at the terminal itself, whatever standard input is."""
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY))
    except OSError:
        raise InvalidError("the secret is typed at a terminal and read from nowhere else") from None
    return getpass(f"{prompt}: ")
