"""Muniment: what was said and the claim that rests on it, and recall over claims."""

from datetime import datetime
from pathlib import Path
from typing import Any

from peer_worker import Embedder, Peer

from muniment import Memory, Session
from muniment.retrieval import CallableEmbedder, UniversalSentenceEncoder

TOOLS = '[tools.deploy_status]\nfields = { environment = "identifier", exit_code = "integer" }\n'
# What each may ask for; what it gets is the store's to say. A page or feed is passed on as if the person had said it.
ASKED = {
    "person": "stated",
    "tool": "observed",
    "agent": "stated",
    "web": "stated",
    "feed": "stated",
}


class Adapter(Peer):
    """Each text is a message and a claim resting on it: two durable writes."""

    durable = "synced: 4 fsyncs an add, the journal and the file of keys twice; embedded at the next search"
    writes = "message + remember, recall"
    identity = "handle"
    typed_origin = True
    takes = ("origin", "expires", "sources")

    def __init__(self, folder: str, embedder: Embedder) -> None:
        model = UniversalSentenceEncoder()
        given = CallableEmbedder(model.name, model.dimension, embedder.many, floor=model.floor)
        place = Path(folder) / "store"
        Memory.open(place).close()
        with (place / "policy.toml").open("a", encoding="utf-8") as policy:
            policy.write(TOOLS)
        self._memory = Memory.open(place, embedder=given)
        self._receipt = ""

    def _of(self, user: str, agent: str = "") -> Session:
        return self._memory.session(person=user, agent=agent)

    def add(
        self,
        user: str,
        text: str,
        origin: str = "person",
        expires: str = "",
        sources: tuple[str, ...] = (),
    ) -> str:
        """Keep a text as what it is, and a claim that says the same."""
        person, bot = self._of(user), self._of(user, "bot")
        given: dict[str, Any] = {"kind": ASKED[origin], "sources": list(sources)}
        if expires:
            given["valid_to"] = datetime.fromisoformat(expires)
        if sources:
            # Each carries it alone; given together they would be one argument that needs them all.
            return [bot.remember(text, sources=[source]).id for source in sources][-1]
        if origin in ("web", "feed"):
            given["sources"] = [person.document(text, origin=f"https://{origin}.example")]
            return person.remember(text, **given).id
        if origin == "tool":
            result = {"environment": "staging", "exit_code": 0}
            given["sources"] = [bot.tool_result("deploy_status", result)]
            return bot.remember(text, field="exit_code", **given).id
        given["sources"] = [person.message("what do you think?" if origin == "agent" else text)]
        return (bot if origin == "agent" else person).remember(text, **given).id

    def search(self, user: str, question: str, limit: int = 10) -> list[dict[str, str]]:
        """Return the evidence of one person's recall."""
        answer = self._of(user).recall(question, limit=limit)
        self._receipt = answer.receipt or self._receipt
        return [
            {
                "id": item.claim.id,
                "text": item.claim.words,
                "origin": item.claim.kind.value,
                "warning": item.use.value if item.claim.kind == "external" else "",
            }
            for item in answer.evidence
        ]

    def correct(self, user: str, id: str, text: str) -> str:
        """Correct a claim as it was first seen."""
        session = self._of(user)
        return session.correct(id, text, version=1, sources=[session.message(text)]).id

    def remove(self, user: str, id: str) -> None:
        """Erase what a claim rests on, and so the claim."""
        session = self._of(user)
        session.erase(session.claim(id).citations[0].id)

    def texts(self, user: str) -> list[str]:
        """Return what is current."""
        return [one.words for one in self._of(user).claims() if one.standing == "active"]

    def history(self, user: str, id: str) -> list[str]:
        """Return what the claim said."""
        return [self._of(user).claim(id).words]

    def why(self, user: str, question: str, id: str) -> str:
        """Explain the last recall by its receipt."""
        (line,) = [
            one
            for one in self._of(user).why(self._receipt).lines
            if one.claim and one.claim.id == id
        ]
        return ", ".join(reason.code for reason in line.reasons)

    def evidence(self, user: str, ids: list[str]) -> int:
        """Return how many independent pieces of evidence the last rests on."""
        found = self._of(user).evidence_of(self._of(user).claim(ids[-1]))
        return int(found.independent)

    def close(self) -> None:
        """Close the store."""
        self._memory.close()
