"""Cutting a turn for the index: at most ten pieces of 4,000 characters, no word in two halves."""

CHUNK = 4_000
MOST_CHUNKS = 10
_SENTENCE_ENDS = ".!?。！？…\n"


def chunks_of(text: str) -> tuple[str, ...]:
    """Return the stretches of a turn that are indexed, in order.

    A cut falls at white space; in text without any, after the last sentence end, otherwise between two characters.
    """
    pieces: list[str] = []
    place = 0
    while place < len(text) and len(pieces) < MOST_CHUNKS:
        end = _cut(text, place)
        piece = text[place:end].strip()
        if piece:
            pieces.append(piece)
        place = end
    return tuple(pieces)


def _cut(text: str, place: int) -> int:
    end = place + CHUNK
    if end >= len(text):
        return len(text)
    window = text[place:end]
    for last in range(len(window) - 1, CHUNK // 2, -1):
        if window[last].isspace():
            return place + last + 1
    sentence = max(window.rfind(mark) for mark in _SENTENCE_ENDS)
    return place + sentence + 1 if sentence > CHUNK // 2 else end
