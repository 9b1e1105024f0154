"""Where copies of a tenant are: the mirrors of its keys and its backups, as far as it was told to make them."""

import logging
from datetime import datetime
from pathlib import Path

from pydantic import ValidationError

from muniment.claims import Value

from .files import write_file

_log = logging.getLogger(__name__)
_FILE = "copies.json"


class BackupKept(Value):
    """A backup that was made: where, over how many records, and until when it is to be kept."""

    id: str
    place: str
    records: int
    made_at: datetime
    keep_until: datetime


class Copies(Value):
    """The mirrors of the keys by their folder, and the backups, oldest first."""

    mirrors: tuple[str, ...] = ()
    backups: tuple[BackupKept, ...] = ()

    def with_mirror(self, place: Path) -> "Copies":
        """Return these with one more mirror."""
        mirrors = dict.fromkeys((*self.mirrors, str(place)))
        return self.model_copy(update={"mirrors": tuple(mirrors)})

    def with_backup(self, kept: BackupKept, now: datetime) -> "Copies":
        """Return these with one more backup, without those that are past their time and not there any more."""
        old = (one for one in self.backups if one.keep_until > now or Path(one.place).exists())
        backups = tuple(one for one in old if one.place != kept.place)
        return self.model_copy(update={"backups": (*backups, kept)})


def read_copies(folder: Path) -> Copies:
    """Return the copies of a tenant; a file that cannot be read counts as none and is logged."""
    try:
        return Copies.model_validate_json((folder / _FILE).read_bytes())
    except FileNotFoundError:
        return Copies()
    except (OSError, ValidationError) as error:
        _log.warning("%s cannot be read, so no copy is known: %s", _FILE, type(error).__name__)
        return Copies()


def write_copies(folder: Path, copies: Copies) -> None:
    """Write down where the copies are."""
    write_file(folder / _FILE, copies.model_dump_json(indent=1).encode("utf-8"), mode=0o600)
