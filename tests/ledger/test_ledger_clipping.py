"""Text that others wrote cannot break the ledger or fill it."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st
from ledger_samples import NOW, claim, finding

from moot.ledger import events, findings, runs
from moot.ledger.clipping import clean_json, clip
from moot.ledger.database import Ledger
from moot.ledger.events import NewEvent
from moot.ledger.tables import LINE, NAME, TEXT

nasty = st.text(st.characters(exclude_categories=()), max_size=200)


@given(text=nasty, limit=st.integers(0, 200))
def test_clipped_text_can_be_stored_and_is_never_longer_than_its_limit(text: str, limit: int) -> None:
    clipped = clip(text, limit)
    assert len(clipped) <= limit
    clipped.encode()
    assert "\0" not in clipped
    assert clip(clipped, limit) == clipped


@given(text=st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=50))
def test_text_that_fits_is_kept_as_it_is(text: str) -> None:
    assert clip(text, 50) == text


def test_what_was_cut_is_said_at_the_end() -> None:
    clipped = clip("x" * 50_000, 1000)
    assert clipped.startswith("xxx")
    assert clipped.endswith("\n[cut: 50,000 characters in all, only the beginning is kept]")
    assert len(clipped) == 1000


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | nasty,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(nasty, inner, max_size=3),
    max_leaves=10,
)


@given(data=json_values)
def test_cleaned_json_can_be_stored_and_cleaning_again_changes_nothing(data: object) -> None:
    cleaned = clean_json(data)
    repr_of_all = str(cleaned)
    assert clean_json(cleaned) == cleaned
    assert "\0" not in repr_of_all


def test_a_hostile_reply_is_stored_cut_and_cleaned(ledger: Ledger, new_run: Callable[..., runs.Run]) -> None:
    run = new_run(label="\ud800" + "l" * 2000, config={"k\0": "v\udfff"})
    assert run.label.startswith("\ufffdlll")
    assert len(run.label) == NAME
    assert run.config == {"k\ufffd": "v\ufffd"}
    huge = claim(title="t\0" * 10_000, body="b" * 100_000, quote="\udc80", path="p" * 10_000)
    findings.save(ledger, run.id, [finding("F1", huge, evidence="e" * 100_000)], now=NOW)
    [stored] = findings.claims_of_run(ledger, run.id)
    assert (len(stored.title), len(stored.body), stored.quote, len(stored.path)) == (NAME, TEXT, "\ufffd", LINE)
    assert stored.title.startswith("t\ufffd")
    events.append(ledger, NewEvent(run.id, NOW, "seat.said", "a\0b", data={"text": ["\0"]}))
    [event] = events.after(ledger, run.id)
    assert (event.text, event.data) == ("a\ufffdb", {"text": ["\ufffd"]})
