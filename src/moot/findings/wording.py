"""The words of a finding as a vector: what two descriptions of a defect have in common, and how much.

A description is cut into words; identifiers are also split at their humps and underscores. Words lose their common
English endings, words that reviewers use for one idea become that idea, and words that stand in every review count
half. The tables below are general vocabulary of code review; nothing in them is taken from a data set.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

_WORD = re.compile(r"[A-Za-z_$][\w$]*|\d+|[^\x00-\x7f\W]+")
_ADDRESS = re.compile(r"https?://\S+")  # where to read more, not what is said
_HUMP = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: English function words: they say nothing about a defect.
_STOP = _words(
    """a about after all also am an and any are as at be because been before being but by can cannot could did do does
    doesn don during each either else even ever every for from get gets had has have having here how however i if in
    into is isn it its itself just may might more most must nor not of off on once one only or other otherwise our out
    over own per rather s same shall should since so some such t than that the their them then there therefore these
    they this those though through thus to too under until up upon use used uses using very via was wasn way we were
    what when where whether which while who whole why will with within without won would yet you your"""
)

#: Words of any review: they count half.
_COMMON = _words(
    """actual actually allow behavior behaviour bug call called calls case cause causes causing change changes check
    class code consider correct current currently different ensure error example expect expected field file fix
    function happen incorrect incorrectly instead issue lead leads line lines make makes method need needs new note
    object pass passed passes passing potential potentially problem possible possibly result results return returned
    returns set still type value values variable wrong"""
)

#: One idea a line. A word of a line stands for the line.
_IDEAS = """
null none nil undefined nullpointerexception npe nullable optional
crash panic throw throws raise raises exception fail fails failure failing abort assertion unhandled uncaught
race concurrent concurrency concurrently simultaneous simultaneously parallel thread threads goroutine toctou interleave
lock locks locking mutex rwmutex unlock synchronized synchronize semaphore
deadlock hang hangs stuck block forever
atomic atomically transaction transactional
wrong incorrect incorrectly invalid inaccurate erroneous mistaken mistake faulty flawed broken
typo misspelled misspelling spelling
missing absent lack lacks lacking omitted omits forgot forgotten
duplicate duplicated redundant repeated twice copy
log logs logger logging logged
metric metrics telemetry instrumentation
inconsistent inconsistency mismatch mismatched differ differs discrepancy diverge diverges disagree contradict
name named names rename renamed naming
comment comments docstring javadoc documentation documented document doc docs
ignore ignores ignored swallow swallows swallowed discard discarded drop dropped suppress suppressed silently
argument arguments parameter parameters param params
permission permissions authorization authorisation authorized privilege privileges acl
authentication authenticate authenticated login credential credentials
bypass bypasses bypassed circumvent evade
escape escapes escaped escaping sanitize sanitized sanitise encode encoded
injection inject injected
leak leaks leaked leaking expose exposes exposed exposure disclose
delete deletes deleted deletion remove removes removed removal cleanup
create creates created creation insert add adds added
compile compiles compilation compiler build
limit limits cap maximum max threshold bound bounds
overflow overflows wraparound truncation truncate truncated
cache caches cached caching memoize
test tests unittest testing
translate translation translations locale language localization localisation
order ordering sort sorted sorting
empty blank zero-length
validate validates validated validation verify verified verification
slow performance inefficient inefficiency expensive quadratic latency
flag toggle switch
time clock timestamp date datetime timezone
expire expires expired expiry expiration ttl timeout
loop loops infinite endless
recursion recursive recursively
abstract interface implement implements implementation
constructor construct instantiate instantiates instantiation instance
dict dictionary map hashmap
list array slice sequence vector
index indices indexes indexing
query queries sql queryset
request requests http
invoke invokes invoked invocation
await awaited async asynchronous promise promises coroutine
callback callbacks handler handlers listener listeners
event events signal
close closes closed closing dispose release released
allocate allocation memory heap
string strings str text
integer int number numeric
boolean bool truthy falsy
regex regexp pattern
url uri link href
path paths directory folder
config configuration setting settings option options
dependency dependencies package version
deprecated obsolete legacy
unused dead unreachable
negate negated negation inverted inverse reversed opposite
compare compares comparison equality equals equal
hash hashes hashing digest checksum
random randomness nondeterministic non-deterministic unpredictable
shared mutable mutate mutates mutation mutated
default defaults fallback
retry retries retrying backoff
user users
session sessions token tokens cookie
database db table
""".strip().splitlines()

_ENDINGS = (
    "ization", "isation", "ational", "ations", "ingly", "ation", "ments", "ities", "ment", "ness", "ings", "edly",
    "ing", "ies", "ied", "ers", "er", "ed", "es", "ly", "s", "e",
)  # fmt: skip

#: What an identifier counts as a whole, on top of its parts.
_IDENTIFIER_WEIGHT = 0.5
_COMMON_WEIGHT = 0.5


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """Return a lower-case word without its common English ending, never shorter than three letters."""
    if len(word) <= 3:
        return word
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "ls":
        word = word[:-1]
    return f"{word[:-1]}i" if word.endswith("y") and len(word) > 3 else word


def _idea_of() -> Mapping[str, str]:
    ideas: dict[str, str] = {}
    for line in _IDEAS:
        words = line.split()
        for word in words:
            ideas.setdefault(stem(word), f"={words[0]}")
    return ideas


_IDEA = _idea_of()
_COMMON_TERMS = frozenset(_IDEA.get(stem(w), stem(w)) for w in _COMMON)


def terms(text: str) -> list[str]:
    """Return the terms of a text in order: stems, ideas (`=null`) and whole identifiers (`#retry_after`)."""
    return [term for term, _ in _spoken(text)]


def _spoken(text: str) -> Iterator[tuple[str, str]]:
    """Yield each term with the word it was said in."""
    for word in _WORD.findall(_ADDRESS.sub(" ", text)):
        parts = _HUMP.findall(word) if word.isascii() else [word]
        if len(parts) > 1 and not word.isupper():
            yield f"#{word.strip('_$').lower()}", word
        for part in parts:
            lower = part.lower()
            if lower not in _STOP:
                root = stem(lower)
                yield _IDEA.get(root, root), lower


@dataclass(frozen=True, slots=True)
class Wording:
    """A description: `weights` is a vector of length 1 (empty for a text without terms), `size` its terms' number.

    `words` has for each term the word in which it was said first.
    """

    weights: Mapping[str, float]
    size: int
    words: Mapping[str, str]


def wording(text: str) -> Wording:
    """Return what a text says, as far as words tell."""
    counts: Counter[str] = Counter()
    words: dict[str, str] = {}
    for term, word in _spoken(text):
        counts[term] += 1
        words.setdefault(term, word)
    weights = {term: (1.0 + math.log(n)) * _weight(term) for term, n in counts.items()}
    length = math.sqrt(sum(w * w for w in weights.values()))
    return Wording({t: w / length for t, w in weights.items()}, counts.total(), words)


def _weight(term: str) -> float:
    if term.startswith("#"):
        return _IDENTIFIER_WEIGHT
    return _COMMON_WEIGHT if term in _COMMON_TERMS else 1.0


def similarities(all_: Iterable[Wording]) -> list[list[float]]:
    """Return the cosine of every pair, as a full matrix; faster than one pair after the other."""
    wordings = list(all_)
    table = [[0.0] * len(wordings) for _ in wordings]
    holders: dict[str, list[tuple[int, float]]] = {}
    for i, one in enumerate(wordings):
        row = table[i]
        for term, weight in one.weights.items():
            others = holders.setdefault(term, [])
            for j, other in others:
                row[j] += weight * other
            others.append((i, weight))
    for i, row in enumerate(table):
        for j in range(i):
            table[j][i] = row[j] = min(1.0, row[j])
        row[i] = 1.0
    return table


def shared(a: Wording, b: Wording, most: int = 4) -> tuple[str, ...]:
    """Return what two wordings have most in common, the weightiest first, in the words of the first."""
    both = [(a.weights[t] * b.weights[t], t) for t in a.weights if t in b.weights]
    return tuple(a.words[t] for _, t in sorted(both, key=lambda x: (-x[0], x[1]))[:most])
