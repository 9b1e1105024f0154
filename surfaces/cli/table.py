"""The commands as data: what each is called, where it lives, what it does in a line."""

from typing import NamedTuple

TITLE = "Memory that keeps, for every claim, where it came from and what it may do."
EXTRA = "pip install 'muniment[cli]'"

START, WRITE, READ, CHANGE = "Start", "Take in", "Look up", "Change"
HOLD, CARE = "Keep out of use", "Look after"


class Command(NamedTuple):
    """One command: its name, its function, its line of help, its group and its other name."""

    name: str
    target: str
    summary: str
    group: str
    alias: str = ""

    @property
    def calls(self) -> tuple[str, ...]:
        """The calls of the library it translates, as policy's table of roles names them."""
        return tuple(_CALLS.get(self.name, f"Session.{self.name.replace('-', '_')}").split())


def _command(
    name: str, module: str, summary: str, group: str, alias: str = "", function: str = ""
) -> Command:
    function = function or name.replace("-", "_")
    return Command(name, f"muniment.surfaces.cli.{module}:{function}", summary, group, alias)


COMMANDS = (
    _command(
        "tour", "touring", "Show in five minutes, on a fresh store, what the store promises.", START
    ),
    _command(
        "init", "keeping", "Make an empty store; whoever makes it becomes its operator.", START
    ),
    _command("ingest", "ingesting", "Take in a conversation, one JSON object a line.", WRITE),
    _command(
        "import", "importing", "Take in a file, such as an export.", WRITE, function="take_in"
    ),
    _command("message", "writing", "Record what a person (or an agent) said.", WRITE, "say"),
    _command("tool-result", "writing", "Record what a tool answered.", WRITE),
    _command("document", "writing", "Record a page, mail or file from outside.", WRITE),
    _command("remember", "writing", "Remember a claim that rests on something recorded.", WRITE),
    _command("task", "tending", "Keep, list and end work in progress, apart from memory.", WRITE),
    _command("procedure", "tending", "Keep how a task is done; write it as SKILL.md.", WRITE),
    _command("recall", "reading", "Find what is remembered, as evidence with its reasons.", READ),
    _command("assemble", "assembling", "Make the prompt for a question, within a budget.", READ),
    _command("search-conversations", "reading", "Find turns of past conversations.", READ),
    _command("attach", "answering", "Attach to a receipt the answer made of it.", READ),
    _command("why", "explaining", "Explain an answer, a sentence of it, or a claim.", READ),
    _command("compare", "answering", "Show two receipts side by side.", READ),
    _command("replay", "auditing", "Give an answer again as of then, and what differs now.", READ),
    _command("trace", "explaining", "Show what a claim rests on and what rests on it.", READ),
    _command("support", "explaining", "Show how many independent origins stand behind it.", READ),
    _command("weigh", "origins", "Show which value how many independent origins give.", READ),
    _command("history", "explaining", "Show what happened to a claim.", READ),
    _command(
        "investigate", "investigating", "Write all there is on a claim or answer, with proof.", READ
    ),
    _command("claims", "reading", "List the claims that may be read here.", READ),
    _command("show", "reading", "Show one claim or source whole.", READ),
    _command("block", "blocking", "Show what every prompt carries of the person.", READ),
    _command("block-history", "blocking", "Show who changed the block, and what.", READ),
    _command("review", "reviewing", "Go through what waits for the person.", READ),
    _command("stale", "renewing", "List what waits to be made anew, and why.", READ),
    _command("backdated", "auditing", "List what was recorded later than it claims.", READ),
    _command("diff", "renewing", "Show what a new version of a source changed.", READ),
    _command("change", "choosing", "Change what is remembered: choose what you mean.", CHANGE),
    _command("confirm", "changing", "Say that a claim still holds.", CHANGE),
    _command("correct", "changing", "Replace a claim that was wrong.", CHANGE),
    _command("supersede", "changing", "Replace a claim because the world changed.", CHANGE),
    _command("retract", "changing", "Withdraw a claim; its history stays.", CHANGE),
    _command("erase", "erasing", "Destroy a claim or a source with all written from it.", CHANGE),
    _command("erase-scope", "erasing", "Destroy everything kept in this scope.", CHANGE),
    _command("erase-person", "erasing", "Destroy everything of a person; for operators.", CHANGE),
    _command("request", "requesting", "List what names a person, and erase as decided.", CHANGE),
    _command("certificate", "certifying", "Write the signed certificate of an erasure.", CHANGE),
    _command("hold", "holding", "Keep something from being destroyed; for operators.", CHANGE),
    _command("retention", "retaining", "Destroy what is over by the policy, as shown.", CHANGE),
    _command("erase-tenant", "erasing", "Destroy a whole tenant; for operators.", CHANGE),
    _command("reinstate", "changing", "Let a withdrawn claim stand again.", CHANGE),
    _command("challenge", "changing", "Contradict a claim; both stay.", CHANGE),
    _command("regenerate", "changing", "Make a stale claim anew from what stands now.", CHANGE),
    _command("revoke", "renewing", "Revoke access to a source and what rests only on it.", CHANGE),
    _command("give-back", "renewing", "Give access to a source back.", CHANGE),
    _command("approve", "reviewing", "Let a claim that waits count.", CHANGE),
    _command("reject", "reviewing", "Let a claim that waits never count.", CHANGE),
    _command("keep-as-quotation", "reviewing", "Keep what waits as a quotation.", CHANGE),
    _command("settle", "overseeing", "Settle what lone agents let wait; for approvers.", CHANGE),
    _command("approve-origin", "reviewing_origins", "Let what a file brought in count.", CHANGE),
    _command(
        "reject-origin", "reviewing_origins", "Let what a file brought in never count.", CHANGE
    ),
    _command("mark-own", "reviewing_origins", "Mark a paste or a file as one's own words.", CHANGE),
    _command("endorse", "reviewing", "Make what a claim says the person's own.", CHANGE),
    _command("set-secret", "reviewing", "Set the secret that proves who approves.", CHANGE),
    _command("rewrite-block", "blocking", "Write the always-on block whole.", CHANGE),
    _command("accept-block", "blocking", "Let a write of the block that waits stand.", CHANGE),
    _command("decline-block", "blocking", "Destroy a write of the block that waits.", CHANGE),
    _command("put-back-block", "blocking", "Let the block be as it was once.", CHANGE),
    _command("clear-block", "blocking", "Destroy the block and its history.", CHANGE),
    _command("pause", "restraining", "Keep and bring up nothing until resumed.", HOLD),
    _command("resume", "restraining", "Resume what was paused.", HOLD),
    _command("mute", "restraining", "Do not bring a claim or a theme up; it stays.", HOLD),
    _command("unmute", "restraining", "Let a muted claim or theme in again.", HOLD),
    _command("mutes", "restraining", "List what is muted here.", HOLD),
    _command("request-forget", "restraining", "Ask that a claim be forgotten.", HOLD),
    _command("decline-forget", "restraining", "Decline to forget a claim.", HOLD),
    _command("requests", "restraining", "List what somebody asked to forget.", HOLD),
    _command("state", "governing", "Tell in a sentence what memory does here.", HOLD),
    _command("sensitive", "sensitivity", "List what is declared sensitive here.", HOLD),
    _command("declare-sensitive", "sensitivity", "Declare a claim or this scope sensitive.", HOLD),
    _command("lift-sensitive", "sensitivity", "Let it be ordinary again.", HOLD),
    _command("access", "governing", "Show whether memory may grow, prompt, be seen here.", HOLD),
    _command("account", "governing", "Say how a person's account stands; for operators.", HOLD),
    _command("origins", "origins", "List origins, say and propose which copy each other.", CARE),
    _command("corpus", "corpora", "Vouch for files by what they hold; renew and revoke.", CARE),
    _command("policy", "governing", "Show, compare or try a policy; list its versions.", CARE),
    _command("roles", "overseeing", "List who may do what in this store.", CARE),
    _command("audit", "overseeing", "Look at everything but words; for auditors.", CARE),
    _command("rules", "keeping", "List the policy's rules and the categories.", CARE),
    _command("export", "keeping", "Write out what may be read here, one JSON object a line.", CARE),
    _command("index", "keeping", "Fill the search index, or make it anew.", CARE),
    _command("rebuild", "keeping", "Make the lineage graph anew from the journal.", CARE),
    _command(
        "verify", "proving", "Check the store's files against each other and an anchor.", CARE
    ),
    _command("checkpoint", "proving", "Sign what the journal is now, for an anchor.", CARE),
    _command("statuses", "safekeeping", "List how every claim stands, without words.", CARE),
    _command("backup", "safekeeping", "Back up all but the keys of the words.", CARE),
    _command("keys", "safekeeping", "Mirror the keys to a place elsewhere.", CARE),
    _command("restore", "safekeeping", "Make a store anew from a backup.", CARE),
)

# What a command calls, where that is not the session's verb of its own name; nothing: it reads no store's words.
_CALLS = {
    "tour": "",
    "init": "",
    "rules": "",
    "roles": "",
    "ingest": "Memory.ingest",
    "import": "Session.import_lines",
    "task": "Session.task Session.tasks Session.finish_task",
    "procedure": "Session.keep_procedure Session.procedures Session.export_procedure",
    "change": "Session.choices",
    "support": "Session.evidence_of",
    "show": "Session.claim Session.source",
    "diff": "Session.difference",
    "why": "Session.why Session.why_not",
    "erase-person": "Memory.erase_person",
    "request": "Memory.request Memory.apply_request",
    "certificate": "Memory.certificate",
    "hold": "Memory.hold Memory.release Memory.holds",
    "retention": "Session.retention Session.retentions Memory.retention Memory.retentions",
    "erase-tenant": "Memory.erase_tenant",
    "mark-own": "Session.request_own Session.mark_own",
    "settle": "Approver.review Approver.approve Approver.reject",
    "endorse": "Session.request_endorsement Session.endorse Session.decline_endorsement",
    "requests": "Session.forget_requests",
    "access": "Session.may",
    "account": "Memory.set_account",
    "origins": "Memory.origins Memory.copied_origins Memory.same_origin Memory.apart",
    "corpus": "Memory.corpora Memory.register_corpus Memory.compare_corpus Memory.renew_corpus Memory.revoke_corpus",
    "policy": "Memory.policy_versions Memory.compare_policy Memory.try_policy",
    "audit": "Auditor.journal Auditor.decisions Auditor.receipts Auditor.receipt Auditor.investigate",
    "index": "Memory.index Memory.rebuild_index",
    "rebuild": "Memory.rebuild",
    "verify": "Memory.verify_files",
    "checkpoint": "Memory.checkpoint",
    "statuses": "Memory.statuses",
    "backup": "Memory.backup Memory.backups",
    "keys": "Memory.keys_mirror",
    "restore": "Memory.restore",
}


def short_help() -> str:
    """Return the help shown where the command line's own packages are missing."""
    width = max(len(command.name) for command in COMMANDS)
    lines = [f"Usage: muniment COMMAND [OPTIONS]\n\n{TITLE}\n"]
    lines += [f"  {command.name:<{width}}  {command.summary}" for command in COMMANDS]
    lines += ["", f"The commands need packages that are not installed here: {EXTRA}"]
    lines += ["The library works without them: from muniment import Memory"]
    return "\n".join(lines)
