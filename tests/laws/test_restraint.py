"""What is out of use: pauses and states only ever take away, and what is muted and let in again is as it was."""

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from muniment import Account, Memory, Right
from muniment.claims import SCOPE_FIELDS, Verdict
from muniment.policy import ACCOUNTS, Circumstances, judge_right, speaks_of
from muniment.testing import flat_embedder

RIGHTS, ACCOUNT = st.sampled_from(Right), st.sampled_from(Account)
PAUSED = st.lists(st.sampled_from(SCOPE_FIELDS), unique=True).map(tuple)
WORDS = st.lists(
    st.sampled_from(
        ["이혼", "등산", "새우 알레르기", "Hamburg", "the job", "回忆", "diagnosis", "예산5"]
    ),
    min_size=1,
    max_size=4,
)


def allowed(right: Right, given: Circumstances) -> bool:
    """Return whether policy allows it."""
    return judge_right(right, given, ACCOUNTS).verdict is Verdict.ALLOW


@given(RIGHTS, PAUSED, ACCOUNT, st.booleans())
def test_a_pause_a_state_or_the_record_never_gives_a_right(
    right: Right, paused: tuple[str, ...], account: Account, off: bool
) -> None:
    restrained = Circumstances.model_validate(
        {"identified": True, "paused": paused, "account": account, "off_the_record": off}
    )

    assert allowed(Right.MANAGE, restrained)
    if allowed(right, restrained):
        assert allowed(right, Circumstances(identified=True))
        assert right is Right.MANAGE or not (paused or off)
    nobody = restrained.model_copy(update={"identified": False})
    assert not allowed(right, nobody)


@given(WORDS, WORDS, st.randoms())
def test_a_text_speaks_of_every_theme_made_of_its_words(
    theme: list[str], others: list[str], random: object
) -> None:
    text = [*theme, *others]
    random.shuffle(text)  # type: ignore[attr-defined]
    wanted = " ".join(theme)

    assert speaks_of(wanted, " ".join(text))
    assert speaks_of(wanted.upper(), "… " + "; ".join(text) + " — 그렇죠?")
    assert not speaks_of(wanted, "nothing of that 아무것도")
    assert not speaks_of(" ?! ", " ".join(text))


STEP = st.one_of(
    st.tuples(st.sampled_from(["mute", "unmute", "ask", "decline"]), st.integers(0, 3)),
    st.tuples(st.sampled_from(["theme", "untheme"]), st.sampled_from(["이혼", "hamburg"])),
    st.tuples(
        st.sampled_from(["pause", "resume"]), st.sampled_from(["person", "project", "session"])
    ),
    st.tuples(st.just("account"), ACCOUNT),
    st.tuples(st.just("reopen"), st.just(0)),
)
SAID = (
    "작년에 이혼했어요.",
    "이혼 서류는 서랍에 있어요.",
    "The Hamburg job is over.",
    "산책이 좋아요.",
)


class Model:
    """The same, kept in the plainest way."""

    def __init__(self) -> None:
        self.muted: set[int] = set()
        self.asked: set[int] = set()
        self.declined: set[int] = set()
        self.themes: set[str] = set()
        self.paused: set[str] = set()
        self.account = Account.ACTIVE

    def step(self, verb: str, what: object) -> None:
        """Do one step, the impossible ones being none."""
        match verb, what:
            case "mute", int(one):
                self.muted.add(one)
            case "unmute", int(one):
                self.muted.discard(one)
            case "ask", int(one) if one not in self.declined and one not in self.hidden():
                self.asked.add(one)
            case "decline", int(one) if one in self.asked:
                self.asked.discard(one)
                self.declined.add(one)
            case "theme", str(theme):
                self.themes.add(theme)
            case "untheme", str(theme):
                self.themes.discard(theme)
            case "pause", str(extent):
                self.paused.add(extent)
            case "resume", str(extent):
                self.paused.discard(extent)
            case "account", Account() as account:
                self.account = account
            case _:
                pass

    def hidden(self) -> set[int]:
        """Return which claims an agent may not look at."""
        spoken = {
            place
            for place, said in enumerate(SAID)
            if any(one in said.lower() for one in self.themes)
        }
        return self.muted | self.asked | spoken

    def shown(self) -> set[str]:
        """Return what a recall brings up."""
        if self.paused or self.account is not Account.ACTIVE:
            return set()
        return {said for place, said in enumerate(SAID) if place not in self.hidden()}


@settings(max_examples=10, deadline=None)
@given(st.lists(STEP, max_size=14))
def test_after_any_steps_recall_shows_what_a_plain_model_says(
    steps: list[tuple[str, object]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path, model = Path(folder) / "store", Model()
        memory = Memory.open(path, embedder=flat_embedder())
        place = {"person": "kim", "project": "apollo", "session": "s1"}
        kim = memory.session(**place)
        said = kim.message(" ".join(SAID))
        ids = [
            kim.remember(words, kind="stated", category="constraint", sources=[said]).id
            for words in SAID
        ]
        for verb, what in steps:
            kim = memory.session(**place)
            _do(memory, verb, what, ids, model)
            model.step(verb, what)
            if verb == "reopen":
                memory.close()
                memory = Memory.open(path, embedder=flat_embedder())
                kim = memory.session(**place)
            found = {item.claim.words for item in kim.recall("무엇?").evidence}
            assert found == model.shown()
            assert [one.words for one in kim.claims()] == list(SAID)  # nothing is ever lost
        assert memory.rebuild() and memory.verify().findings == ()
        memory.close()


def _do(memory: Memory, verb: str, what: object, ids: list[str], model: Model) -> None:
    """Do one step in the store, where the model can do it too."""
    kim = memory.session(person="kim", project="apollo", session="s1")
    bot = memory.session(person="kim", project="apollo", agent="bot")
    match verb, what:
        case "mute", int(one):
            kim.mute(ids[one])
        case "unmute", int(one) if one in model.muted:
            kim.unmute(ids[one])
        case "ask", int(one) if one not in model.declined | model.hidden():
            if not model.paused & {"person", "project"} and model.account is Account.ACTIVE:
                bot.request_forget(ids[one])
            else:  # an agent looks nothing up now; she may ask herself
                kim.request_forget(ids[one])
        case "decline", int(one) if one in model.asked:
            kim.decline_forget(ids[one])
        case "theme", str(theme):
            kim.mute(theme=theme)
        case "untheme", str(theme) if theme in model.themes:
            kim.unmute(theme=theme)
        case "pause", str(extent):
            kim.pause(extent)
        case "resume", str(extent):
            kim.resume(extent)
        case "account", Account() as account:
            memory.set_account("kim", account)
        case _:
            pass
