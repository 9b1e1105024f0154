"""Credentials in a text: found by their form, never kept. A miss is possible and decides nothing but what is kept.

The forms of tokens are those of detect-secrets, which is imported when a text may hold one; nothing is sent anywhere.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Any

from muniment.claims import Decision

from .rules import decide

REMOVED = "[credential removed]"
Stretch = tuple[int, int]

# The detectors of detect-secrets that know a token by its form. Those for entropy, IP addresses and bare assignments
# take digests, identifiers and base64 for secrets, which ordinary text holds. Its forms for JWT, npm and OpenAI take a
# time that grows with the square of a run of letters, or worse: the same tokens are looked for below in bounded steps.
_DETECTORS = (
    ("aws", "AWSKeyDetector"),
    ("azure_storage_key", "AzureStorageKeyDetector"),
    ("discord", "DiscordBotTokenDetector"),
    ("github_token", "GitHubTokenDetector"),
    ("gitlab_token", "GitLabTokenDetector"),
    ("mailchimp", "MailchimpDetector"),
    ("pypi_token", "PypiTokenDetector"),
    ("sendgrid", "SendGridDetector"),
    ("slack", "SlackDetector"),
    ("square_oauth", "SquareOAuthDetector"),
    ("stripe", "StripeDetector"),
    ("telegram_token", "TelegramBotTokenDetector"),
    ("twilio", "TwilioKeyDetector"),
)
# What one of them needs to stand in a text; without it none is imported or asked.
_TOKEN_BEGINS = re.compile(
    r"A3T|ABIA|ACCA|AKIA|ASIA|[aA][wW][sS]|AccountKey=|gh[pousr]_|gl(?:pat|dt|ft|soat|rt|cbt|imt|ptt|agent|oas)-"
    r"|GR1348941|eyJ|-us[0-9]|_authToken|sk-|pypi-A|SG\.|[xX][oO][xX]|hooks\.slack|sq0csp-|[rs]k_live_|[0-9]{8}:"
    r"|AC[a-z0-9]{32}|SK[a-z0-9]{32}|[MNO][\w-]{23,25}\.[\w-]{6}\.",
    re.ASCII,
)
_PIECE, _OVERLAP = 8_192, 2_048
# Forms that came after them, or are bounded here.
_NEWER = re.compile(
    r"(?<![\w-])sk-[\w-]{0,200}T3BlbkFJ[A-Za-z0-9]{20}|:_authToken=\s{0,3}[\w-]{20,}"
    r"|github_pat_\w{22,}|sk-(?:proj|ant|svcacct|admin)-[\w-]{20,}|\bsk-[A-Za-z0-9]{32,}|AIza[\w-]{35}"
    r"|\bhf_[A-Za-z0-9]{30,}|\bnpm_[A-Za-z0-9]{36}|[rs]k_test_[0-9A-Za-z]{24}|dop_v1_[0-9a-f]{64}|ya29\.[\w-]{20,}"
    r"|\bxapp-[\w-]{20,}",
    re.ASCII,
)
_JWT = re.compile(r"(?<![\w-])eyJ[\w-]{5,4000}\.eyJ[\w-]{5,16000}(?![\w-])", re.ASCII)
_PRIVATE_KEY = re.compile(
    r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----.*?"
    r"(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|\Z)",
    re.DOTALL,
)
_IN_A_URL = re.compile(r"://[^\s/?#@:]*:([^\s/?#@{}<>$*]+)@")
_REST = re.compile(r"[\w.+/=-]{0,4096}", re.ASCII)

# What somebody calls a secret before saying it: "password: …", "비밀번호는 …".
_NAMED_BY = re.compile(
    r"pass|pwd|secret|api|access|auth|bearer|private|client|비밀|비번|패스|암호|인증|액세스|시크릿",
    re.IGNORECASE,
)
_CALLED = re.compile(
    r"(?:(?<![^\W_])(?:pass(?:word|wd|phrase|code)|passwd|pwd|secret[ _-]?(?:access[ _-]?)?key|client[ _-]?secret"
    r"|api[ _-]?(?:key|secret|token)|access[ _-]?(?:key|token)|auth[ _-]?(?:key|token)|private[ _-]?key)"
    r"|비밀번호|비번|패스워드|암호|API\s*키|(?:인증|액세스)\s*(?:키|토큰)|시크릿\s*키|비밀\s*키)"
    r"(?:\s+for\s+\S{1,40})?[\"'`*\]]{0,3}\s{0,3}"
    r"(?P<how>은|는|이|가|을|를|:=|=>|->|→|[:=：]|(?:is|was)\b(?:\s+(?:now|still|set to))?)\s{0,3}[:=]?\s{0,3}"
    r"[\"'`*“‘「\[(]{0,3}\s{0,2}(?P<said>[!-~]{6,200})",
    re.IGNORECASE,
)
_BEARER = re.compile(r"\bbearer\s+(?P<said>[\w.~+/=-]{20,})", re.IGNORECASE | re.ASCII)
_AROUND = 300
_TRIMMED = "\"'`*,;)]}>.:"
# A reference says where a secret lies, and is kept.
_REFERENCE = re.compile(
    r"(?:[a-z][a-z0-9+.-]*://|(?:vault|op|keyring|env|pass|bw|ssm|sops|file|arn):|[$<%{\[]|os\.environ|getenv|process\.env)",
    re.IGNORECASE,
)
_NO_SECRET = re.compile(
    r"(?:sha|aes|rsa|md5|hmac|ecdsa|ed25519|bcrypt|scrypt|argon2|pbkdf2|tls|ssl|oauth|utf|base64|x509|chacha|iso)[-_0-9a-z]*"
    r"|[x*•.#_-]+|(?:your|my|the|example|changeme|redacted|hidden|none|null|true|false)\S*",
    re.IGNORECASE,
)
_MARKS = re.compile(r"[!@#$%^&*+=?~|]")


def credentials_in(text: str) -> tuple[Stretch, ...]:
    """Return the stretches of a text, in code points, that seem to be credentials: in order, none touching another."""
    found: list[Stretch] = []
    if _TOKEN_BEGINS.search(text):
        found += _tokens(text)
        found += _web_tokens(text)
    found += (_to_its_end(text, match.span()) for match in _NEWER.finditer(text))
    found += (match.span() for match in _PRIVATE_KEY.finditer(text))
    found += (match.span(1) for match in _IN_A_URL.finditer(text) if _may_be(match[1]))
    found += _called(text)
    return _merged(found)


def without_credentials(text: str) -> str:
    """Return a text with a mark in the place of each credential."""
    for start, end in reversed(credentials_in(text)):
        text = f"{text[:start]}{REMOVED}{text[end:]}"
    return text


def parts_without_credentials(texts: Sequence[str]) -> tuple[str, ...]:
    """Return texts that follow each other with a mark in the place of each credential, also of one across two."""
    found, place = credentials_in("".join(texts)), 0
    if not found:
        return tuple(texts)
    kept: list[str] = []
    for text in texts:
        own, at = "", 0
        for start, end in found:
            first, past = max(start - place, 0), min(end - place, len(text))
            if first < past:
                own, at = f"{own}{text[at:first]}{REMOVED}", past
        kept.append(own + text[at:])
        place += len(text)
    return tuple(kept)


def judge_credentials(texts: Iterable[str]) -> Decision | None:
    """Return the decision that refuses texts of which one seems to hold a credential, None where none does."""
    return decide("CREDENTIAL") if any(text and credentials_in(text) for text in texts) else None


@cache
def _detectors() -> tuple[Any, ...]:
    from importlib import import_module  # of a second: only where a token may stand

    return tuple(
        getattr(import_module(f"detect_secrets.plugins.{module}"), name)()
        for module, name in _DETECTORS
    )


def _tokens(text: str) -> Iterator[Stretch]:
    """Yield what one of the forms knows, piece by piece: their time may grow with the square of a piece."""
    for first in range(0, len(text), _PIECE - _OVERLAP):
        past = first + _PIECE
        if not _TOKEN_BEGINS.search(text, first, past):
            continue
        for detector in _detectors():
            for form in detector.denylist:
                for match in form.finditer(text, first, past):
                    yield _to_its_end(text, match.span())


def _web_tokens(text: str) -> Iterator[Stretch]:
    """Yield the JSON web tokens: what reads like one and holds JSON."""
    from detect_secrets.plugins.jwt import JwtTokenDetector

    for match in _JWT.finditer(text):
        if JwtTokenDetector.is_formally_valid(match[0]):
            yield _to_its_end(text, match.span())


def _to_its_end(text: str, stretch: Stretch) -> Stretch:
    """Return a stretch with what goes on without a gap: a form may know the beginning of a token only."""
    rest = _REST.match(text, stretch[1])
    return stretch[0], rest.end() if rest else stretch[1]


def _called(text: str) -> Iterator[Stretch]:
    past = 0
    for hint in _NAMED_BY.finditer(text):
        if hint.start() < past:
            continue
        # No further than a line or so: a long text is not searched from each word on.
        first, past = max(hint.start() - 8, 0), hint.end() + _AROUND
        for form in (_CALLED, _BEARER):
            for match in form.finditer(text, first, past + _AROUND):
                said = match["said"].rstrip(_TRIMMED)
                if form is _BEARER or _may_be(said):
                    start = match.start("said")
                    yield start, start + len(said)


def _may_be(said: str) -> bool:
    """Return whether what follows such a name may be a secret rather than a word, a reference or a placeholder."""
    if len(said) < 6 or _REFERENCE.match(said) or _NO_SECRET.fullmatch(said) or REMOVED in said:
        return False
    letters = any(letter.isalpha() for letter in said)
    return letters and (any(letter.isdigit() for letter in said) or bool(_MARKS.search(said)))


def _merged(found: Iterable[Stretch]) -> tuple[Stretch, ...]:
    merged: list[Stretch] = []
    for start, end in sorted(found):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return tuple(merged)
