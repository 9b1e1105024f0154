"""R05: Korean, English and mixed text work with no configuration: particles, spacing, NFC and NFD."""

import unicodedata

import pytest

from muniment import Memory, Session

# A claim, then questions for it: other particles, other spacing, other words, the other language.
TALK: dict[str, tuple[str, ...]] = {
    "배포 환경은 스테이징이다": ("배포 환경을 알려줘", "배포환경이 뭐였지?", "어디에 배포하지?"),
    "회의는 매주 화요일 오전 10시에 한다": ("회의가 언제야?", "화요일에 뭐 하지?", "주간회의 시각"),
    "데이터베이스 비밀은 볼트에만 둔다": ("DB 비밀번호는 어디에?", "데이터베이스비밀 보관 위치"),
    "저 고기 안 먹어요": ("고기를 먹나요?", "식단 제한이 있어?", "고기 요리를 시켜도 되나"),
    "점심은 주로 김치찌개를 먹는다": ("점심으로 뭘 먹어?", "김치찌개를 좋아하나?"),
    "우리 팀장은 박서준 과장이다": ("팀장이 누구야?", "박서준이 누구지?", "과장님 성함"),
    "고객사 한빛은행과 계약은 12월에 끝난다": (
        "한빛은행 계약이 언제 끝나?",
        "12월에 끝나는 계약은?",
    ),
    "로그는 30일 동안 보관한다": (
        "로그를 며칠 보관하지?",
        "로그보관 기간",
        "how long are logs kept?",
    ),
    "결제 모듈은 이지은이 맡는다": ("결제는 누가 맡아?", "결제모듈 담당자", "이지은이 하는 일은?"),
    "서버 점검은 새벽 3시에 시작한다": ("서버점검이 몇 시야?", "점검은 언제 시작하지?"),
    "휴가는 2주 전에 신청해야 한다": ("휴가를 언제까지 신청해?", "휴가신청 규칙"),
    "사무실은 판교역 4번 출구 앞이다": ("사무실이 어디야?", "판교역 몇 번 출구로 나가?"),
    "코드 리뷰는 두 명이 승인해야 합친다": (
        "코드리뷰는 몇 명이 승인해?",
        "리뷰를 누가 몇이나 하지?",
    ),
    "신입 교육 자료는 노션에 있다": ("신입교육 자료가 어디 있어?", "노션에 뭐가 있지?"),
    "출장비는 법인카드로 낸다": ("출장비를 어떻게 내?", "법인카드는 언제 써?"),
    "주차는 지하 2층에만 할 수 있다": ("주차를 어디에 하지?", "지하2층에 뭐가 있어?"),
    "강아지 이름은 보리다": ("강아지가 이름이 뭐야?", "보리가 누구야?"),
    "재택근무는 수요일과 금요일에 한다": ("재택을 언제 해?", "금요일에 출근하나?"),
    "We deploy to production on Fridays": ("when do we deploy?", "production 배포는 언제?"),
    "The staging database is refreshed every night": (
        "how often is the staging database refreshed?",
        "staging DB refresh",
    ),
    "Kim prefers tabs over spaces": ("tabs or spaces?", "which indentation does Kim like?"),
    "The API rate limit is 600 requests per minute": (
        "what is the rate limit?",
        "API 호출 제한은?",
    ),
    "Invoices are sent to billing@corp.example": ("where do invoices go?", "billing@corp.example"),
    "Our mobile app supports iOS 16 and later": (
        "which iOS versions are supported?",
        "iOS 지원 버전",
    ),
    "The incident channel is #ops-alerts": ("which channel for incidents?", "#ops-alerts"),
    "Python 3.11 is the oldest version we support": ("oldest Python?", "Python 최소 버전은?"),
    "The design review moved to Thursday afternoon": (
        "when is the design review?",
        "what moved to Thursday?",
    ),
    "Backups are encrypted with age": ("how are backups encrypted?", "백업 암호화는 뭘로 해?"),
    "The garden gate squeaks in winter": ("what squeaks?", "garden gate"),
    "CI는 GitHub Actions를 쓴다": ("CI를 뭘로 돌려?", "GitHub Actions는 어디에 써?"),
    "Kafka 토픽은 orders-v2로 옮겼다": ("Kafka 토픽이 뭐야?", "orders-v2가 뭐지?"),
    "PR 제목은 영어로 쓴다": ("PR제목은 어떤 언어로?", "PR 제목을 한글로 써도 돼?"),
    "Redis 캐시 TTL은 5분이다": ("Redis TTL이 몇 분이지?", "캐시는 얼마나 유지돼?"),
    "Slack 알림은 밤 10시 이후에 끈다": ("Slack알림을 언제 꺼?", "밤에 알림이 오나?"),
    "Figma 파일은 디자인팀만 고친다": ("Figma를 누가 고쳐?", "디자인팀이 하는 일"),
    "테스트 커버리지는 85% 이상이어야 한다": (
        "커버리지가 몇 퍼센트여야 해?",
        "테스트커버리지 기준",
    ),
    "Terraform 상태는 S3 버킷에 둔다": ("Terraform state는 어디에?", "S3에 뭘 두지?"),
    "사내 와이파이 이름은 corp-5G다": ("와이파이가 이름이 뭐야?", "corp-5G"),
    "분기 목표는 이탈률 3% 아래다": ("이번 분기 목표가 뭐야?", "이탈률 목표"),
    "영업팀은 매달 1일에 실적을 올린다": ("실적을 언제 올려?", "영업팀이 1일에 하는 일"),
}
QUESTIONS = [(question, claim) for claim, asked in TALK.items() for question in asked]


@pytest.fixture(scope="module")
def kim(memory: Memory) -> Session:
    """Return a person who said all of it; every third line came in decomposed, as some systems write it."""
    kim = memory.session(person="kim")
    for number, text in enumerate(TALK):
        written = unicodedata.normalize("NFD", text) if number % 3 == 0 else text
        said = kim.message(written)
        kim.remember(written, kind="stated", sources=[said])
    return kim


def first(session: Session, question: str, count: int) -> list[str]:
    """Return what a recall gives first."""
    found = session.recall(question, limit=count).evidence
    return [unicodedata.normalize("NFC", item.claim.words) for item in found]


def share(session: Session, questions: list[tuple[str, str]], count: int) -> float:
    """Return the share of questions whose claim is among the first few."""
    missed = [
        question for question, claim in questions if claim not in first(session, question, count)
    ]
    print(f"missed {len(missed)} of {len(questions)}: {missed}")
    return 1 - len(missed) / len(questions)


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_nine_of_ten_are_among_the_first_three(kim: Session, form: str) -> None:
    questions = [
        (unicodedata.normalize(form, question), claim)  # type: ignore[arg-type]
        for question, claim in QUESTIONS
    ]

    assert len(questions) >= 80
    assert share(kim, questions, 3) >= 0.9


def test_without_any_space_it_is_nearly_as_good(kim: Session) -> None:
    korean = [
        (question.replace(" ", ""), claim) for question, claim in QUESTIONS if not claim.isascii()
    ]

    assert share(kim, korean, 3) >= 0.85


def test_the_form_of_the_characters_changes_no_answer(kim: Session) -> None:
    for question, _ in QUESTIONS[::7]:
        assert first(kim, question, 5) == first(kim, unicodedata.normalize("NFD", question), 5)


def test_what_was_said_is_found_the_same_way(kim: Session) -> None:
    missed: list[str] = []
    for question, claim in QUESTIONS[::3]:
        hits = kim.search_conversations(question, limit=3).hits
        if claim not in [unicodedata.normalize("NFC", hit.excerpt) for hit in hits]:
            missed.append(question)

    assert len(missed) <= 0.1 * len(QUESTIONS[::3]), missed


@pytest.mark.parametrize(
    ("question", "claim"),
    [
        ("금요일", "재택근무는 수요일과 금요일에 한다"),
        ("BILLING@corp.example", "Invoices are sent to billing@corp.example"),
        ("ｏｒｄｅｒｓ－ｖ２", "Kafka 토픽은 orders-v2로 옮겼다"),
        ("찌개", "점심은 주로 김치찌개를 먹는다"),
    ],
)
def test_a_piece_another_case_or_another_width_is_enough(
    kim: Session, question: str, claim: str
) -> None:
    assert claim in first(kim, question, 3)
