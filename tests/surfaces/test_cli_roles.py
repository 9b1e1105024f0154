"""Roles on the command line: every command times every role, by the system's user and nothing else (P02)."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from muniment import Memory, Role
from muniment.policy import MAY
from muniment.surfaces.cli import COMMANDS
from muniment.testing import flat_embedder

from .conftest import Run

CANARY = "zanzibar-quokka-glockenspiel"
KOREAN = "이공이삼일이삼사가나다"
# What each command is given besides the store; a session's commands are in test_doors, here three of them do.
WORDS: dict[str, tuple[str, ...]] = {
    "ingest": ("-",),
    "erase-person": ("kim", "--dry-run"),
    "request": ("kim", "--out", "OUT/request.jsonl"),
    "certificate": ("NOTHING", "--out", "OUT/paper.json"),
    "hold": (),
    "retention": ("--everybody", "--dry-run"),
    "erase-tenant": ("default", "--dry-run"),
    "settle": ("--project", "apollo"),
    "account": ("kim", "active"),
    "origins": (),
    "corpus": ("list",),
    "policy": ("versions",),
    "audit": ("journal",),
    "index": (),
    "rebuild": (),
    "checkpoint": (),
    "statuses": (),
    "backup": ("OUT/backup", "--passphrase-file", "OUT/passphrase"),
    "keys": ("mirror", "OUT/mirror", "--passphrase-file", "OUT/passphrase"),
    "restore": ("OUT/none", "STORE", "--passphrase-file", "OUT/passphrase"),
}
MORE = (
    ("policy", ("try", "OUT/policy.toml")),
    ("policy", ("diff", "OUT/policy.toml")),
    ("audit", ("decisions",)),
    ("audit", ("receipts",)),
    ("audit", ("receipt", "RECEIPT")),
    ("audit", ("investigate", "CLAIM")),
    ("pause", ("--everyone", "--project", "zephyr")),
    ("resume", ("--everyone", "--project", "zephyr")),
)
CALLS = {
    ("retention", "--everybody"): "Memory.retention",
    ("corpus", "list"): "Memory.corpora",
    ("policy", "try"): "Memory.try_policy",
    ("policy", "diff"): "Memory.compare_policy",
    ("policy", "versions"): "Memory.policy_versions",
    ("pause", "--everyone"): "Memory.pause",
    ("resume", "--everyone"): "Memory.resume",
}


class World:
    """A store with words of kim's in it, in which the system's user has one role at a time."""

    def __init__(self, folder: Path, user: str) -> None:
        self.place, self.out, self.user = folder / "store", folder / "out", user
        self.out.mkdir()
        (self.out / "passphrase").write_text("correct horse 올바른 말\n", encoding="utf-8")
        (self.out / "policy.toml").write_text(
            'format = 1\npreset = "regulated"\n', encoding="utf-8"
        )
        with Memory.open(self.place, embedder=flat_embedder()) as memory:
            kim = memory.session(person="kim", project="apollo")
            said = kim.message(f"{CANARY}, 사번 {KOREAN}.")
            claim = kim.remember(said.text, kind="stated", category="constraint", sources=[said])
            self.receipt, self.claim = kim.recall(CANARY).receipt, claim.id
            bot = memory.session(agent="bot", project="apollo")
            seen = bot.tool_result("queue", {"length": 3})
            bot.remember(
                "length",
                kind="observed",
                field="length",
                gist="the queue is long",
                sources=[seen],
            )
            memory.index()

    def as_role(self, *roles: Role) -> None:
        """Give the system's user exactly these roles."""
        mine = json.dumps([self.user])
        given = {role: mine if role in roles else "[]" for role in Role}
        person = f'"{self.user}" = "lee"' if {Role.PERSON, Role.APPROVER} & {*roles} else ""
        approver = f'"{self.user}" = [{{ project = "apollo" }}]' if Role.APPROVER in roles else ""
        (self.place / "store.toml").write_text(
            f"format = 1\n[host]\nusers = {given[Role.HOST]}\noperators = {given[Role.OPERATOR]}\n"
            f"[people]\n{person}\n[roles]\nauditors = {given[Role.AUDITOR]}\n"
            f"custodians = {given[Role.CUSTODIAN]}\n[roles.approvers]\n{approver}\n",
            encoding="utf-8",
        )

    def words(self, command: str, given: tuple[str, ...]) -> tuple[str, ...]:
        """Return a whole command line."""
        names = {"OUT": str(self.out), "STORE": str(self.place), "NOTHING": self.claim}
        names |= {"RECEIPT": self.receipt, "CLAIM": self.claim}
        filled = ["/".join(names.get(step, step) for step in word.split("/", 1)) for word in given]
        place = () if command == "restore" else ("--store", str(self.place))
        return (command, *filled, *place, "--json")

    def digest(self) -> str:
        """Return the digest of every byte of the store."""
        whole = hashlib.sha256()
        for file in sorted(self.place.rglob("*")):
            if file.is_file() and file.name != "store.toml":
                whole.update(str(file.relative_to(self.place)).encode() + file.read_bytes())
        return whole.hexdigest()


@pytest.fixture
def world(run: Run, tmp_path: Path) -> World:
    """Return the world of one test."""
    made = run("init", "--store", str(tmp_path / "other"), "--json")
    return World(tmp_path, str(made.json["user"]))


def held(role: Role) -> frozenset[Role]:
    """Return what somebody has who is given one role: an approver is a person besides."""
    return frozenset({role, Role.PERSON} if role is Role.APPROVER else {role})


def given_of_each() -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield every command that is not a session's with what it is tried with."""
    for command in COMMANDS:
        if command.calls and not all(call.startswith("Session.") for call in command.calls):
            if command.name != "verify":
                yield command.name, WORDS[command.name]
    yield from MORE


def call_of(command: str, given: tuple[str, ...]) -> str:
    """Return the call that a command line is about."""
    first = given[0] if given else ""
    if command == "audit":
        return f"Auditor.{first}"
    found = next(one for one in COMMANDS if one.name == command)
    return CALLS.get((command, first)) or found.calls[0]


@pytest.mark.parametrize("role", [role for role in Role if role is not Role.HOST])
def test_every_command_is_refused_to_every_role_that_may_not(
    run: Run, world: World, role: Role
) -> None:
    world.as_role(role)
    before = world.digest()

    for command, given in given_of_each():
        if not MAY[call_of(command, given)] & held(role):
            ran = run(*world.words(command, given))
            assert (ran.code, json.loads(ran.err)["rule"]) == (4, "NOT_YOUR_ROLE"), command
            assert ran.out == "", command
            if command != "ingest":  # whose store may have to be made, so it is opened first
                assert world.digest() == before, command


@pytest.mark.parametrize("role", Role)
def test_every_command_is_open_to_every_role_that_may_and_shows_no_words(
    run: Run, world: World, role: Role
) -> None:
    world.as_role(role)

    for command, given in given_of_each():
        if MAY[call_of(command, given)] & held(role):
            ran = run(*world.words(command, given))
            assert "NOT_YOUR_ROLE" not in ran.err, (command, ran)
            if role is not Role.HOST:
                assert CANARY not in ran.out + ran.err, command
                assert KOREAN not in ran.out + ran.err, command


@pytest.mark.parametrize("role", [Role.AUDITOR, Role.CUSTODIAN, Role.OPERATOR])
def test_whoever_has_a_duty_alone_is_nobody_by_a_persons_commands(
    run: Run, world: World, role: Role
) -> None:
    world.as_role(role)
    for words in (
        *(("claims",), ("recall", CANARY), ("search-conversations", CANARY), ("export",)),
        *(("block",), ("review",), ("message", "hello"), ("show", "CLAIM"), ("why", "RECEIPT")),
        *(("investigate", "CLAIM", "--out", "OUT/told"), ("replay", "RECEIPT")),
    ):
        ran = run(*world.words(words[0], (*words[1:], "--project", "apollo")))
        told = ran.out.replace(f'"query": "{CANARY}"', "")
        assert CANARY not in told and KOREAN not in told and "the queue is long" not in told, words

    for named in (("--person", "kim"), ("--agent", "bot"), ("--person", "", "--agent", "bot")):
        for words in (("claims",), ("export",), ("message", "hello"), ("show", "CLAIM")):
            ran = run(*world.words(words[0], (*words[1:], "--project", "apollo", *named)))
            assert (ran.code, json.loads(ran.err)["rule"]) == (4, "NOT_YOUR_ROLE"), (named, words)


def test_an_auditor_writes_no_byte_by_any_command(run: Run, world: World) -> None:
    world.as_role(Role.AUDITOR)
    before = world.digest()

    for command, given in given_of_each():
        run(*world.words(command, given))
    run("verify", "--store", str(world.place))
    run("roles", "--store", str(world.place))

    assert world.digest() == before


def test_an_operator_sees_what_a_policy_would_rule_otherwise_but_no_words(
    run: Run, world: World
) -> None:
    (world.out / "policy.toml").write_text(
        'format = 1\n[tools.queue]\nfields = { length = "integer" }\n', encoding="utf-8"
    )
    tried = world.words("policy", ("try", "OUT/policy.toml"))
    world.as_role(Role.OPERATOR)

    assert [one["words"] for one in run(*tried).json["claims"]] == [""]
    assert run(*world.words("account", ("kim", "lapsed"))).code == 0
    world.as_role(Role.HOST)
    assert "length" in run(*tried).json["claims"][0]["words"]


def test_operators_of_a_description_without_users_are_the_host_as_before(
    run: Run, world: World
) -> None:
    described = world.place / "store.toml"
    described.write_text(f'format = 1\n[host]\noperators = ["{world.user}"]\n', encoding="utf-8")
    kims = ("claims", "--store", str(world.place), "--person", "kim", "--project", "apollo")

    assert len(run(*kims, "--json").lines) == 1
    described.write_text(
        f'format = 1\n[host]\nusers = []\noperators = ["{world.user}"]\n', encoding="utf-8"
    )
    assert run(*kims).code == 4


@pytest.mark.parametrize(
    ("described", "told"),
    [
        ("[roles]\nauditor = ['lee']", "'auditor'"),
        ("[roles]\nauditors = 'lee'", "auditors"),
        ("[host]\nuser = ['lee']", "'user'"),
        ("host = 3", "[host]"),
        ("[roles.approvers]\nlee = [{ project = 'apollo' }]", "[people]"),
        ("[people]\nlee = 'lee'\n[roles.approvers]\nlee = []", "needs scopes"),
        ("[people]\nlee = 'lee'\n[roles.approvers]\nlee = [{ person = 'kim' }]", "no person's"),
        ("[people]\nlee = 'lee'\n[roles.approvers]\nlee = [{ team = 'x' }]", "team"),
    ],
)
def test_a_wrong_description_is_named_and_gives_nobody_a_role(
    run: Run, world: World, described: str, told: str
) -> None:
    (world.place / "store.toml").write_text(f"format = 1\n{described}\n", encoding="utf-8")

    ran = run("claims", "--store", str(world.place), "--json")

    assert (ran.code, json.loads(ran.err)["error"]) == (8, "format")
    assert told in json.loads(ran.err)["message"]


def test_the_roles_are_listed_with_what_each_may(run: Run, world: World) -> None:
    world.as_role(Role.AUDITOR)

    listed = run("roles", "--store", str(world.place), "--json").json
    shown = run("roles", "--store", str(world.place)).out

    assert {one["role"]: one["held"] for one in listed["roles"]} == {
        role.value: role is Role.AUDITOR for role in Role
    }
    for one in listed["roles"]:
        assert set(one["may"]) == {call for call, may in MAY.items() if one["role"] in may}
    assert "Auditor.journal" in shown and "that is you" in shown
