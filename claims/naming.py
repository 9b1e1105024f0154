"""Where a text names somebody: her name as a word, with the particles and titles that Korean writes onto it."""

import re
from collections.abc import Iterable

from .canonical import canonical_text
from .errors import InvalidError

_HANGUL = "\uac00-\ud7a3"
# One syllable in front of a given name: the commonest family names, which cover nearly everybody.
_FAMILY = "김이박최정강조윤장임한오서신권황안송전홍유고문양손배백허남심노하곽성차주우구민류나진지엄채원천방공"
_TITLES = (
    "이 씨 님 군 양 쌤 샘 선생 선생님 교수 교수님 사장 사장님 대표 대표님 이사 이사님 부장 부장님 차장 차장님 "
    "과장 과장님 팀장 팀장님 실장 실장님 대리 대리님 사원 주임 주임님 선배 선배님 후배 언니 누나 오빠 형 "
    "엄마 아빠 어머니 아버지"
).split()
_PARTICLES = (
    "은 는 이 가 을 를 의 도 만 과 와 랑 이랑 하고 에게 에게서 한테 한테서 께 께서 더러 보고 로 으로 로서 으로서 "
    "부터 까지 처럼 같이 만큼 보다 마다 조차 마저 밖에 뿐 이나 나 이라도 라도 이라면 라면 이라고 라고 이라는 라는 "
    "아 야 이여 여 네 들 측 쪽 에 이며 며"
).split()
# The copula takes too many endings to list: 민지다, 민지예요, 민준이었다, 민지잖아요.
_COPULA = f"(?:이|였|예|인|일|입|라|래|란|다|잖|거든|지|니|면|구나|네|던|든|요)[{_HANGUL}]{{0,4}}"


def _any(words: Iterable[str]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))


NAME_ENDING = f"(?:{_any(_TITLES)})?(?:{_any(_PARTICLES)}){{0,3}}(?:{_COPULA})?"
"""A pattern of the titles and particles that Korean writes onto a name, none among them."""


class Naming:
    """The names of one person, looked for in texts; InvalidError for a name without a letter or digit."""

    def __init__(self, names: Iterable[str]) -> None:
        self._patterns: dict[str, re.Pattern[str]] = {}
        for name in dict.fromkeys(names):
            known = canonical_text(name)
            if not known:
                raise InvalidError(f"{name!r} is no name to look for; give one with letters")
            short = len(known) <= 2 and re.fullmatch(f"[{_HANGUL}]+", known)
            family = f"[{_FAMILY}]?" if short else ""
            self._patterns[name] = re.compile(
                rf"(?<!\w){family}{re.escape(known)}{NAME_ENDING}(?!\w)"
            )

    def found_in(self, text: str) -> tuple[str, ...]:
        """Return the names that a text mentions, in the order they were given."""
        if not text:
            return ()
        known = canonical_text(text)
        return tuple(name for name, pattern in self._patterns.items() if pattern.search(known))

    def passages(self, text: str, *, limit: int) -> str:
        """Return a text, or of a longer one the sentences that mention somebody, within `limit` code points."""
        if len(text) <= limit:
            return text
        pieces = [one for one in re.split(r"(?<=[.!?。！？])\s+|\n+", text) if self.found_in(one)]
        shown = " … ".join(pieces) or text
        return shown if len(shown) <= limit else f"{shown[: limit - 1]}…"
