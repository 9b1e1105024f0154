"""The table of rules: every decision is one row of it."""

from muniment.claims import Decision, Value, Verdict

CHECKED_IN = "tests/policy/test_every_rule_has_a_check.py::test_every_rule_is_reached_by_its_check"


class Rule(Value):
    """One row: a code that never changes, its verdict, its reason in plain words and the promise behind it."""

    code: str
    verdict: Verdict
    reason: str
    promise: str

    @property
    def check(self) -> str:
        """The test that reaches the rule, as pytest names it in this repository."""
        return f"{CHECKED_IN}[{self.code}]"


def _rule(code: str, verdict: Verdict, promise: str, reason: str) -> Rule:
    return Rule(code=code, verdict=verdict, reason=reason, promise=promise)


_TABLE = (
    _rule("OWN_WORDS", Verdict.ALLOW, "C02", "the words stand in a message the person wrote"),
    _rule("TYPED_FIELD", Verdict.ALLOW, "C02", "the value is a typed field of a registered tool"),
    _rule(
        "TAKEN_AS_IS",
        Verdict.ALLOW,
        "C02",
        "the words are the source's own; they are kept as coming from outside",
    ),
    _rule("DERIVED", Verdict.ALLOW, "C02", "a model's conclusion from what it names"),
    _rule(
        "EXTERNAL_LINEAGE",
        Verdict.LOWER,
        "P01",
        "something from outside went into it, so it is no more than outside information",
    ),
    _rule(
        "NO_USER_SPAN",
        Verdict.LOWER,
        "C02",
        "the words do not stand in a message the person wrote, so it is kept as a guess",
    ),
    _rule(
        "NOT_OWN_PART",
        Verdict.LOWER,
        "C02",
        "the person passed these words on but did not write them, so they count as from outside",
    ),
    _rule(
        "ANOTHERS_WORDS",
        Verdict.REFUSE,
        "P08",
        "another member said it, so no agent keeps it for anybody but her; the person herself may note what she heard",
    ),
    _rule(
        "BARE_CONFIRMATION",
        Verdict.LOWER,
        "C02",
        "a bare confirmation says nothing by itself, so it is kept as a guess",
    ),
    _rule(
        "PART_OF_A_SENTENCE",
        Verdict.LOWER,
        "P01",
        "it is a piece cut out of a sentence of the person's, which may say something else, so it is kept as a guess",
    ),
    _rule(
        "WITHDRAWN",
        Verdict.REFUSE,
        "C07",
        "the same was corrected, replaced or withdrawn, and nothing said since then says it anew",
    ),
    _rule(
        "NO_TOOL_RESULT",
        Verdict.LOWER,
        "C02",
        "no recorded tool result is named, so nothing was observed; it is kept as a guess",
    ),
    _rule(
        "UNREGISTERED_TOOL",
        Verdict.LOWER,
        "C02",
        "the tool or the field is not registered in policy.toml, so it counts as from outside",
    ),
    _rule(
        "FREE_TEXT",
        Verdict.LOWER,
        "C02",
        "only typed fields of a tool are observations; its free text counts as from outside",
    ),
    _rule(
        "VALUE_NOT_SAID",
        Verdict.LOWER,
        "P01",
        "the account or contact does not stand in the words quoted, so it is kept as a guess",
    ),
    _rule(
        "REWORDED",
        Verdict.LOWER,
        "C02",
        "the words are not the source's own, so it is a model's restatement",
    ),
    _rule(
        "NO_EVIDENCE",
        Verdict.REFUSE,
        "C02",
        "it names neither a source nor a claim it rests on; pass sources=[…]",
    ),
    _rule(
        "NO_IDENTITY",
        Verdict.REFUSE,
        "P03",
        "nobody is named in this session, so nothing is kept and nothing is found",
    ),
    _rule(
        "HIDDEN_CHARACTERS",
        Verdict.REFUSE,
        "P10",
        "hidden characters stand in something that directs or names a recipient; remove them and say it again",
    ),
    _rule("RECORDED", Verdict.ALLOW, "L09", "kept as it came, labelled by its channel"),
    _rule(
        "NEW_VERSION", Verdict.ALLOW, "L11", "a new version of what the same principal kept here"
    ),
    _rule(
        "NOT_YOUR_SOURCE",
        Verdict.REFUSE,
        "L11",
        "only whoever kept it, in the same scope, or the person she kept it for brings a new version of it",
    ),
    _rule("DISCLOSED", Verdict.ALLOW, "L03", "given out to somebody who may read it"),
    _rule(
        "ENOUGH_STANDING",
        Verdict.ALLOW,
        "C06",
        "whoever changes it stands at least as high as what is changed",
    ),
    _rule(
        "LOWER_INTEGRITY",
        Verdict.CHALLENGE,
        "P01",
        "the newcomer stands lower than what it would replace, so both are kept and the first stays current",
    ),
    _rule(
        "LOWER_CHANGE",
        Verdict.REFUSE,
        "P01",
        "whoever asks stands lower than the claim; name in sources=[…] what the person has said about it since",
    ),
    _rule(
        "NOT_YOUR_SCOPE",
        Verdict.REFUSE,
        "P02",
        "the claim is not this person's alone; change it from a session of its own scope",
    ),
    _rule(
        "NOT_CURRENT",
        Verdict.REFUSE,
        "C06",
        "the claim is no longer current; change the one that replaced it",
    ),
    _rule(
        "NOT_WITHDRAWN",
        Verdict.REFUSE,
        "L04",
        "only what was withdrawn, corrected or replaced can be reinstated, and this was not",
    ),
    _rule(
        "NOT_STALE",
        Verdict.REFUSE,
        "L04",
        "what it rests on stands, so there is nothing to make anew; correct or supersede it",
    ),
    _rule("READABLE", Verdict.ALLOW, "R01", "in scope, current and valid now"),
    _rule("CORRECTED", Verdict.REFUSE, "C07", "it was corrected: it was never true"),
    _rule("SUPERSEDED", Verdict.REFUSE, "C07", "it was replaced by a newer one"),
    _rule("RETRACTED", Verdict.REFUSE, "C07", "it was withdrawn"),
    _rule("REJECTED", Verdict.REFUSE, "P05", "the person rejected it"),
    _rule("PENDING", Verdict.REFUSE, "P05", "it waits for the person"),
    _rule("ERASED", Verdict.REFUSE, "L05", "it was erased"),
    _rule(
        "MAY_ERASE", Verdict.ALLOW, "L05", "the person whose it is, or the host, has it destroyed"
    ),
    _rule(
        "ONLY_THE_PERSON",
        Verdict.REFUSE,
        "P16",
        "only the person whose it is may erase, herself; an agent may ask her to",
    ),
    _rule(
        "ON_LEGAL_HOLD",
        Verdict.REFUSE,
        "L05",
        "a legal hold keeps it, so nothing of this is destroyed until that is released",
    ),
    _rule(
        "MAY_HOLD",
        Verdict.ALLOW,
        "L05",
        "the operator keeps it from being destroyed, or lets go of it again",
    ),
    _rule("SUPPRESSED", Verdict.REFUSE, "L05", "it is not taken in here"),
    _rule(
        "STALE",
        Verdict.REFUSE,
        "C07",
        "something it rests on changed; it must be made anew before it counts",
    ),
    _rule(
        "RESTRICTED",
        Verdict.REFUSE,
        "L07",
        "access to the source it was made from is revoked",
    ),
    _rule(
        "KEY_MISSING",
        Verdict.REFUSE,
        "L12",
        "the store was restored without the key of its words, so they cannot be read",
    ),
    _rule("EXPIRED", Verdict.REFUSE, "C05", "its time is over"),
    _rule("NOT_YET_VALID", Verdict.REFUSE, "C05", "its time has not come"),
    _rule("RECHECK_DUE", Verdict.LOWER, "C05", "it is due to be checked again"),
    _rule(
        "CHALLENGED_BY_LOWER_INTEGRITY",
        Verdict.LOWER,
        "P01",
        "something of lower standing contradicts it; it stays current",
    ),
    _rule(
        "OWN_WORDS_FIRST",
        Verdict.REFUSE,
        "C09",
        "the person's own words say something else of the same, and they go before a guess",
    ),
    _rule("CONFLICT", Verdict.LOWER, "C09", "another claim of equal standing contradicts it"),
    _rule(
        "PRESENT_VALUE",
        Verdict.LOWER,
        "C08",
        "the present request states a value of its own, which goes first",
    ),
    _rule(
        "NEWER_IN_SLOT",
        Verdict.LOWER,
        "R03",
        "by its wording something newer says another value of the same; it is kept beside it as background",
    ),
    _rule(
        "NOT_DIRECTIVE",
        Verdict.REFUSE,
        "P01",
        "only a person's own constraint may direct; this is not one",
    ),
    _rule(
        "OUTSIDE_WORDS",
        Verdict.REFUSE,
        "P01",
        "words from outside never direct and never describe the person",
    ),
    _rule("CRITICAL_SLOT", Verdict.REFUSE, "P01", "accounts and contacts do not personalise"),
    _rule(
        "UNTRUSTED_VALUE",
        Verdict.REFUSE,
        "P01",
        "an account or contact is used to act only from the person, a registered tool or a registered file",
    ),
    _rule("BLOCK_WRITTEN", Verdict.ALLOW, "B02", "the block is as its writer wants it"),
    _rule(
        "BLOCK_EMPTY",
        Verdict.REFUSE,
        "B02",
        "an empty text would wipe the block, so nothing was changed; to clear it is an act of its own",
    ),
    _rule(
        "BLOCK_TOO_LONG",
        Verdict.REFUSE,
        "B01",
        "the block would be too long and is never cut, so nothing was changed; merge or drop lines",
    ),
    _rule(
        "BLOCK_WAITS",
        Verdict.HOLD,
        "B06",
        "a new line may come from outside, so the block waits for the person to look at it",
    ),
    _rule(
        "ONLY_HER_BLOCK",
        Verdict.REFUSE,
        "B02",
        "only the person herself accepts, declines, puts back or clears her block",
    ),
    _rule(
        "WAITS_INTERPRETATION",
        Verdict.HOLD,
        "P05",
        "an interpretation of the person waits until she has looked at it",
    ),
    _rule(
        "WAITS_DEFINITION",
        Verdict.HOLD,
        "C18",
        "a term that others will rely on waits until the person has looked at it",
    ),
    _rule(
        "WAITS_DIRECTIVE",
        Verdict.HOLD,
        "P05",
        "what directs waits until the person has approved it",
    ),
    _rule(
        "WAITS_REVIEW",
        Verdict.HOLD,
        "P05",
        "whatever an agent keeps here waits until the person has looked at it",
    ),
    _rule("SETTLED", Verdict.ALLOW, "P05", "the person looked at it and decided"),
    _rule(
        "SETTLED_BY_APPROVER",
        Verdict.ALLOW,
        "P05",
        "whoever approves for this scope, which is no person's, looked at it and decided",
    ),
    _rule("NOT_WAITING", Verdict.REFUSE, "P05", "it does not wait for anybody"),
    _rule(
        "ONLY_SHE_APPROVES",
        Verdict.REFUSE,
        "P05",
        "only the person herself approves, rejects and endorses, and no agent for her",
    ),
    _rule(
        "APPROVED_BY_HER",
        Verdict.REFUSE,
        "P05",
        "the person approved it, so she alone withdraws or renews it; contradict it, or ask her",
    ),
    _rule("ENDORSED", Verdict.ALLOW, "P01", "the person saw exactly this and makes it her own"),
    _rule(
        "NEVER_ENDORSED",
        Verdict.REFUSE,
        "P01",
        "a recipient, account, endpoint or permission is typed by the person herself and never endorsed",
    ),
    _rule("HERS_ALREADY", Verdict.REFUSE, "P01", "it is the person's own already"),
    _rule(
        "DECLINED_BEFORE",
        Verdict.REFUSE,
        "P01",
        "the person declined this before; nobody asks her twice, she herself says it anew",
    ),
    _rule(
        "TOO_MANY_REQUESTS",
        Verdict.REFUSE,
        "P01",
        "this origin asked to be endorsed too often; wait an hour",
    ),
    _rule(
        "REQUEST_LAPSED",
        Verdict.REFUSE,
        "P01",
        "the request is older than ten minutes; ask again and look again",
    ),
    _rule(
        "PAYLOAD_CHANGED",
        Verdict.REFUSE,
        "P01",
        "it is not exactly what was shown any more; ask again and look again",
    ),
    _rule("PROVEN", Verdict.ALLOW, "P05", "the person has proven that it is she"),
    _rule(
        "SECRET_NEEDED",
        Verdict.REFUSE,
        "P05",
        "the person's secret is needed for this; prove it in this session first",
    ),
    _rule("WRONG_SECRET", Verdict.REFUSE, "P05", "this is not the person's secret"),
    _rule(
        "TOO_MANY_TRIES",
        Verdict.REFUSE,
        "P05",
        "the secret was wrong too often; wait ten minutes",
    ),
    _rule(
        "NO_SECRET",
        Verdict.REFUSE,
        "P01",
        "the person has set no secret, so nobody can prove that it is she; set one first",
    ),
    _rule(
        "RESTORED",
        Verdict.ALLOW,
        "L06",
        "the newest head known goes on from this backup, and what was erased and revoked since is so again",
    ),
    _rule(
        "REPLAYED",
        Verdict.ALLOW,
        "L06",
        "it was done after the backup was made, so restoring the backup does it again",
    ),
    _rule(
        "ROLLBACK",
        Verdict.REFUSE,
        "L06",
        "what was erased or revoked after this backup is not known in full, so it would come back; name the mirror, "
        "the store or the anchor that knows the newest head",
    ),
    _rule(
        "ROLLBACK_ACCEPTED",
        Verdict.LOWER,
        "L06",
        "an operator accepted that what was erased or revoked after the backup may be back",
    ),
    _rule(
        "DIVERGED",
        Verdict.REFUSE,
        "L06",
        "the newest head known is that of another history than the backup's",
    ),
    _rule("ROLE_ALLOWS", Verdict.ALLOW, "P02", "the role that store.toml gives allows it"),
    _rule(
        "NOT_YOUR_ROLE",
        Verdict.REFUSE,
        "P02",
        "no role that store.toml gives here allows it; `muniment roles` lists what each may do",
    ),
    _rule(
        "OPERATOR_KNOWS",
        Verdict.ALLOW,
        "L02",
        "the operator says which origins copy each other; the store only counts accordingly",
    ),
    _rule("MAY_ACCUMULATE", Verdict.ALLOW, "P15", "what is said here may be remembered"),
    _rule("MAY_PROMPT", Verdict.ALLOW, "P04", "what is remembered may enter prompts here"),
    _rule("MAY_MANAGE", Verdict.ALLOW, "P04", "it may be seen, exported and deleted at any time"),
    _rule(
        "PAUSED",
        Verdict.REFUSE,
        "P04",
        "memory is paused here: until it is resumed nothing is kept and nothing enters a prompt",
    ),
    _rule(
        "OFF_THE_RECORD",
        Verdict.REFUSE,
        "P16",
        "this session is off the record: nothing is kept and nothing enters a prompt",
    ),
    _rule("ACCOUNT_STATE", Verdict.REFUSE, "P15", "the state of the account does not allow it"),
    _rule("HOST_DECIDES", Verdict.ALLOW, "P15", "whoever runs the store says so"),
    _rule("OWN_MEMORY", Verdict.ALLOW, "P15", "she decides how her own memory is used"),
    _rule(
        "ONLY_HERSELF",
        Verdict.REFUSE,
        "P15",
        "only the person herself pauses, mutes and declines; an agent may ask to forget, which mutes at once",
    ),
    _rule("MUTED", Verdict.REFUSE, "P15", "the person does not want it brought up"),
    _rule(
        "ASKED_TO_FORGET",
        Verdict.ALLOW,
        "P16",
        "it is muted until the person herself has it erased, or declines",
    ),
    _rule(
        "DECLINED_TO_FORGET",
        Verdict.REFUSE,
        "P16",
        "the person was asked to forget it and declined; she can erase it herself",
    ),
    _rule(
        "SENSITIVE",
        Verdict.REFUSE,
        "C11",
        "it was declared sensitive, so it comes only where it is asked for with a need",
    ),
    _rule("NEEDED", Verdict.ALLOW, "C11", "it is sensitive, and was asked for with a need"),
    _rule(
        "SENSITIVE_SCOPE",
        Verdict.REFUSE,
        "C11",
        "this scope is sensitive and answers only its owner, herself or by an agent she or the policy admits",
    ),
    _rule(
        "ONLY_SHE_DECLARES",
        Verdict.REFUSE,
        "C11",
        "only the person herself says what of hers is sensitive, and what no longer is",
    ),
    _rule(
        "POLICY_DECLARES",
        Verdict.REFUSE,
        "C11",
        "the policy of this store declares the scope sensitive, so it stays so",
    ),
    _rule("SENSITIVE_AGAIN", Verdict.ALLOW, "C11", "it says again what is sensitive, and so it is"),
    _rule("KEPT_APART", Verdict.ALLOW, "C11", "the policy declares the scope sensitive"),
    _rule(
        "CREDENTIAL",
        Verdict.REFUSE,
        "C11",
        "it seems to hold a credential, and those are never kept: put it into your vault and remember its reference, "
        "such as vault://…, op://…, keyring:… or env:NAME",
    ),
    _rule(
        "CREDENTIAL_REMOVED",
        Verdict.LOWER,
        "C11",
        "what seems to be a credential in it was not kept, a mark stands in its place; put it into your vault",
    ),
    _rule(
        "TIME_OVER",
        Verdict.ALLOW,
        "P06",
        "the time that the rules of retention give it is over",
    ),
    _rule(
        "KEPT_BY_ACCOUNT",
        Verdict.REFUSE,
        "P06",
        "its time is over, and the state of the account keeps what there is longer",
    ),
    _rule(
        "STILL_NEEDED",
        Verdict.REFUSE,
        "P06",
        "its time is over, and something whose time is not over was made from it",
    ),
    _rule(
        "CORPUS_VOUCHED",
        Verdict.ALLOW,
        "P14",
        "the operator vouches for exactly these files; what they say may fill a value, and never directs",
    ),
    _rule(
        "CORPUS_REVOKED",
        Verdict.ALLOW,
        "P14",
        "the operator does not vouch for these files any more, and takes out what came from them",
    ),
    _rule(
        "REGISTERED_SOURCE",
        Verdict.ALLOW,
        "P14",
        "the words are those of a file the operator vouches for, so its value may be used to act",
    ),
    _rule(
        "ORIGIN_SHUT",
        Verdict.REFUSE,
        "P14",
        "nothing from this origin may enter; leave it out, or have the policy let it in",
    ),
    _rule(
        "ORIGIN_CATEGORY",
        Verdict.REFUSE,
        "P14",
        "what comes from this origin may not be kept in this category",
    ),
    _rule(
        "ORIGIN_MINIMUM",
        Verdict.REFUSE,
        "P14",
        "of this origin less is kept than that: with quote its own words alone, with gist none of them",
    ),
    _rule(
        "ORIGIN_OVER",
        Verdict.REFUSE,
        "P14",
        "the days for which anything of this origin is kept are over",
    ),
    _rule(
        "ACCOUNT_GUESSED",
        Verdict.REFUSE,
        "P09",
        "an account is kept from a who-am-I, a look-up by its exact login, the person herself or a registered file; "
        "guesses are not",
    ),
    _rule(
        "ACCOUNT_UNVERIFIED",
        Verdict.LOWER,
        "P12",
        "she said so and nothing has confirmed it, so it is shown as unverified and not used to act",
    ),
    _rule(
        "ACCOUNT_MISMATCH",
        Verdict.LOWER,
        "P12",
        "the service names another account than was said; ask her which one it is",
    ),
    _rule(
        "ACCOUNT_NOT_CONFIRMED",
        Verdict.REFUSE,
        "P12",
        "an account is used to act only after a who-am-I or a look-up by its exact login confirmed it",
    ),
    _rule(
        "LOOKALIKE",
        Verdict.REFUSE,
        "P10",
        "letters that pass for others stand in an identifier or an address; type it in the letters it has",
    ),
    _rule(
        "OWN_EXPORT",
        Verdict.ALLOW,
        "V07",
        "it stood so in her own export, sealed by this store or by one that the policy names",
    ),
    _rule(
        "IMPORTED",
        Verdict.HOLD,
        "V11",
        "it came in by a file, so it counts as from outside and waits until the person has reviewed its origin",
    ),
    _rule(
        "GROUND_MISSING",
        Verdict.REFUSE,
        "V07",
        "what it rests on or repeats is not in the file and not here",
    ),
    _rule(
        "CHANGED_HERE",
        Verdict.REFUSE,
        "V07",
        "it was changed here otherwise since, so it stays as it is here",
    ),
    _rule(
        "MARKED_OWN",
        Verdict.ALLOW,
        "V11",
        "the person says that these are her own words",
    ),
    _rule(
        "MARKED_TOO_HIGH",
        Verdict.REFUSE,
        "V11",
        "words marked as her own reach no further than a preference; what directs is said or endorsed one at a time",
    ),
    _rule(
        "TIME_BOUND",
        Verdict.REFUSE,
        "C12",
        "it holds for a time or one occasion, and this would come up always; give it an expiry with expires_at",
    ),
    _rule(
        "ASK_TIME_BOUND",
        Verdict.HOLD,
        "C12",
        "it seems to hold for a time or one occasion and would come up always; keep it, or say until when",
    ),
    _rule(
        "WORK_IN_PROGRESS",
        Verdict.LOWER,
        "C10",
        "work in progress is not remembered: it is in the task ledger, until it is done or its time is over",
    ),
    _rule(
        "ASK_WORK_IN_PROGRESS",
        Verdict.HOLD,
        "C10",
        "it seems to be work in progress, which the task ledger is for; keep it here, or make it a task",
    ),
    _rule(
        "TASK_FOR_CLAIM",
        Verdict.REFUSE,
        "C10",
        "work in progress takes the place of nothing remembered and is no line of the block; make it a task",
    ),
    _rule("TASK_SETTLED", Verdict.ALLOW, "C10", "whoever works here says that the task is over"),
    _rule(
        "BARE_FAILURE",
        Verdict.REFUSE,
        "C13",
        "that something does not work hardens into a refusal; say in failure=… the symptom, the cause, what did not "
        "work, what fixed it and in which environment",
    ),
    _rule(
        "ASK_BARE_FAILURE",
        Verdict.HOLD,
        "C13",
        "it says that something fails and not how, nor what helped; keep it, or say more in failure=…",
    ),
    _rule(
        "ENVIRONMENT_CHANGED",
        Verdict.LOWER,
        "C13",
        "it failed in another environment than the present one, so it must be checked again",
    ),
    _rule(
        "RAW_DUMP",
        Verdict.REFUSE,
        "C16",
        "it is copied in whole and not said; keep it as a source, and remember what follows from it",
    ),
    _rule(
        "FINISHED_WORK",
        Verdict.REFUSE,
        "C16",
        "it reports work that is over; remember what was decided or learnt by it, with its reason",
    ),
    _rule(
        "RESOLVED_ITSELF",
        Verdict.REFUSE,
        "C16",
        "an error that went away by itself says nothing of the next time",
    ),
    _rule(
        "LOOKED_UP_AGAIN",
        Verdict.REFUSE,
        "C16",
        "it can be looked up again where it stands; remember where, if that was hard to find",
    ),
    _rule("TRIVIAL", Verdict.REFUSE, "C16", "nobody will need to be told this again"),
    _rule(
        "IS_PROCEDURE",
        Verdict.REFUSE,
        "C14",
        "steps that can be used again are a procedure; keep it with keep_procedure and remember a pointer at most",
    ),
    _rule(
        "PROCEDURE_NAME",
        Verdict.REFUSE,
        "C14",
        "a procedure is named after a class of task, never a ticket, an error or a date",
    ),
    _rule(
        "ASK_PROCEDURE_NAME",
        Verdict.HOLD,
        "C14",
        "the name seems to be that of a ticket, an error or a date; keep it, or name the class of task",
    ),
    _rule(
        "REASON_MISSING",
        Verdict.ALLOW,
        "C15",
        "the decision is kept without all that a later reader will ask for; say it in reasoning=…",
    ),
    _rule(
        "REASON_LOST",
        Verdict.ALLOW,
        "C15",
        "what takes its place does not say what the decision before it said",
    ),
    _rule(
        "STYLE_CORRECTION",
        Verdict.ALLOW,
        "C17",
        "it corrects how something is done; keep it as a preference with task=…, for that kind of task",
    ),
    _rule(
        "ANOTHER_TASK",
        Verdict.REFUSE,
        "C17",
        "it is how another kind of task is done",
    ),
    _rule(
        "THEMATIC_LINK",
        Verdict.LOWER,
        "R07",
        "no more than a theme, a faint likeness or its date ties it to this: offered when asked, never asserted",
    ),
    _rule("OTHER_TOOL", Verdict.REFUSE, "R11", "a failure comes back where its tool is in use"),
    _rule("OVER_LIMIT", Verdict.REFUSE, "R09", "more matched than were asked for"),
    _rule("OVER_BUDGET", Verdict.REFUSE, "R11", "the budget of the prompt had no room left for it"),
    _rule(
        "CONSTRAINTS_OVER_BUDGET",
        Verdict.REFUSE,
        "R11",
        "what every prompt carries is over the budget, and no constraint is dropped for one; raise the budget",
    ),
    _rule(
        "ATTACHED",
        Verdict.ALLOW,
        "R13",
        "the host attached what was made of a recall to its receipt",
    ),
    _rule(
        "RECEIPT_DESTROYED",
        Verdict.REFUSE,
        "R13",
        "what this recall gave was destroyed since, and an answer made of it might say it again",
    ),
)

RULES: dict[str, Rule] = {rule.code: rule for rule in _TABLE}


def decide(code: str, detail: str = "") -> Decision:
    """Return the decision of the rule with that code; `detail` is put after its reason."""
    rule = RULES[code]
    reason = f"{rule.reason} ({detail})" if detail else rule.reason
    return Decision(verdict=rule.verdict, rule=code, reason=reason)
