"""The signs by which hygiene knows a text: one table of data, in Korean and English.

They miss and they err: an error costs a model a write and a person one step (docs/decisions/0022). No pattern may take
longer than in proportion to the text, whatever the text is: what is sought over a distance stands in atomic groups.
"""

import re
from typing import Literal

from muniment.claims import Value


class Sign(Value):
    """A pattern by which a rule knows a text, in one language; letters and spacing count as little as they may."""

    rule: str
    language: Literal["en", "ko", "any"]
    pattern: str

    @property
    def expression(self) -> re.Pattern[str]:
        """The pattern, compiled; `re` keeps it."""
        return re.compile(self.pattern, re.IGNORECASE | re.MULTILINE)


def _sign(rule: str, language: Literal["en", "ko", "any"], pattern: str) -> Sign:
    return Sign(rule=rule, language=language, pattern=pattern)


_TOOL = (
    r"(?:tool|command|browser|cli|api|server|plugin|package|script|model|provider|sandbox|docker)"
)
_KO_TOOL = r"(?:도구|툴|명령어?|브라우저|서버|플러그인|패키지|스크립트|모델|제공자|샌드박스|tool|cli|api|docker)"
_MONTHS = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_DAYS = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_STANDARDS = r"(?:UTF|SHA|ISO|RFC|PEP|GPT|HTTP|TLS|AES|RSA|CP|KS|MD|IPV|ES|UTC|GMT|COVID|CVE|EUC)"
_TICKET = (
    rf"(?-i:\b(?!{_STANDARDS}-)[A-Z]{{2,10}}-\d{{2,6}}\b)|\b(?:ticket|issue|pr|"
    rf"pull request)\s*#?\d+"
)

SIGNS = (
    # Bound to a time or to one occasion: said of a day it is not said of every day.
    _sign(
        "TIME_BOUND",
        "en",
        r"\b(?:this|next) (?:week(?:end)?|month|quarter|sprint|morning|afternoon|evening|time|"
        r"once|release)\b",
    ),
    _sign(
        "TIME_BOUND",
        "en",
        r"\b(?:today(?!['’]s date)|tonight|tomorrow|temporarily|for now|for the (?:moment|"
        r"time being|next \w+))\b",
    ),
    _sign(
        "TIME_BOUND",
        "en",
        rf"\b(?:until|by|on|before|only) (?:\d{{4}}-\d{{2}}-\d{{2}}|{_MONTHS} \d{{1,2}}\b|"
        rf"the end of)",
    ),
    _sign(
        "TIME_BOUND",
        "en",
        rf"\buntil (?:next )?{_DAYS}\b|\bjust this once\b|\buntil further notice\b",
    ),
    _sign(
        "TIME_BOUND",
        "ko",
        r"(?:이번|다음)\s*(?:주말?|달|월|분기|학기|스프린트|한\s*번|한\s*번만|건만|배포만|릴리스)(?!년)",
    ),
    _sign(
        "TIME_BOUND",
        "ko",
        r"(?<![가-힣])(?:오늘(?!의?\s*날짜|의집)|내일(?!배움)|모레|당분간|임시로|일단은|지금만)",
    ),
    _sign(
        "TIME_BOUND",
        "ko",
        r"(?:\d{1,2}월\s*\d{1,2}일|\d{4}[-./]\s?\d{1,2}[-./]\s?\d{1,2}|[월화수목금토일]요일)\s*(?:까지|에만|만\s)",
    ),
    _sign(
        "TIME_BOUND",
        "any",
        rf"{_TICKET}|(?:티켓|이슈)\s*#?\d+",
    ),
    # Work in progress: open tasks, a test that fails now.
    _sign(
        "WORK_IN_PROGRESS",
        "any",
        r"^\W{0,5}(?:to-?do|wip|할\s*일|남은\s*(?:일|작업))\s*[:：\-–]",
    ),
    _sign(
        "WORK_IN_PROGRESS",
        "en",
        r"\b(?:is|are|still) in progress\b|\bwork in progress\b(?! items?)",
    ),
    _sign(
        "WORK_IN_PROGRESS",
        "en",
        r"(?:^|\b(?:i|we|assistant|agent)(?:['’](?:m|re)| am| are| is)? )(?:currently|still) "
        r"(?:working on|debugging|fixing|refactoring|implementing|writing|migrating|investigating)\b",
    ),
    _sign(
        "WORK_IN_PROGRESS",
        "en",
        r"\bstill (?:needs? to|have to|has to|to be done|to do|open:)|\b(?:next steps?|"
        r"remaining (?:tasks?|work)|open tasks?) (?:is|are)\b|\bleft to do\b",
    ),
    _sign(
        "WORK_IN_PROGRESS",
        "en",
        r"\b(?:tests?|builds?|ci|pipelines?)\b[^.\n]{0,40}\b(?:is|are|keeps?) (?:currently |"
        r"still |now )?(?:failing|red|broken)\b",
    ),
    _sign(
        "WORK_IN_PROGRESS",
        "en",
        r"\b(?:tests?|builds?|ci|pipelines?)\b[^.\n]{0,40}\b(?:fail(?:s|ed|ing)?|"
        r"broke)\b[^.\n]{0,20}\btoday\b|\btoday['’]?s? failing\b",
    ),
    _sign(
        "WORK_IN_PROGRESS",
        "ko",
        r"(?:진행|작업|수정|구현|조사|디버깅|마이그레이션)\s*중(?:이다|입니다|이에요|예요|이야|임|\s*[.!]?\s*$)",
    ),
    _sign(
        "WORK_IN_PROGRESS",
        "ko",
        r"아직\s*(?:안|못)\s*(?:끝|했|고쳤|마쳤|됐)|아직\s*(?:끝나지|끝내지|고치지)\s*(?:않|못)|미완료\s*(?:이다|입니다|임|"
        r"\s*[.!]?\s*$)",
    ),
    _sign(
        "WORK_IN_PROGRESS",
        "ko",
        r"오늘[^.\n]{0,15}(?:실패한|실패하는|깨진)\s*(?:테스트|test|빌드|build)|"
        r"오늘[^.\n]{0,25}(?:테스트|test|빌드|build)[^.\n]{0,15}(?:실패|깨)|(?:테스트|test|빌드|"
        r"build)[^.\n]{0,20}(?:실패하고\s*있|깨져\s*있|실패\s*중)",
    ),
    # A bare denial of a tool: it outlives what it was true of.
    _sign(
        "BARE_FAILURE",
        "en",
        rf"\b{_TOOL}s?\b[^.\n]{{0,30}}\b(?:does not|doesn['’]t|do not|don['’]t|never|won['’]t|"
        rf"will not|cannot|can['’]t) (?:work|run|start|function)\b",
    ),
    _sign(
        "BARE_FAILURE",
        "en",
        rf"\b{_TOOL}s?\b[^.\n]{{0,30}}\b(?:is|are) (?:broken|unusable|down|dead)\b",
    ),
    _sign(
        "BARE_FAILURE",
        "ko",
        rf"{_KO_TOOL}(?:은|는|이|가)?\s*(?:아예\s*|전혀\s*|늘\s*)?(?:안\s*(?:된다|돼|됨|됩니다|되네)|작동하지\s*않|"
        rf"동작하지\s*않|고장|먹통|못\s*쓴다|쓸\s*수\s*없)",
    ),
    # What was copied in and not said.
    _sign(
        "RAW_DUMP",
        "any",
        r"Traceback \(most recent call last\)|^[ \t]{0,40}at [\w.$<>]{1,200}\([^)\n]{0,200}:\d+\)",
    ),
    _sign(
        "RAW_DUMP",
        "any",
        r"(?:^\W{0,2}\d{4}-\d\d-\d\d[T ]\d\d:\d\d[^\n]*\n?){3}",
    ),
    _sign(
        "RAW_DUMP",
        "any",
        r"(?:^[^|\n]*(?:\|[^|\n]*){3,}\n?){5}|(?:^[^,\n]*(?:,[^,\n]*){3,}\n){5}",
    ),
    _sign(
        "RAW_DUMP",
        "any",
        r"\A(?>[\s\S]*?[\[{]\s{0,20}\"[^\n\"]{1,80}\"\s{0,20}[:,])[\s\S]{300,}[\]}]|[A-Za-z0-9+/=]{160,}",
    ),
    # Steps that can be used again.
    _sign(
        "IS_PROCEDURE",
        "any",
        r"\A(?>[\s\S]*?(?<!\S)1[.)]\s)(?>[\s\S]*?\s2[.)]\s)(?>[\s\S]*?\s3[.)]\s)",
    ),
    _sign(
        "IS_PROCEDURE",
        "en",
        r"\A(?>[\s\S]*?\bstep 1\b)(?>[\s\S]*?\bstep 2\b)|"
        r"\A(?>[\s\S]*?\bfirst,?\s)(?>[\s\S]{3,}?\bthen,?\s)(?>[\s\S]{3,}?\bfinally\b)",
    ),
    _sign(
        "IS_PROCEDURE",
        "ko",
        r"\A(?>[\s\S]*?1단계)(?>[\s\S]*?2단계)|"
        r"\A(?>[\s\S]*?먼저)(?>[\s\S]{3,}?(?:그다음|그 다음|다음으로))(?>[\s\S]{3,}?(?:마지막으로|끝으로))",
    ),
    # Work that is over.
    _sign(
        "FINISHED_WORK",
        "en",
        r"\b(?:finished|completed|merged|closed|pushed|committed|refactored|implemented) "
        r"(?:(?:the|a|all|my|our) )?(?:\w+ ){0,2}(?:tasks?|tickets?|issues?|prs?|pull requests?|"
        r"migration|refactoring|features?|release|deployment|branch|commits?|tests?|bugs?|fix|parser|"
        r"module|upgrade)\b",
    ),
    _sign(
        "FINISHED_WORK",
        "en",
        r"\b(?:task|work|migration|refactoring|pr|ticket|issue|upgrade)\b[^.\n]{0,30}\b(?:is|was|"
        r"has been) (?:now )?(?:done|finished|completed?|merged|closed)\b|"
        r"\ball tests pass(?:ed)?\b",
    ),
    _sign(
        "FINISHED_WORK",
        "ko",
        r"(?:작업|수정|구현|리팩터링|마이그레이션|이슈|티켓|PR|업그레이드)\S{0,3}\s*(?:을|를|이|가)?\s*(?:완료(?:했|됐|되었|함|"
        r"\s*[.!]?\s*$)|끝냈|끝났|마쳤|병합했|닫았)",
    ),
    _sign(
        "FINISHED_WORK",
        "ko",
        r"(?:모든|전체)\s*테스트\S{0,2}\s*통과(?:했|함|\s*[.!]?\s*$)",
    ),
    # Errors that went away by themselves.
    _sign(
        "RESOLVED_ITSELF",
        "en",
        r"\b(?:went away|(?:resolved|fixed|healed) itself|no longer (?:happens|occurs|fails)|"
        r"works again|(?:worked|passed|succeeded) (?:on|after) (?:a |the )?(?:second (?:try|"
        r"attempt)|retry|re-?run))\b",
    ),
    _sign(
        "RESOLVED_ITSELF",
        "en",
        r"\bwas (?:only )?(?:a )?(?:transient|temporary|flaky)\b[^.\n]{0,20}\b(?:error|failure|"
        r"outage|glitch|problem)\b",
    ),
    _sign(
        "RESOLVED_ITSELF",
        "ko",
        r"(?:저절로|스스로|알아서)\s*(?:해결|풀렸|사라|없어|나았|복구)|다시\s*(?:하니|해\s*보니|시도하니|실행하니)\S*\s*(?:됐|되었|성공|"
        r"통과)|재시도(?:하니|에서|하자)\s*(?:성공|통과|됐)",
    ),
    _sign(
        "RESOLVED_ITSELF",
        "ko",
        r"일시적(?:인)?\s*(?:오류|장애|문제)(?:였|이었)",
    ),
    # What can be looked up again.
    _sign(
        "LOOKED_UP_AGAIN",
        "en",
        r"\b(?:is the capital of|is an? (?:programming language|web framework|"
        r"open[- ]source (?:library|database|tool)|country|relational database))\b",
    ),
    _sign(
        "LOOKED_UP_AGAIN",
        "en",
        r"\baccording to (?:the )?(?:docs|documentation|wikipedia|manual)\b|\b(?:docs|"
        r"documentation|readme|manual) (?:says?|states?)\b|\bon line \d+\b",
    ),
    _sign(
        "LOOKED_UP_AGAIN",
        "ko",
        r"의\s*수도(?:는|이다|입니다)|(?:프로그래밍\s*언어|웹\s*프레임워크|오픈\s*소스\s*(?:라이브러리|도구))(?:이다|입니다|다|임)|"
        r"(?:공식\s*)?문서에\s*(?:따르면|나와|적혀|쓰여)|검색하면\s*(?:나|알)|\d+번째\s*줄",
    ),
    # What nobody needs to be told again.
    _sign(
        "TRIVIAL",
        "en",
        r"^\W{0,5}(?:the )?(?:user|person|she|he|they|\w+) (?:said|says|wrote) (?:hi|hello|hey|thanks|"
        r"thank you|good (?:morning|evening|night)|bye|ok(?:ay)?)\W{0,5}$",
    ),
    _sign(
        "TRIVIAL",
        "en",
        r"^\W{0,5}(?:the )?(?:user|person|she|he|they) (?:asked a question|is (?:here|online|polite|"
        r"friendly|chatting)|sent a message)\W{0,5}$|^\W{0,5}(?:hi|hello|hey|thanks|thank you|bye)\W{0,5}$",
    ),
    _sign(
        "TRIVIAL",
        "ko",
        r"(?:인사를?|감사\s*인사를?|고맙다고)\s*(?:했|하였|함|나눴|말했)\S{0,9}\W{0,5}$|^\W{0,5}\S{0,12}\s?질문을?\s*(?:했|함|"
        r"하였)\S{0,9}\W{0,5}$|^\W{0,5}(?:안녕(?:하세요)?|감사합니다|고마워요?|네|넵)\W{0,5}$",
    ),
    # A name that only makes sense for today's task.
    _sign(
        "PROCEDURE_NAME",
        "any",
        r"(?:^|-)(?:pr|issue|ticket|bug|mr)-?\d+(?:-|$)|^(?!utf-|sha-|iso-|python-|"
        r"http-)[a-z]{2,10}-\d{3,}(?:-|$)",
    ),
    _sign(
        "PROCEDURE_NAME",
        "any",
        r"(?:^|-)(?:20\d\d(?:-?\d\d)?(?:-?\d\d)?|today|now|tomorrow|yesterday|week-?\d+|"
        r"sprint-?\d+|(?:mon|tues|wednes|thurs|fri|satur|sun)day)(?:-|$)",
    ),
    _sign(
        "PROCEDURE_NAME",
        "any",
        r"(?:error|exception|traceback|econn[a-z]*|enoent|eacces|errno|segfault)(?:-|$)|(?:^|"
        r"-)(?:http-?)?[45]\d\d(?:-|$)",
    ),
)
"""Every sign there is, by rule; they miss and they err, and an error costs a person one step."""

# What makes a denial a use: it says when, or what to do instead.
REMEDY = re.compile(
    r"\b(?:without|unless|until|when|if|instead|because|fix(?:ed)?|workaround|use \w+|set \w+|with)\b"
    r"|없이|없으면|않으면|하면|때(?:는|문)|대신|해결|우회|설정",
    re.IGNORECASE,
)
# "Stop doing X": how this person wants this sort of task done.
STYLE = re.compile(
    r"\b(?:stop|quit) \w+ing\b|\b(?:don['’]t|do not|never) (?:use|add|write|format|put|say|start|end)\b"
    r"|\btoo (?:verbose|long|short|formal|wordy)\b|\bno more \w+"
    r"|그만\s*(?:해|하|좀|써|쓰|넣|붙)|하지\s*(?:마|말)|(?:쓰|넣|붙이|달)지\s*(?:마|말)|너무\s*(?:길|장황|짧|딱딱)",
    re.IGNORECASE,
)
