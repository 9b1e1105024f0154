"""The table of rules: each has a code, a reason and a check that reaches it; a rule without one fails here (P07)."""

import ast
import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from muniment import Account, Category, Integrity, Kind, Purpose, Reasoning, Right
from muniment.claims import Decision, Layer, Lifecycle, LoginCheck, Medium, Role, Verdict
from muniment.policy import (
    ACCOUNTS,
    RULES,
    Circumstances,
    Draft,
    Ground,
    OriginPolicy,
    Preset,
    Readable,
    RetentionRule,
    WriteRequest,
    decide,
    hygiene_hints,
    in_place,
    judge_approval,
    judge_approver,
    judge_attachment,
    judge_block,
    judge_budget,
    judge_change,
    judge_claim,
    judge_collection,
    judge_credentials,
    judge_endorsement,
    judge_erasure,
    judge_hygiene,
    judge_import,
    judge_marking,
    judge_own_block,
    judge_own_memory,
    judge_read,
    judge_reasoning,
    judge_regeneration,
    judge_reinstatement,
    judge_request,
    judge_restore,
    judge_retention,
    judge_right,
    judge_role,
    judge_secret,
    judge_sensitivity,
    judge_settled,
    judge_settling,
    judge_task,
    judge_use,
    judge_version,
)

ROOT = Path(__file__).parents[2]
OWN = Ground(integrity=Integrity.USER, medium=Medium.MESSAGE, quoted=Integrity.USER, by_person=True)
PAGE = Ground(integrity=Integrity.EXTERNAL, medium=Medium.DOCUMENT, quoted=Integrity.EXTERNAL)
ELSEWHERE = Ground(integrity=Integrity.USER, medium=Medium.MESSAGE, by_person=True)
TYPED = Ground(
    integrity=Integrity.TOOL, medium=Medium.TOOL_RESULT, typed_field=True, tool_registered=True
)
FREE = Ground(integrity=Integrity.EXTERNAL, medium=Medium.TOOL_RESULT, tool_registered=True)
UNKNOWN = Ground(integrity=Integrity.EXTERNAL, medium=Medium.TOOL_RESULT)


def write(asked: Kind, *grounds: Ground, words: str = "배포는 금요일", **more: object) -> Decision:
    """Return what is decided of a claim."""
    request = {
        "identified": True,
        "asked": asked,
        "category": Category.FACT,
        "words": words,
        "grounds": grounds,
        "mark": Integrity.USER,
        **more,
    }
    return judge_claim(WriteRequest.model_validate(request)).decision


def claim(**more: object) -> Readable:
    """Return a claim that stands, but for what is given."""
    standing = {
        "lifecycle": Lifecycle.ASSERTED,
        "fresh": True,
        "integrity": Integrity.USER,
        "category": Category.FACT,
    }
    return Readable.model_validate({**standing, **more})


def read(purpose: Purpose = Purpose.ANSWER, **more: object) -> Decision:
    """Return what is decided of a claim that is about to be read at moment 100."""
    return judge_read(claim(**more), purpose, now=100)


def used(present: bool = False, **more: object) -> Decision:
    """Return the last rule that lowered a claim's use at moment 100."""
    return judge_use(claim(**more), now=100, present_value=present)[1][-1]


def change(actor: Integrity, target: Integrity, **more: object) -> Decision:
    """Return whether a change is allowed."""
    given = {"lifecycle": Lifecycle.ASSERTED, "replaces": False, **more}
    return judge_change(actor=actor, target=target, **given)  # type: ignore[arg-type]


def block(text: str, *new: Integrity) -> Decision:
    """Return whether a block may be written with new lines of these labels."""
    return judge_block(identified=True, text=text, new=new)


def waits(preset: Preset, category: Category, kind: Kind, *, by_agent: bool = False) -> Decision:
    """Return the decision that lets a claim wait."""
    decision = judge_approval(preset, category=category, kind=kind, by_agent=by_agent)
    assert decision is not None
    return decision


def settle(lifecycle: Lifecycle) -> Decision:
    """Return whether the person may approve a claim of hers."""
    return judge_settling(alone=True, own_scope=True, lifecycle=lifecycle)


def imported(**more: object) -> Decision:
    """Return as what a person's own sealed export is taken in, but for what is given."""
    given = {"alone": True, "own": True, "sealed_by": "a", "known": ("a",), **more}
    return judge_import(**given)  # type: ignore[arg-type]


def marked(category: Category) -> Decision:
    """Return whether a person may mark words as her own in a category."""
    return judge_marking(alone=True, own_scope=True, categories=(Category.FACT, category))


def endorsement(**more: object) -> Decision:
    """Return whether the person may endorse what a page says, but for what is given."""
    given = {
        "alone": True,
        "own_scope": True,
        "categories": (Category.FACT,),
        "integrity": Integrity.EXTERNAL,
        "declined": False,
        **more,
    }
    return judge_endorsement(**given)  # type: ignore[arg-type]


def restored(**more: bool) -> Decision:
    """Return what is decided of restoring a backup of which nothing is known but what is given."""
    given = {"diverged": False, "newest": False, "accepted": False, **more}
    return judge_restore(
        diverged=given["diverged"], newest=given["newest"], accepted=given["accepted"]
    )


def right(wanted: Right, **more: object) -> Decision:
    """Return whether somebody has a right to memory, where all is well but for what is given."""
    given = Circumstances.model_validate({"identified": True, **more})
    return judge_right(wanted, given, ACCOUNTS)


def collected(**more: object) -> Decision:
    """Return the refusal of a model's conclusion from a page whose origin has this policy."""
    refusal = judge_collection(
        [OriginPolicy.model_validate(more)],
        Category.FACT,
        kind=Kind.INFERRED,
        quoted=False,
        beside=True,
    )
    assert refusal is not None
    return refusal


def present(decision: Decision | None) -> Decision:
    """Return a decision that there is."""
    assert decision is not None
    return decision


def agent(text: str, category: Category = Category.FACT, **more: str) -> Decision:
    """Return what hygiene makes of a model's write."""
    draft = Draft.model_validate(
        {"text": text, "category": category, "kind": Kind.INFERRED, **more}
    )
    return present(judge_hygiene(draft, preset="solo", by_agent=True))


def person(text: str, category: Category = Category.FACT, **more: str) -> Decision:
    """Return what a person is asked about words of her own."""
    draft = Draft.model_validate({"text": text, "category": category, "kind": Kind.STATED, **more})
    return present(judge_hygiene(draft, preset="journal", by_agent=False))


EXTERNAL, AGENT, USER = Integrity.EXTERNAL, Integrity.AGENT, Integrity.USER
CONTACT = Category.CONTACT
MESSAGES = RetentionRule(name="retention.message", layer=Layer.MESSAGE, days=30)
LATER = datetime(2026, 12, 1, tzinfo=UTC)

# One row a rule: the smallest request whose answer it is. Rules given elsewhere name the test that reaches them.
CHECKS: dict[str, Callable[[], Decision] | str] = {
    "OWN_WORDS": lambda: write(Kind.STATED, OWN),
    "TYPED_FIELD": lambda: write(Kind.OBSERVED, TYPED),
    "TAKEN_AS_IS": lambda: write(Kind.EXTERNAL, PAGE),
    "DERIVED": lambda: write(Kind.INFERRED, OWN),
    "EXTERNAL_LINEAGE": lambda: write(Kind.INFERRED, OWN, PAGE),
    "NO_USER_SPAN": lambda: write(Kind.STATED, ELSEWHERE),
    "NOT_OWN_PART": lambda: write(Kind.STATED, PAGE),
    "ANOTHERS_WORDS": lambda: write(
        Kind.STATED, ELSEWHERE.model_copy(update={"of_another": True}), by_agent=True
    ),
    "BARE_CONFIRMATION": lambda: write(Kind.STATED, OWN, words="네, 맞아요!"),
    "PART_OF_A_SENTENCE": lambda: write(
        Kind.STATED, OWN.model_copy(update={"whole": False}), category=Category.CONSTRAINT
    ),
    "WITHDRAWN": "tests/acceptance/test_c07_correction_reaches_derived.py",
    "NO_TOOL_RESULT": lambda: write(Kind.OBSERVED, OWN),
    "UNREGISTERED_TOOL": lambda: write(Kind.OBSERVED, UNKNOWN),
    "FREE_TEXT": lambda: write(Kind.OBSERVED, FREE),
    "VALUE_NOT_SAID": lambda: write(
        Kind.STATED, OWN.model_copy(update={"value_said": False}), category=CONTACT
    ),
    "REWORDED": lambda: write(Kind.EXTERNAL, PAGE.model_copy(update={"quoted": None})),
    "NO_EVIDENCE": lambda: write(Kind.STATED),
    "NO_IDENTITY": lambda: write(Kind.STATED, OWN, identified=False),
    "HIDDEN_CHARACTERS": lambda: write(Kind.STATED, OWN, words="a\u200bb", category=CONTACT),
    "RECORDED": "tests/policy/test_every_rule_has_a_check.py",
    "ENOUGH_STANDING": lambda: change(USER, USER),
    "LOWER_INTEGRITY": lambda: change(AGENT, USER, replaces=True),
    "LOWER_CHANGE": lambda: change(AGENT, USER),
    "NOT_YOUR_SCOPE": lambda: change(USER, AGENT, own_scope=False),
    "NOT_CURRENT": lambda: change(USER, AGENT, lifecycle=Lifecycle.RETRACTED),
    "NOT_WITHDRAWN": lambda: judge_reinstatement(
        actor=USER, target=USER, lifecycle=Lifecycle.ASSERTED
    ),
    "NOT_STALE": lambda: judge_regeneration(
        fresh=True, lifecycle=Lifecycle.ASSERTED, grounds_fresh=True
    ),
    "READABLE": lambda: read(),
    "CORRECTED": lambda: read(lifecycle=Lifecycle.CORRECTED),
    "SUPERSEDED": lambda: read(lifecycle=Lifecycle.SUPERSEDED),
    "RETRACTED": lambda: read(lifecycle=Lifecycle.RETRACTED),
    "REJECTED": lambda: read(lifecycle=Lifecycle.REJECTED),
    "PENDING": lambda: read(lifecycle=Lifecycle.PENDING),
    "ERASED": lambda: read(lifecycle=Lifecycle.ERASED),
    "MAY_ERASE": lambda: judge_erasure(alone=True, own_scope=True),
    "ONLY_THE_PERSON": lambda: judge_erasure(alone=False, own_scope=True),
    "ON_LEGAL_HOLD": lambda: judge_erasure(alone=True, own_scope=True, held=["x"]),
    "MAY_HOLD": "tests/acceptance/test_l05_legal_hold.py",
    "NEW_VERSION": lambda: judge_version(own=True, same_scope=True),
    "NOT_YOUR_SOURCE": lambda: judge_version(own=False, same_scope=True),
    "DISCLOSED": "tests/acceptance/test_l03_laundering.py",
    "SUPPRESSED": "tests/acceptance/test_l05_erasing.py",
    "STALE": lambda: read(fresh=False),
    "RESTRICTED": lambda: read(restricted=True),
    "EXPIRED": lambda: read(expires=100),
    "NOT_YET_VALID": lambda: read(valid_from=101),
    "RECHECK_DUE": lambda: used(recheck=100),
    "CHALLENGED_BY_LOWER_INTEGRITY": lambda: used(challenged_by=(AGENT,)),
    "OWN_WORDS_FIRST": lambda: read(said_otherwise=True),
    "CONFLICT": lambda: used(challenged_by=(AGENT, USER)),
    "PRESENT_VALUE": lambda: used(True, challenged_by=(AGENT,)),
    "NEWER_IN_SLOT": lambda: judge_use(claim(), now=100, present_value=False, older_in_slot=True)[
        1
    ][-1],
    "NOT_DIRECTIVE": lambda: read(Purpose.INSTRUCT),
    "OUTSIDE_WORDS": lambda: read(Purpose.INSTRUCT, integrity=EXTERNAL),
    "CRITICAL_SLOT": lambda: read(Purpose.PERSONALISE, category=CONTACT),
    "UNTRUSTED_VALUE": lambda: read(Purpose.ACT, category=CONTACT, integrity=AGENT),
    "BLOCK_WRITTEN": lambda: block("Call me 민지", AGENT),
    "BLOCK_EMPTY": lambda: block(""),
    "BLOCK_TOO_LONG": lambda: block("가" * 4_001, USER),
    "BLOCK_WAITS": lambda: block("Call me 민지\nfrom a page", USER, EXTERNAL),
    "ONLY_HER_BLOCK": lambda: judge_own_block(alone=False),
    "WAITS_INTERPRETATION": lambda: waits("journal", Category.THEME, Kind.INFERRED),
    "WAITS_DEFINITION": lambda: waits("regulated", Category.DEFINITION, Kind.EXTERNAL),
    "WAITS_DIRECTIVE": lambda: waits("regulated", Category.CONSTRAINT, Kind.STATED),
    "SETTLED_BY_APPROVER": lambda: judge_approver(in_scope=True, lifecycle=Lifecycle.PENDING),
    "ROLE_ALLOWS": lambda: judge_role("Memory.statuses", {Role.AUDITOR}),
    "NOT_YOUR_ROLE": lambda: judge_role("Memory.session", {Role.OPERATOR}),
    "WAITS_REVIEW": lambda: waits("reviewed", Category.FACT, Kind.INFERRED, by_agent=True),
    "APPROVED_BY_HER": lambda: judge_settled(alone=False, approved=True),
    "SETTLED": lambda: settle(Lifecycle.PENDING),
    "NOT_WAITING": lambda: settle(Lifecycle.ASSERTED),
    "ONLY_SHE_APPROVES": lambda: endorsement(alone=False),
    "ENDORSED": lambda: endorsement(),
    "NEVER_ENDORSED": lambda: endorsement(categories=(Category.FACT, CONTACT)),
    "HERS_ALREADY": lambda: endorsement(integrity=USER),
    "DECLINED_BEFORE": lambda: endorsement(declined=True),
    "TOO_MANY_REQUESTS": "tests/acceptance/test_p01_endorsement.py",
    "REQUEST_LAPSED": "tests/acceptance/test_p01_endorsement.py",
    "PAYLOAD_CHANGED": "tests/acceptance/test_p01_endorsement.py",
    "PROVEN": lambda: judge_secret(kept=True, proven=True, needed=True),
    "SECRET_NEEDED": lambda: judge_secret(kept=True, proven=False, needed=False),
    "NO_SECRET": lambda: judge_secret(kept=False, proven=False, needed=True),
    "WRONG_SECRET": "tests/acceptance/test_p05_approval_by_impact.py",
    "TOO_MANY_TRIES": "tests/acceptance/test_p05_approval_by_impact.py",
    "KEY_MISSING": lambda: read(keyless=True),
    "RESTORED": lambda: restored(newest=True),
    "REPLAYED": "tests/acceptance/test_l06_backups.py",
    "ROLLBACK": lambda: restored(),
    "ROLLBACK_ACCEPTED": lambda: restored(accepted=True),
    "DIVERGED": lambda: restored(diverged=True, newest=True, accepted=True),
    "OPERATOR_KNOWS": "tests/acceptance/test_l02_origins_that_copy.py",
    "MAY_ACCUMULATE": lambda: right(Right.ACCUMULATE),
    "MAY_PROMPT": lambda: right(Right.PROMPT),
    "MAY_MANAGE": lambda: right(Right.MANAGE, paused=("person",), off_the_record=True),
    "PAUSED": lambda: right(Right.PROMPT, paused=("session",)),
    "OFF_THE_RECORD": lambda: right(Right.ACCUMULATE, off_the_record=True),
    "ACCOUNT_STATE": lambda: right(Right.PROMPT, account=Account.FREE),
    "HOST_DECIDES": "tests/acceptance/test_p15_three_answers.py",
    "OWN_MEMORY": lambda: judge_own_memory(alone=True, own_scope=True),
    "ONLY_HERSELF": lambda: judge_own_memory(alone=False, own_scope=True),
    "MUTED": lambda: read(muted=True),
    "ASKED_TO_FORGET": lambda: judge_request(own_scope=True, declined=False),
    "DECLINED_TO_FORGET": lambda: judge_request(own_scope=True, declined=True),
    "SENSITIVE": lambda: read(sensitive=True),
    "NEEDED": "tests/acceptance/test_c11_sensitive.py",
    "SENSITIVE_SCOPE": "tests/acceptance/test_c11_sensitive.py",
    "ONLY_SHE_DECLARES": lambda: judge_sensitivity(alone=False, own_scope=True),
    "POLICY_DECLARES": lambda: judge_sensitivity(alone=True, own_scope=True, by_policy=True),
    "SENSITIVE_AGAIN": "tests/acceptance/test_c11_sensitive.py",
    "KEPT_APART": "tests/acceptance/test_c11_sensitive.py",
    "CREDENTIAL": lambda: judge_credentials(("password: tr0ub4dor3",)) or decide("READABLE"),
    "CREDENTIAL_REMOVED": "tests/acceptance/test_c11_credentials.py",
    "TIME_OVER": lambda: judge_retention(MESSAGES),
    "KEPT_BY_ACCOUNT": lambda: judge_retention(MESSAGES, kept_until=LATER, needed_by="a claim"),
    "STILL_NEEDED": lambda: judge_retention(MESSAGES, needed_by="a claim"),
    "ATTACHED": lambda: judge_attachment(destroyed=False),
    "RECEIPT_DESTROYED": lambda: judge_attachment(destroyed=True),
    "CORPUS_VOUCHED": "tests/acceptance/test_p14_registered_corpora.py",
    "CORPUS_REVOKED": "tests/acceptance/test_p14_registered_corpora.py",
    "REGISTERED_SOURCE": lambda: write(
        Kind.EXTERNAL, PAGE.model_copy(update={"registered": True}), category=Category.ACCOUNT
    ),
    "ORIGIN_SHUT": lambda: collected(enter=False),
    "ORIGIN_CATEGORY": lambda: collected(categories=(Category.DEFINITION,)),
    "ORIGIN_MINIMUM": lambda: collected(minimum="quote"),
    "ORIGIN_OVER": "tests/acceptance/test_p14_collecting_by_origin.py",
    "ACCOUNT_GUESSED": lambda: write(Kind.EXTERNAL, PAGE, category=Category.ACCOUNT),
    "ACCOUNT_UNVERIFIED": lambda: write(Kind.STATED, OWN, category=Category.ACCOUNT),
    "ACCOUNT_MISMATCH": lambda: used(category=Category.ACCOUNT, login=LoginCheck.MISMATCH),
    "ACCOUNT_NOT_CONFIRMED": lambda: read(
        Purpose.ACT, category=Category.ACCOUNT, login=LoginCheck.UNVERIFIED
    ),
    "LOOKALIKE": lambda: write(Kind.STATED, OWN, words="m\u0456nji@corp.example", category=CONTACT),
    "OWN_EXPORT": lambda: imported(),
    "IMPORTED": lambda: imported(sealed_by=""),
    "GROUND_MISSING": "tests/acceptance/test_v07_own_export.py",
    "CHANGED_HERE": "tests/acceptance/test_v07_own_export.py",
    "MARKED_OWN": lambda: marked(Category.PREFERENCE),
    "MARKED_TOO_HIGH": lambda: marked(Category.CONSTRAINT),
    "TIME_BOUND": lambda: agent("이번 주만 짧게", Category.PREFERENCE),
    "ASK_TIME_BOUND": lambda: person("this week only", Category.PREFERENCE),
    "WORK_IN_PROGRESS": lambda: agent("오늘 실패한 테스트가 있다"),
    "ASK_WORK_IN_PROGRESS": lambda: person("TODO: the migration"),
    "TASK_FOR_CLAIM": lambda: decide(in_place("WORK_IN_PROGRESS")),
    "TASK_SETTLED": lambda: judge_task(own_scope=True, lifecycle=Lifecycle.ASSERTED),
    "BARE_FAILURE": lambda: agent("브라우저 툴은 안 된다"),
    "ASK_BARE_FAILURE": lambda: person("ffmpeg fails", Category.FAILURE),
    "ENVIRONMENT_CHANGED": lambda: judge_use(
        claim(category=Category.FAILURE), now=100, present_value=False, elsewhere=True
    )[1][-1],
    "RAW_DUMP": lambda: agent("Traceback (most recent call last): boom"),
    "FINISHED_WORK": lambda: agent("마이그레이션 작업을 완료했다"),
    "RESOLVED_ITSELF": lambda: agent("The error went away"),
    "LOOKED_UP_AGAIN": lambda: agent("Paris is the capital of France"),
    "TRIVIAL": lambda: agent("The user said hello"),
    "IS_PROCEDURE": lambda: agent("1. build 2. push 3. watch"),
    "PROCEDURE_NAME": lambda: agent("x", Category.PROCEDURE, subject="fix-pr-123"),
    "ASK_PROCEDURE_NAME": lambda: person("x", Category.PROCEDURE, subject="fix-keyerror"),
    "REASON_MISSING": lambda: present(judge_reasoning(Category.DECISION, Reasoning())),
    "REASON_LOST": "tests/acceptance/test_c15_a_decision_carries_its_reason.py",
    "STYLE_CORRECTION": lambda: hygiene_hints(
        Draft(text="그만 써, 이모지", category=Category.FACT, kind=Kind.STATED),
        preset="solo",
        by_agent=True,
    )[0],
    "ANOTHER_TASK": "tests/acceptance/test_c17_a_correction_of_style.py",
    "THEMATIC_LINK": lambda: judge_use(claim(), now=100, present_value=False, link=True)[1][-1],
    "OTHER_TOOL": "tests/acceptance/test_r11_failures_by_tool.py",
    "OVER_BUDGET": "tests/acceptance/test_r11_no_budget_drops_a_constraint.py",
    "CONSTRAINTS_OVER_BUDGET": lambda: present(judge_budget(11, 10, ["one"])),
    "OVER_LIMIT": "tests/acceptance/test_r01_evidence_says_everything.py",
}


@pytest.mark.parametrize("code", RULES)
def test_every_rule_is_reached_by_its_check(code: str) -> None:
    assert code in CHECKS, f"{code} has no check: add the smallest request whose answer it is"
    check = CHECKS[code]
    if isinstance(check, str):
        assert code in (ROOT / check).read_text(encoding="utf-8")
        return

    decision = check()

    assert (decision.rule, decision.verdict) == (code, RULES[code].verdict)
    assert decision.reason.startswith(RULES[code].reason)


def test_there_is_no_check_of_a_rule_that_is_gone() -> None:
    assert set(CHECKS) <= set(RULES)


def test_every_rule_has_a_plain_reason_and_a_promise() -> None:
    reasons = [rule.reason for rule in RULES.values()]
    assert len(set(reasons)) == len(reasons)
    for code, rule in RULES.items():
        assert rule.code == code == code.upper()
        assert (
            len(rule.reason) > 10
            and not rule.reason.endswith(".")
            and rule.reason.isascii()
            or "…" in rule.reason
        )
        assert rule.promise[0] in "CLPRBVS" and rule.promise[1:].isdigit()


def test_every_code_that_is_decided_anywhere_is_a_rule() -> None:
    used_codes: dict[str, str] = {}
    for room in ("policy", "lineage", "retrieval", "conversations", "muniment"):
        for source in sorted((ROOT / room).glob("*.py")):
            for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                    if node.func.id in ("decide", "_ruling", "_inferred"):
                        for word in ast.walk(node):
                            if isinstance(word, ast.Constant) and isinstance(word.value, str):
                                if word.value.isupper():
                                    used_codes[word.value] = f"{room}/{source.name}:{word.lineno}"

    assert {code: place for code, place in used_codes.items() if code not in RULES} == {}
    assert len(used_codes) > 20


def test_a_detail_follows_the_reason() -> None:
    assert decide("RECORDED", "twice").reason == f"{RULES['RECORDED'].reason} (twice)"
    assert decide("RECORDED").verdict is Verdict.ALLOW
    with pytest.raises(KeyError):
        decide("NO_SUCH_RULE")


def test_nothing_lifts_above_agent_but_a_span_and_a_typed_field() -> None:
    """Over every request there is: what has neither own words nor a typed field is AGENT at most."""
    for asked in Kind:
        for category in Category:
            for grounds in (
                (PAGE,),
                (ELSEWHERE,),
                (FREE,),
                (UNKNOWN,),
                (PAGE, FREE),
                (ELSEWHERE, PAGE),
            ):
                for complete in (True, False):
                    for mark in (EXTERNAL, AGENT, USER):
                        ruling = judge_claim(
                            WriteRequest(
                                identified=True,
                                asked=asked,
                                category=category,
                                words="배포는 금요일",
                                grounds=grounds,
                                mark=mark,
                                parents_complete=complete,
                            )
                        )
                        assert ruling.integrity <= AGENT
                        if any(ground.integrity is EXTERNAL for ground in grounds):
                            assert ruling.integrity is EXTERNAL or asked is Kind.STATED
                        assert ruling.kind is not Kind.STATED and ruling.kind is not Kind.OBSERVED


def test_a_withdrawn_claim_comes_back_by_whoever_stands_high_enough() -> None:
    def back(actor: Integrity, **more: object) -> str:
        given = {"target": USER, "lifecycle": Lifecycle.RETRACTED, **more}
        return judge_reinstatement(actor=actor, **given).rule  # type: ignore[arg-type]

    assert back(USER) == "ENOUGH_STANDING"
    assert back(AGENT) == "LOWER_CHANGE"
    assert back(USER, own_scope=False) == "NOT_YOUR_SCOPE"
    assert back(USER, lifecycle=Lifecycle.REJECTED) == "NOT_WITHDRAWN"


def test_a_stale_claim_is_made_anew_only_from_what_stands() -> None:
    def anew(**more: bool) -> str:
        given = {"fresh": False, "grounds_fresh": True, **more}
        return judge_regeneration(lifecycle=Lifecycle.ASSERTED, **given).rule

    assert anew() == "ENOUGH_STANDING"
    assert anew(grounds_fresh=False) == "STALE"
    assert (
        judge_regeneration(fresh=False, lifecycle=Lifecycle.RETRACTED, grounds_fresh=True).rule
        == "NOT_CURRENT"
    )


def test_every_promise_that_a_rule_names_is_in_the_reference() -> None:
    told = (ROOT / "docs" / "reference" / "promises.md").read_text(encoding="utf-8")

    assert [code for code, rule in RULES.items() if f"| {rule.promise} |" not in told] == []


def test_the_reference_names_every_promise_once_in_order_and_each_has_its_test() -> None:
    told = (ROOT / "docs" / "reference" / "promises.md").read_text(encoding="utf-8")
    codes = re.findall(r"^\| ([A-Z]\d\d) \|", told, re.MULTILINE)
    names = {
        path.name.split("_")[1].upper() for path in (ROOT / "tests" / "acceptance").glob("test_*")
    }

    assert codes == sorted(set(codes), key=lambda code: ("CLPBVRS".index(code[0]), code))
    assert [code for code in codes if not {code, code[0]} & names] == []
    assert sorted(name for name in names - set(codes) if len(name) > 1) == []
