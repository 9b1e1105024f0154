"""Identifiers: UUIDv7 written as 22 characters of base64url, so they sort roughly by time."""

import re
from base64 import urlsafe_b64encode
from collections.abc import Callable

from uuid_utils import uuid7

_SHAPE = re.compile(r"[A-Za-z0-9_-]{22}")

IdFactory = Callable[[], str]


def new_id() -> str:
    """Return a fresh identifier of 22 characters."""
    return urlsafe_b64encode(uuid7().bytes).rstrip(b"=").decode("ascii")


def is_id(text: str) -> bool:
    """Return whether a text has the shape of an identifier."""
    return _SHAPE.fullmatch(text) is not None
