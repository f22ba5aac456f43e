"""Same defect? How close two statements about a change are, from their words and their places; pure, and it says why.

Words decide and place restrains: two thirds of the issues that share a line with another are different issues, so a
shared line proves nothing, while another place speaks against. In order:

- words: the cosine of the wordings, raised to a power that spreads the low end where real pairs lie;
- length: long texts share words by chance (cosines of unrelated review comments grow with the logarithm of length);
- the run: a statement that resembles everything said in a run resembles nothing in particular;
- place: the same lines cost nothing, other lines a little, another function more, another file nearly everything.

The constants were set on labelled pairs of review findings of three repositories, each judged by the other two, and
checked on human-written comments of many more (see `benchmarks/match.py`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from moot.core.findings import Category, Claim, Finding, Match, Placed
from moot.findings import linkage
from moot.findings.linkage import APART
from moot.findings.wording import Wording, shared, similarities, wording

#: Groups of statements at least this close on average are one defect.
THRESHOLD = 0.54

_POWER = 0.3
_LENGTH = 0.09  # for each factor e in length
_USUAL_TERMS, _FEWEST_TERMS = 26, 12
_RUN = 0.3
_USUAL_CLOSENESS, _USUAL_COUNT = 0.5, 2  # stands in for the run where little has been said yet

_NEAR_LINES = 2
_SAME_QUOTE = 0.03
_OTHER_LINES = -0.12
_OTHER_SYMBOL = -0.2
_OTHER_FILE = -0.35
_OTHER_CATEGORY = -0.02
_THIN, _ON_THIN = 3, -0.2  # with fewer words in common, only the very same lines make one defect
_TELLING_QUOTE = 12  # characters, white space not counted
_IDENTICAL = 0.95

_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a statement points. `quote` has no white space; `symbol` may be empty."""

    path: str
    side: str
    line: int
    end_line: int
    symbol: str
    quote: str


@dataclass(frozen=True, slots=True)
class Statement:
    """What is compared: words, and as far as known the place, the category and who said it when.

    `source` is the same for what one seat said in one round; None for a known finding's own text.
    """

    words: Wording
    place: Place | None = None
    category: Category | None = None
    source: tuple[str, int] | None = None
    known: bool = False


def statement(placed: Placed) -> Statement:
    """Return what a placed claim says."""
    a, c = placed.anchor, placed.claim
    place = Place(a.path, a.side, a.line, a.end_line, a.symbol, _bare(placed.quote))
    return Statement(_claim_words(c), place, c.category, (c.seat, c.round))


def known_statements(finding: Finding) -> tuple[Statement, ...]:
    """Return what a known finding says: in its own words and in those of its claims, all at the finding's place."""
    place = Place(
        finding.path, finding.side, finding.line, finding.end_line, finding.symbol, _bare(finding.quote)
    )  # fmt: skip
    texts = dict.fromkeys([_text(finding.title, finding.body, finding.scenario), *map(_claim_text, finding.claims)])
    return tuple(Statement(wording(t), place, finding.category, known=True) for t in texts)


def affinities(statements: Sequence[Statement]) -> list[list[float]]:
    """Return how close every two statements are, about 0..1; `THRESHOLD` parts same from different.

    Two statements of one source are `APART` unless they say the same of the same place: a seat that lists two
    findings means two.
    """
    count = len(statements)
    cosine = similarities(s.words for s in statements)
    length = [_LENGTH * math.log(max(_FEWEST_TERMS, s.words.size) / _USUAL_TERMS) for s in statements]
    close = [
        [(c**_POWER - length[i] - length[j]) if c else 0.0 for j, c in enumerate(row)] for i, row in enumerate(cosine)
    ]
    usual = _USUAL_COUNT * _USUAL_CLOSENESS
    toward = [
        _RUN / 2 * (sum(row) - row[i] + usual) / (count - 1 + _USUAL_COUNT) for i, row in enumerate(close)
    ]  # fmt: skip
    table = [[0.0] * count for _ in statements]
    for i, a in enumerate(statements):
        for j in range(i):
            b = statements[j]
            if a.source is not None and a.source == b.source and not _repeats(a, b, cosine[i][j]):
                score = APART
            else:
                score = close[i][j] - toward[i] - toward[j] + _by_place(a, b)
            table[i][j] = table[j][i] = score
    return table


def match(claim: Placed, known: Sequence[Finding]) -> Match | None:
    """Return the known finding that a claim is about, None when it is a new one.

    For several claims at once use `gather`, which also compares them with each other.
    """
    new = statement(claim)
    said = [new]
    groups: list[range] = []
    for finding in known:
        own = known_statements(finding)
        groups.append(range(len(said), len(said) + len(own)))
        said += own
    row = affinities(said)[0]
    scores = [sum(row[j] for j in group) / len(group) for group in groups]
    best = max(range(len(scores)), key=lambda g: (scores[g], -g), default=None)
    if best is None or scores[best] < THRESHOLD:
        return None
    closest = max(groups[best], key=lambda j: row[j])
    return Match(known[best].id, share(scores[best]), why(new, said[closest]))


def why(a: Statement, b: Statement) -> str:
    """Return in words what two statements have in common."""
    terms = shared(a.words, b.words)
    words = f"both speak of {', '.join(terms)}" if terms else "no words in common"
    where = _where(a, b)
    return f"{where}; {words}" if where else words


def share(score: float) -> float:
    """Return a closeness as a score between 0 and 1."""
    return round(min(1.0, max(0.0, score)), 3)


def pair_scores(statements: Sequence[Statement]) -> list[list[float]]:
    """Return for every two statements how close the groups were that brought them together, as `gather` would.

    Two that never meet have `APART`.
    """
    count = len(statements)
    table = [[APART] * count for _ in range(count)]
    for merge in linkage.merges(affinities(statements), [[i] for i in range(count)]):
        for i in merge.left:
            for j in merge.right:
                table[i][j] = table[j][i] = merge.score
    return table


def _repeats(a: Statement, b: Statement, cosine: float) -> bool:
    return cosine >= _IDENTICAL and _near(a, b)


def _near(a: Statement, b: Statement) -> bool:
    p, q = a.place, b.place
    if p is None or q is None or p.path != q.path:
        return False
    if p.side != q.side:
        return p.quote == q.quote
    return p.line <= q.end_line + _NEAR_LINES and q.line <= p.end_line + _NEAR_LINES


def _overlap(p: Place, q: Place) -> bool:
    return p.side == q.side and p.line <= q.end_line and q.line <= p.end_line


def _same_quote(a: Statement, b: Statement) -> bool:
    p, q = a.place, b.place
    if p is None or q is None:
        return False
    short, long = (p.quote, q.quote) if len(p.quote) <= len(q.quote) else (q.quote, p.quote)
    return len(short) >= _TELLING_QUOTE and short in long


def _by_place(a: Statement, b: Statement) -> float:
    category = _OTHER_CATEGORY if a.category and b.category and a.category is not b.category else 0.0
    p, q = a.place, b.place
    if p is None or q is None:
        return category
    if p.path != q.path and not (a.known or b.known):
        return category + _OTHER_FILE
    if _near(a, b):
        thin = len(a.words.weights.keys() & b.words.weights.keys()) < _THIN and not _overlap(p, q)
        return category + (_SAME_QUOTE if _same_quote(a, b) else 0.0) + (_ON_THIN if thin else 0.0)
    moved = (a.known or b.known) and _same_quote(a, b)  # the code went elsewhere since the finding was made
    if moved:
        return category
    if p.path != q.path:
        return category + _OTHER_FILE
    return category + (_OTHER_SYMBOL if p.symbol and q.symbol and p.symbol != q.symbol else _OTHER_LINES)


def _where(a: Statement, b: Statement) -> str:
    p, q = a.place, b.place
    if p is None or q is None:
        return ""
    if _near(a, b):
        return "same lines, same quote" if _same_quote(a, b) else "same lines"
    if _same_quote(a, b):
        return "same quote elsewhere"
    if p.path != q.path:
        return "another file"
    return "same function" if p.symbol and p.symbol == q.symbol else "same file"


def _claim_words(claim: Claim) -> Wording:
    return wording(_claim_text(claim))


def _claim_text(claim: Claim) -> str:
    return _text(claim.title, claim.body, claim.scenario)


def _text(title: str, body: str, scenario: str) -> str:
    return f"{title}\n{body}\n{scenario}"


def _bare(quote: str) -> str:
    return _SPACE.sub("", quote)
