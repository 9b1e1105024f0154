"""An investigation as one HTML file: no script, nothing fetched, made to be printed."""

from collections.abc import Iterable, Iterator
from html import escape

from muniment import Investigation, Language, Source, Told
from muniment.claims import Citation

from .safe import line_text, moment_text, page_text
from .words import kind_words, language, reason_words, rule_words, word

_AROUND = 400  # code points of a source shown on either side of a quote
_STYLE = """
:root { color-scheme: light; font: 16px/1.6 "Noto Sans KR", "Noto Sans", system-ui, sans-serif; }
body { max-width: 46rem; margin: 2rem auto; padding: 0 1.2rem; color: #1d1d1f; background: #fff; }
h1 { font-size: 1.5rem; line-height: 1.3; }
h2 { font-size: 1.1rem; margin: 2rem 0 .4rem; border-bottom: 1px solid #ccc; }
h3 { font-size: 1rem; margin: 1.2rem 0 .2rem; }
.code { color: #666; font-family: ui-monospace, monospace; font-size: .78em; overflow-wrap: anywhere; }
.words { font-size: 1.15rem; font-weight: 600; }
blockquote { margin: .4rem 0 .4rem 1rem; padding: .2rem .9rem; border-left: 3px solid #999; white-space: pre-wrap;
  overflow-wrap: anywhere; }
mark { background: #ffe58a; padding: 0 .1em; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid #e4e4e4; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: .78rem; background: #f6f6f6; padding: .8rem; }
.step { margin-left: calc(var(--depth) * 1.2rem); }
@media print { body { margin: 0; max-width: none; font-size: 11pt; } h2, h3 { break-after: avoid; }
  blockquote, tr { break-inside: avoid; } mark { outline: 1px solid #000; } }
"""


def report_page(found: Investigation, reader: str, tongue: Language | None = None) -> str:
    """Return the page; whatever was remembered stands in it as text only."""
    return _Page(reader, tongue or language()).page(found)


class _Page:
    def __init__(self, reader: str, tongue: Language) -> None:
        self._reader = reader
        self._tongue: Language = tongue

    def _term(self, group: str, code: str) -> str:
        return f"{_line(word(f'{group}.{code}', self._tongue))} {_code(code)}"

    def _say(self, key: str, **values: object) -> str:
        return escape(word(f"report.{key}", self._tongue, **values))

    def page(self, found: Investigation) -> str:
        """Return the whole page."""
        title = self._say("title")
        body = "\n".join(self._body(found))
        return (
            f'<!doctype html>\n<html lang="{self._tongue}">\n<head>\n<meta charset="utf-8">\n'
            '<meta http-equiv="Content-Security-Policy" '
            "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
            '<meta name="viewport" content="width=device-width">\n'
            f"<title>{title} {escape(found.subject)}</title>\n<style>{_STYLE}</style>\n</head>\n"
            f"<body>\n{body}\n</body>\n</html>\n"
        )

    def _body(self, found: Investigation) -> Iterator[str]:
        yield f"<h1>{self._say('title')}</h1>"
        yield _code(found.subject)
        asked = found.explanation
        if asked.asked_at is not None:
            yield f"<h2>{self._say('question')}</h2>"
            yield f"<p>{_line(moment_text(asked.asked_at))}, {self._term('purpose', asked.purpose)}</p>"
            yield f"<blockquote>{_page(asked.question)}</blockquote>"
            for rule, count in asked.withheld:
                held = rule_words(rule, rule, self._tongue)
                yield f"<p>{escape(word('recall.withheld', self._tongue))}: {count} × {_line(held)} {_code(rule)}</p>"
        for told in found.claims:
            yield from self._claim(told)
        yield from self._proof(found)
        yield f"<h2>{self._say('open')}</h2>"
        yield _items(_line(item) for item in found.undetermined)

    def _claim(self, told: Told) -> Iterator[str]:
        line, claim = told.line, told.line.claim
        yield f"<h2>{self._say('claim')}</h2>"
        yield f'<p class="words">“{_line(claim.words)}”</p>'
        kind = kind_words(claim, self._reader, self._tongue)
        standing = word(f"standing.{claim.standing.value}", self._tongue)
        category = word(f"category.{claim.category.value}", self._tongue)
        yield f"<p>{_line(kind)} {_code(claim.kind.value)} · {_line(category)} · "
        yield f"{_line(standing)} {_code(claim.standing.value)}</p>"
        levels = (("integrity", claim.integrity.name), ("authority", claim.authority.name))
        worth = " · ".join(self._term(group, name) for group, name in levels)
        yield f"<p>{worth} {_code(f'{claim.id}@{claim.version}')}</p>"
        yield f"<h3>{self._say('decision')}</h3>"
        reason = rule_words(line.decision.rule, line.decision.reason, self._tongue)
        yield f"<p>{_line(reason)} {_code(f'{line.decision.rule}, {line.decision.verdict.value}')}</p>"
        if line.reasons:
            reasons = (_line(reason_words(one, self._tongue)) for one in line.reasons)
            yield f"<p>{escape(word('recall.because', self._tongue))}: {', '.join(reasons)}</p>"
        yield f"<h3>{self._say('path')}</h3>"
        sources = {source.id: source for source in told.sources}
        for step in line.path:
            yield f'<div class="step" style="--depth:{step.depth - 1}">'
            yield from self._step(step.citation, sources.get(step.citation.id))
            yield "</div>"
        yield f"<h3>{self._say('history')}</h3>"
        yield self._history(told)
        yield f"<h3>{self._say('receipts')}</h3>"
        yield (
            _items(
                f"{_line(moment_text(one.at))}, {self._term('purpose', one.purpose)} {_code(one.id)}"
                for one in told.receipts
            )
            if told.receipts
            else f"<p>{self._say('none')}</p>"
        )

    def _step(self, citation: Citation, source: Source | None) -> Iterator[str]:
        medium = citation.medium.value if citation.medium else "claim"
        whose = ", ".join(_line(name) for name in (citation.author, citation.origin) if name)
        taken = word(
            "claim.taken", self._tongue, when=moment_text(citation.said_at or citation.recorded_at)
        )
        shown = ", ".join(
            item
            for item in (_line(word(f"medium.{medium}", self._tongue)), whose, _line(taken))
            if item
        )
        yield f"<p>{shown} {_code(citation.id)}</p>"
        if source is not None:
            yield f"<blockquote>{_marked(source.text, citation.start, citation.end)}</blockquote>"
        elif citation.quote:
            yield f"<blockquote>{_page(citation.quote)}</blockquote>"

    def _history(self, told: Told) -> str:
        heads = "".join(f"<th>{self._say(name)}</th>" for name in ("when", "what", "who", "why"))
        rows = "".join(
            f"<tr><td>{_line(moment_text(one.recorded_at))}</td>"
            f"<td>{self._term('verb', one.verb)} → {self._term('standing', one.standing)} {_code(one.other)}</td>"
            f"<td>{_line(one.by)}</td>"
            f"<td>{_line(one.reason)} {_line(rule_words(one.decision.rule, one.decision.reason, self._tongue))} "
            f"{_code(one.decision.rule)}</td></tr>"
            for one in told.history
        )
        return f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"

    def _proof(self, found: Investigation) -> Iterator[str]:
        checked = found.verification
        yield f"<h2>{self._say('proof')}</h2>"
        stands = word(f"verify.{checked.soundness.value.lower()}", self._tongue)
        yield f"<p>{_line(stands)} {_code(f'{checked.soundness.value}, verify {checked.mode}')}</p>"
        if checked.findings:
            yield _items(_line(str(one)) for one in checked.findings)
        yield f"<p>{self._say('check')}</p>"
        yield f"<pre>python verify_bundle.py bundle.json --key '{_line(found.key)}'</pre>"
        yield f"<pre>{_page(found.checkpoint)}</pre>"


def _marked(text: str, start: int, end: int) -> str:
    """Return a source around a quote, the quote highlighted."""
    first, last = max(0, start - _AROUND), min(len(text), end + _AROUND)
    before, after = ("…" if first else ""), ("…" if last < len(text) else "")
    inner = (
        f"{_page(text[first:start])}<mark>{_page(text[start:end])}</mark>{_page(text[end:last])}"
    )
    return f"{before}{inner}{after}"


def _items(lines: Iterable[str]) -> str:
    return "<ul>" + "".join(f"<li>{line}</li>" for line in lines) + "</ul>"


def _code(text: str) -> str:
    return f'<span class="code">{_line(text)}</span>' if text else ""


def _line(text: str) -> str:
    return escape(line_text(text))


def _page(text: str) -> str:
    return escape(page_text(text))
