"""The mac of a header: without the tenant's key nobody can add a record, change one or put it in another place.

It is taken over the header's own bytes with a mac of zeros in its place, which are the same bytes for whoever checks.
"""

import re
from hmac import compare_digest

from .keys import KeyRing

BLANK = "A" * 22  # sixteen zeros in base64url
_FIELD = re.compile(
    rb'"mac":"([A-Za-z0-9_-]{22})"'
)  # a header holds no words that could look like it
_EMPTY = b'"mac":"' + BLANK.encode("ascii") + b'"'


def authentic(keys: KeyRing, raw: bytes) -> tuple[bytes, str]:
    """Return the bytes of a header whose mac is BLANK with its mac in place, and the mac."""
    mac = keys.header_mac(raw)
    return raw.replace(_EMPTY, f'"mac":"{mac}"'.encode("ascii"), 1), mac


def bears_mac(raw: bytes) -> bool:
    """Return whether a header has a mac."""
    return _FIELD.search(raw) is not None


def is_authentic(keys: KeyRing, raw: bytes) -> bool:
    """Return whether a header's bytes were written with the tenant's key."""
    found = _FIELD.search(raw)
    if found is None:
        return False
    blank = raw[: found.start()] + _EMPTY + raw[found.end() :]
    return compare_digest(keys.header_mac(blank).encode("ascii"), found[1])
