"""What a session tells a person on the host's own screen: one sentence on what memory does here, and why."""

from muniment.claims import Right, Value
from muniment.policy import Permit, Preset

from .acting import Acting
from .blocking import is_block_waiting
from .forgetting import list_requests
from .reviewing import waiting_states
from .words import Language, word


class State(Value):
    """What memory does in a session: the sentence for a person, and what it is made of.

    `waiting` is how much waits for the person who acts herself: claims, a write of the block, requests to forget.
    """

    sentence: str
    accumulate: Permit
    prompt: Permit
    preset: Preset
    waiting: int = 0

    def __str__(self) -> str:
        """Return the sentence."""
        return self.sentence

    @property
    def rules(self) -> tuple[str, ...]:
        """The codes of the rules behind the sentence, each once."""
        return tuple(dict.fromkeys((self.accumulate.decision.rule, self.prompt.decision.rule)))


def state_of(acting: Acting, language: Language) -> State:
    """Return what memory does here now; looking at it writes nothing."""
    keeps, prompts = acting.permit(Right.ACCUMULATE), acting.permit(Right.PROMPT)
    waiting = _waiting(acting) if acting.alone else 0
    return State(
        sentence=_sentence(acting, language, keeps, prompts, waiting),
        accumulate=keeps,
        prompt=prompts,
        preset=acting.policy.preset,
        waiting=waiting,
    )


def _waiting(acting: Acting) -> int:
    claims = sum(1 for _ in waiting_states(acting))
    return claims + len(list_requests(acting)) + is_block_waiting(acting)


def _sentence(
    acting: Acting, language: Language, keeps: Permit, prompts: Permit, waiting: int
) -> str:
    given = acting.circumstances()
    count = word("state_part.waiting", language, count=waiting) if waiting else ""
    if not given.identified:
        return word("state.nobody", language)
    if given.off_the_record:
        return word("state.off_the_record", language, waiting=count)
    account = word(f"account.{given.account.value}", language)
    if given.paused:
        where = ", ".join(word(f"extent.{field}", language) for field in given.paused)
        rule = acting.policy.states[given.account]
        besides = word("state_part.besides", language, account=account)
        account = "" if rule.accumulate and rule.prompt else besides
        return word("state.paused", language, where=where, account=account, waiting=count)
    parts = {
        "keeps": word(f"state_part.keeps{'' if keeps else '_nothing'}", language),
        "prompts": word(f"state_part.prompts{'' if prompts else '_nothing'}", language),
        "waiting": count,
    }
    if keeps and prompts:
        approval = word(f"state_approval.{acting.policy.preset}", language)
        return word("state.on", language, approval=approval, **parts)
    how = word(f"state_part.{'partly' if keeps or prompts else 'off'}", language)
    return word("state.account", language, how=how, account=account, **parts)
