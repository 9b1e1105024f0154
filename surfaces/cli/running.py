"""Running a command: build the app, call it, turn what went wrong into words and an exit code."""

import os
import sys
import traceback
from collections.abc import Iterable, Sequence

from cyclopts import App, CycloptsError, Group, Parameter
from cyclopts.exceptions import UnknownCommandError

from muniment import Language
from muniment.claims import MunimentError, RefusedError

from .exits import INTERNAL, INTERRUPTED, OK, PIPE_CLOSED, USAGE, exit_code
from .options import StoreOptions
from .safe import json_line, line_text, page_text
from .table import COMMANDS, TITLE
from .words import language, rule_words, speaking, spoken, word


def app() -> App:
    """Return the whole command line; a command's module is imported when it is called."""
    whole = App(
        name="muniment",
        help=TITLE,
        help_format="plaintext",
        help_epilogue="Exit codes, identity and every option: docs/reference/cli.md",
        version=_version,
        suppress_keyboard_interrupt=False,
        default_parameter=Parameter(negative=(), show_default=_default_words),
    )
    groups: dict[str, Group] = {}
    for place, command in enumerate(COMMANDS):
        group = groups.setdefault(command.group, Group(command.group, sort_key=len(groups)))
        whole.command(
            command.target,
            name=command.name,
            alias=command.alias or None,
            help=command.summary,
            group=group,
            sort_key=place,
        )
    return whole


def run(words: Sequence[str]) -> int:
    """Run one command line and return its exit code."""
    _forgive_output()
    os.environ.setdefault("LANCEDB_LOG", "error")  # else it warns of every table that it makes
    as_json = "--json" in words
    try:
        command, given, _ = app().parse_args(list(words), exit_on_error=False, print_error=False)
        with speaking(_asked(given.arguments.values())):
            try:
                result = command(*given.args, **given.kwargs)
            except MunimentError as error:
                return _report_ours(as_json, error)
        sys.stdout.flush()
        return result if isinstance(result, int) else OK
    except UnknownCommandError as error:
        name = str(words[0]).casefold()
        return _report(as_json, "usage", _meant(name, words) or str(error), USAGE)
    except CycloptsError as error:
        return _report(as_json, "usage", str(error), USAGE, "see: muniment COMMAND --help")
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED
    except OSError as error:
        return _report(as_json, "usage", str(error), USAGE)
    except KeyboardInterrupt:
        return _report(
            as_json, "interrupted", "stopped; what was reported done stands", INTERRUPTED
        )
    except Exception as error:
        message = f"{type(error).__name__}: {error}; please report this"
        trail = traceback.format_exc()
        return _report(as_json, "internal", message, INTERNAL, trail, more={"trail": trail})


def _asked(arguments: Iterable[object]) -> Language | None:
    """Return the language that the options of a command ask for."""
    return next((one.lang for one in arguments if isinstance(one, StoreOptions)), None)


# What people ask for and the store does not have, because it says more exactly what is meant.
_ASKED_FOR = {
    **dict.fromkeys(("delete", "remove", "rm", "del", "drop"), "delete"),
    **dict.fromkeys(("forget", "unlearn"), "forget"),
    **dict.fromkeys(("update", "edit", "modify", "set"), "update"),
}


def _meant(name: str, words: Sequence[str]) -> str:
    """Return which verb does what somebody asked for by a name that there is not, empty where that is unknown."""
    if name not in _ASKED_FOR:
        return ""
    plain = [one for one in words[1:2] if not one.startswith("-")]
    claim = plain[0] if plain else "CLAIM"
    said = " ".join(words).replace("--lang=", "--lang ")
    tongue: Language = "ko" if "--lang ko" in said else "en" if "--lang en" in said else language()
    return word(f"instead.{_ASKED_FOR[name]}", tongue, name=name, claim=claim)


def _default_words(value: object) -> str | None:
    """Return a default as the help shows it; what is off, empty or absent is not mentioned."""
    return str(value) if value or value == 0 and value is not False else None


def _version() -> str:
    from importlib.metadata import version

    return version("muniment")


def _forgive_output() -> None:
    """Make characters that the terminal's encoding lacks come out escaped instead of ending the command."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def _report_ours(as_json: bool, error: MunimentError) -> int:
    more: dict[str, object] = {}
    if isinstance(error, RefusedError):
        more = {"rule": error.decision.rule, "verdict": error.decision.verdict.value}
    differences = [str(line) for line in getattr(error, "difference", ())]
    if differences:
        more["difference"] = differences
    if owner := getattr(error, "owner", ""):
        more["owner"] = str(owner)
    message = spoken(str(error))
    if isinstance(error, RefusedError) and not as_json and language() != "en":
        message = f"{error.decision.rule}: {rule_words(error.decision.rule, error.decision.reason)}"
    return _report(as_json, error.kind, message, exit_code(error), *differences, more=more)


def _report(
    as_json: bool,
    kind: str,
    message: str,
    code: int,
    *hints: str,
    more: dict[str, object] | None = None,
) -> int:
    if as_json:
        print(json_line({"error": kind, "message": message, **(more or {})}), file=sys.stderr)
    else:
        print(f"muniment: {kind}: {line_text(message)}", file=sys.stderr)
        for hint in hints:
            print(
                "".join(f"  {line}\n" for line in page_text(hint).splitlines()),
                end="",
                file=sys.stderr,
            )
    return code
