"""C11: a credential is never kept, not in a claim, a source, a block or a reason; the reference to a vault is."""

import base64
import hashlib
import json
import uuid
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muniment import Integrity, Memory, RefusedError, Session
from muniment.claims import SourceRecord
from muniment.policy import REMOVED, credentials_in, parts_without_credentials, without_credentials

Open = Callable[..., Memory]
# Put together here, so that no scanner takes this file for a leak; all are made up.
SECRETS = {
    "github": "gh" + "p_" + "a1B2c3D4e5" * 3 + "f6G7h8",
    "github, newer": "github_" + "pat_11ABCDE0Y0" + "xYz9" * 8,
    "aws": "AK" + "IAQ7RTN2LMZP4KXW9B",
    "openai": "s" + "k-proj-" + "Zq8_x-" * 6,
    "slack": "xo" + "xb-123456789012-" + "abcdefghij12",
    "stripe": "s" + "k_live_" + "4eC39HqLyjWDarjtT1zdp7dc"[:24],
    "gitlab": "gl" + "pat-" + "Xy12_zw34-" * 2,
    "jwt": ".".join(
        base64.urlsafe_b64encode(part).rstrip(b"=").decode()
        for part in (b'{"alg":"HS256"}', b'{"sub":"kimquux"}', b"signature-bytes-77")
    ),
    "private key": "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEpQIBAAKCAQEA7bq\n" * 4
    + "-----END RSA PRIVATE KEY-----",
}  # fmt: skip
SAID = {
    "english": ("my database password is {}", "Hunter2!plumquux"),
    "colon": ("login: kim, password: {}", "tr0ub4dor3plumquux"),
    "assignment": ("DB_PASSWORD={} in the file", "p4ssplumquux77"),
    "json": ('{{"api_key": "{}"}}', "9f8e7d6cplumquux5b4a"),
    "korean": ("와이파이 비밀번호는 {}예요", "Plumquux2024!"),
    "korean, colon": ("비번: {} 입니다", "kimquux19plum84"),
    "mixed": ("스테이징 DB password는 {} 이야", "St4ging!plumquux"),
    "korean, key": ("API 키는 {} 로 바꿨어", "plumquux7a8b9c0d"),
    "quoted": ("my password is `{}`", "plumquux4Ever99"),
    "bearer": ("Authorization: Bearer {}", "plumquuxABCDEF0123456789xyz"),
    "url": ("postgres://kim:{}@db.example/app", "plumquux9Secret"),
}
CREDENTIALS = [
    *((f"the token {secret} works", secret) for secret in SECRETS.values()),
    *((form.format(secret), secret) for form, secret in SAID.values()),
]
NAMES = [*SECRETS, *SAID]
ORDINARY = (
    "I changed my password yesterday.",
    "My password is too long to remember.",
    "The password policy is described in ISO-27001.",
    "Reset the password at https://wiki.example/reset2.",
    "비밀번호를 어제 바꿨다.",
    "비밀번호는 8자 이상이어야 한다.",
    "암호는 SHA-256으로 저장한다.",
    "비밀번호는 매달 바꾼다. 다음은 2026-03-02이다.",
    "API 키는 운영팀이 관리한다.",
    "The API key is stored in the vault, ask Minseo.",
    "The secret key to a good soup is patience.",
    "api key: see 1Password",
    "We use bearer tokens with a lifetime of 15 minutes.",
    "password: ********",
    "password: <your password>",
    "password: ${DB_PASSWORD}",
    "git commit 9fceb02d0ae598e95dc970b74767f19372d61af8 fixed it",
    f"sha256 {hashlib.sha256(b'a page').hexdigest()}",
    f"md5:{hashlib.md5(b'a page').hexdigest()}",
    f"request {uuid.UUID(int=0x12345678123456781234567812345678)} failed",
    "data:image/png;base64," + base64.b64encode(bytes(range(256)) * 40).decode(),
    "mail me at kim@example.com, port 8080, build 20260302.1",
    "https://wiki.example:8080/a/b?c=d#e",
    "The flight AC123 leaves at 10:45, seat 12A.",
    "숫자 12345678:90은 계좌번호가 아니다.",
    "회의는 금요일 10:30, 참석자는 kim1234입니다.",
    "password: vault://prod/db#password",
    "비밀번호는 op://team/db/password 에 있다.",
    "api_key = keyring:muniment/openai",
    "API 키는 env:OPENAI_API_KEY 로 읽는다.",
)
VAULTS = (
    "vault://secret/prod/db",
    "op://team/database/password",
    "keyring:muniment/openai",
    "env:DB_PASSWORD",
)


def held_in(folder: Path, secret: str) -> set[str]:
    """Return the files in which a secret stands, in any of the ways to write it."""
    pieces = [line for line in secret.split("\n") if len(line) > 12]
    needles = [piece.encode(form) for piece in pieces for form in ("utf-8", "utf-16-le")]
    needles += [base64.b64encode(secret.encode())]
    found: set[str] = set()
    for path in folder.rglob("*"):
        if path.is_file():
            raw = path.read_bytes()
            texts = [raw]
            try:
                texts.append(zlib.decompress(raw))
            except zlib.error:
                pass
            if any(needle in text for needle in needles for text in texts):
                found.add(path.name)
    return found


def opened(memory: Memory) -> str:
    """Return every word that the keys of a store open: what is sealed counts as kept too."""
    store, found = memory.store, list[str]()
    for seq in range(1, store.state.seq + 1):
        found += [json.dumps(words, ensure_ascii=False) for words in store.record(seq)[1]]
    return "\n".join(found)


def pieces_of(secret: str) -> Sequence[str]:
    """Return what of a secret must stand nowhere."""
    return [line for line in secret.split("\n") if len(line) > 12 and "-----" not in line] or [
        secret
    ]


@pytest.mark.parametrize(("text", "secret"), CREDENTIALS, ids=NAMES)
def test_a_credential_in_a_claim_is_refused_and_stands_nowhere(
    quick: Open, text: str, secret: str, caplog: pytest.LogCaptureFixture
) -> None:
    memory = quick()
    kim = memory.session(person="kim")
    bot = memory.session(person="kim", agent="bot")
    said = kim.message("Here is how to log in.")
    logins: list[Callable[[], object]] = [
        lambda: kim.remember(text, sources=[said]),
        lambda: bot.remember(text, sources=[said]),
        lambda: bot.remember("how to log in", gist=text, sources=[said]),
        lambda: kim.remember(text, kind="stated", sources=[said], key="k", sensitive=True),
        lambda: bot.remember("the login", subject="db", attribute="login", value=text, sources=[said]),
        lambda: kim.retract(kim.remember("x", sources=[said]), reason=text),
        lambda: kim.rewrite_block(f"Call me 민지\n{text}"),
        lambda: kim.erase(said, reason=text),
        lambda: memory.hold(said, reason=text),
        lambda: kim.request_forget(kim.remember("y", sources=[said]), reason=text),
    ]  # fmt: skip
    for attempt in logins:
        with pytest.raises(RefusedError) as caught:
            attempt()
        assert caught.value.decision.rule == "CREDENTIAL"
        assert "vault" in str(caught.value)
        assert all(piece not in str(caught.value) for piece in pieces_of(secret))

    kim.recall(text)
    kim.recall("login", present={"password": secret}, need=text)
    kim.search_conversations(text)
    everything = opened(memory)
    memory.close()
    assert all(piece not in everything for piece in pieces_of(secret))
    assert held_in(memory.path, secret) == set()
    assert all(piece not in caplog.text for piece in pieces_of(secret))


@pytest.mark.parametrize(("text", "secret"), CREDENTIALS, ids=NAMES)
def test_a_credential_in_a_source_is_removed_and_the_rest_is_kept(
    quick: Open, text: str, secret: str
) -> None:
    memory = quick()
    kim = memory.session(person="kim", session="s")
    around = "회의는 금요일이다. "

    sources = [
        kim.message(around + text),
        kim.message(parts=[("own", around), ("pasted", text)]),
        kim.document(f"{around}\n{text}\nThe end.", origin="https://wiki.example"),
        kim.tool_result("ci", {"log": text}, text=f"{around}{text}"),
    ]

    for source in sources:
        assert REMOVED in source.text
        assert all(piece not in source.text for piece in pieces_of(secret))
    assert all(around.strip() in source.text for source in sources)
    assert "The end." in sources[2].text
    for source in sources:
        header = memory.store.header(memory.store.state.ids[source.id])
        assert isinstance(header, SourceRecord) and header.decision.rule == "CREDENTIAL_REMOVED"
    kim.search_conversations("회의")
    list(kim.export())
    everything = opened(memory)
    memory.close()
    assert all(piece not in everything for piece in pieces_of(secret))
    assert held_in(memory.path, secret) == set()


def test_a_secret_told_across_the_parts_of_a_message_is_removed_too(quick: Open) -> None:
    memory = quick()
    kim = memory.session(person="kim")

    source = kim.message("The password is:\n```\nplumquux4Ever99\n```\nUse it.")
    split = kim.message(parts=[("own", "비밀번호는 "), ("pasted", "Plumquux2024!")])

    assert "plumquux4Ever99" not in source.text and "Use it." in source.text
    assert "Plumquux2024!" not in split.text


def test_names_of_origins_and_mutes_take_none(quick: Open) -> None:
    memory = quick()
    kim = memory.session(person="kim")
    url = "https://kim:plumquux9Secret@wiki.example/page"
    attempts: list[Callable[[], object]] = [
        lambda: kim.document("a page", origin=url),
        lambda: kim.document("a page", origin="https://wiki.example", asserted_source=url),
        lambda: kim.message(parts=[("pasted", "a page", url)]),
        lambda: kim.mute(theme="my password is plumquux9Secret"),
    ]
    for attempt in attempts:
        with pytest.raises(RefusedError, match="CREDENTIAL"):
            attempt()
    assert "plumquux9Secret" not in opened(memory)


def test_a_registered_field_that_held_one_is_not_the_tools_own_any_more(quick: Open) -> None:
    memory = quick()
    kim = memory.session(person="kim")
    secret = SECRETS["github"]

    source = kim.tool_result("whoami", {"login": secret})

    assert [part.integrity for part in source.parts] == [Integrity.EXTERNAL]
    assert secret not in opened(memory)


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_text_is_kept_as_it_is(quick: Open, text: str) -> None:
    memory = quick()
    kim = memory.session(person="kim")

    said = kim.message(text)

    assert said.text == text
    if len(text) < 4_000:
        assert kim.remember(text, kind="external", sources=[said]).words == text


@pytest.mark.parametrize("reference", VAULTS)
def test_the_reference_to_a_vault_is_kept_as_a_value(quick: Open, reference: str) -> None:
    memory = quick()
    kim = memory.session(person="kim")
    text = f"The database password is in {reference}"
    said = kim.message(text)

    claim = kim.remember(
        text,
        kind="stated",
        sources=[said],
        subject="database",
        attribute="password",
        value=reference,
    )

    assert (claim.value, claim.words) == (reference, text)
    assert kim.recall("database password").evidence[0].claim.value == reference


def test_ingest_takes_none_in(quick: Open) -> None:
    memory = quick()
    secret = SECRETS["slack"]
    lines = [
        {"type": "message", "person": "kim", "key": "m", "text": f"use {secret} for the bot"},
        {"type": "claim", "person": "kim", "text": f"use {secret}", "sources": ["m"]},
        {"type": "claim", "person": "kim", "text": "there is a bot", "sources": ["m"]},
    ]

    report = memory.ingest(json.dumps(line) for line in lines)

    assert (report.accepted, [error.line for error in report.errors]) == (2, [2])
    assert "CREDENTIAL" in report.errors[0].message and secret not in report.errors[0].message
    assert secret not in opened(memory)


def test_a_refusal_cannot_be_overridden(quick: Open) -> None:
    memory = quick()
    kim: Session = memory.session(person="kim")
    text = SAID["english"][0].format(SAID["english"][1])
    said = kim.message(text)
    assert text not in said.text

    with pytest.raises(RefusedError, match="CREDENTIAL"):
        kim.remember(text, kind="stated", sources=[said], anew=True)
    with pytest.raises(RefusedError, match="CREDENTIAL"):
        kim.remember(text, kind="stated", sources=[said], sensitive=True)


def test_what_is_refused_for_want_of_an_identity_says_so_first(quick: Open) -> None:
    with pytest.raises(RefusedError, match="NO_IDENTITY"):
        quick().session().remember(f"use {SECRETS['aws']}", sources=[])


@settings(max_examples=60, deadline=None)
@given(
    before=st.text(max_size=40),
    after=st.text(max_size=40),
    secret=st.sampled_from(list(SECRETS.values())),
    cut=st.integers(0, 200),
)
def test_wherever_it_stands_it_is_found_once_and_for_all(
    before: str, after: str, secret: str, cut: int
) -> None:
    text = f"{before} {secret} {after}"
    kept = without_credentials(text)

    assert all(piece not in kept for piece in pieces_of(secret))
    assert without_credentials(kept) == kept
    parts = (text[:cut], text[cut:])
    assert all(
        piece not in "".join(parts_without_credentials(parts)) for piece in pieces_of(secret)
    )


def test_a_long_text_is_looked_through_in_bounded_steps() -> None:
    secret = SECRETS["github"]
    runs = (
        "password ",
        "비밀번호 ",
        "eyJ",
        "eyJa.",
        "sk-",
        "://",
        "//",
        "pypi-AgEIcHlwaS5vcmc",
        "-----BEGIN ",
    )
    for run in runs:  # of a form that begins everywhere and ends nowhere
        assert len(credentials_in(run * (300_000 // len(run)))) <= 1, run
    assert credentials_in(("ghp_" + "a1B2" * 9) * 5_000) == ((0, 200_000),)
    text = "가나다 " * 20_000 + secret + " 라마바" * 20_000
    start = text.index(secret)
    assert credentials_in(text) == ((start, start + len(secret)),)
