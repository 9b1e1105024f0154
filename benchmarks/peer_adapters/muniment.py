"""Muniment: what was said, and the search over it."""

from pathlib import Path

from peer_worker import Embedder, Peer

from muniment import Memory
from muniment.retrieval import CallableEmbedder, UniversalSentenceEncoder


class Adapter(Peer):
    """A turn is a message, searched by search_conversations."""

    durable = (
        "synced: 2 fsyncs an add, the journal and the file of keys; embedded at the next search"
    )
    writes = "message, search_conversations"
    identity = "handle"
    takes = ("speaker", "thread")

    def __init__(self, folder: str, embedder: Embedder) -> None:
        model = UniversalSentenceEncoder()
        given = CallableEmbedder(model.name, model.dimension, embedder.many, floor=model.floor)
        self._memory = Memory.open(Path(folder) / "store", embedder=given)
        self._asker: dict[str, str] = {}

    def add(self, user: str, text: str, speaker: str = "", thread: str = "") -> str:
        """Keep one message of its speaker; a user's conversations are a channel."""
        person = speaker or user
        self._asker.setdefault(user, person)
        session = self._memory.session(person=person, channel=user, session=thread)
        return session.message(text).id

    def search(self, user: str, question: str, limit: int = 10) -> list[dict[str, str]]:
        """Return the turns of one channel, asked by the first who spoke in it."""
        session = self._memory.session(person=self._asker.get(user, user), channel=user)
        hits = session.search_conversations(question, limit=limit).hits
        return [{"id": hit.source, "text": hit.excerpt} for hit in hits]

    def close(self) -> None:
        """Close the store."""
        self._memory.close()
