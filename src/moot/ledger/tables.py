"""The tables. A change here needs a file in `migrations/versions` and a new `revision.REVISION`; tests compare them.

Times are aware UTC. Text that agents or repositories wrote has the type `Prose(limit)`, which cuts it wherever it is
written. Rows hang on their run and go with it, except what outlives runs: turns (money spent stays spent),
conversations, findings and their dispositions (the memory of a subject), accounts, checkouts and consents.
"""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    Column,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    UniqueConstraint,
)

from moot.core.change import Side
from moot.core.findings import Category, Disposition, DropReason, RulingKind, Severity
from moot.core.runs import Reads, RunStatus, SeatStatus, Verdict
from moot.core.turns import FailureKind
from moot.ledger.admission import TurnState
from moot.ledger.columns import Choice, Data, Document, Number, Prose, Utc

NAME = 500  # a branch, subject, model or title; PostgreSQL cannot index much more
LINE = 4_000  # a sentence or two: a reason, a failure's detail
TEXT = 40_000  # a paragraph and more: a body, a quote, evidence

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def _run_column(*, primary_key: bool = False) -> Column[str]:
    return Column("run", String, ForeignKey("runs.id", ondelete="CASCADE"), primary_key=primary_key, nullable=False)


runs = Table(
    "runs",
    metadata,
    Column("id", String, primary_key=True),
    Column("short", String, nullable=False, unique=True),
    Column("proceeding", String, nullable=False),
    Column("subject", Prose(NAME), nullable=False),
    Column("repo", Prose(NAME), nullable=False),
    Column("label", Prose(NAME), nullable=False),
    Column("status", Choice(RunStatus), nullable=False),
    Column("verdict", Choice(Verdict)),
    Column("seed", Number, nullable=False),
    Column("parent", String),
    Column("budget_usd", Float),
    Column("config", Data, nullable=False),
    Column("change", Data),
    Column("result", Document),
    Column("driver_machine", Prose(NAME)),
    Column("driver_pid", Integer),
    Column("driver_started", Float),
    Column("fence", Integer, nullable=False),
    Column("moot_version", String, nullable=False),
    Column("created_at", Utc, nullable=False, index=True),
    Column("updated_at", Utc, nullable=False),
    Column("finished_at", Utc),
    Index(None, "repo", "created_at"),
    Index(None, "subject", "created_at"),
)

seats = Table(
    "seats",
    metadata,
    _run_column(primary_key=True),
    Column("seat", String, primary_key=True),
    Column("position", Integer, nullable=False),
    Column("agent", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("role", String, nullable=False),
    Column("status", Choice(SeatStatus), nullable=False),
    Column("reads", Choice(Reads), nullable=False),
    Column("failure", Choice(FailureKind)),
    Column("note", Prose(LINE), nullable=False),
    Column("turns", Integer, nullable=False),
    Column("input_tokens", Number, nullable=False),
    Column("output_tokens", Number, nullable=False),
    Column("cached_tokens", Number, nullable=False),
    Column("cost_usd", Float),
    Column("coverage", Float),
    Column("read_paths", Data, nullable=False),
    Column("seconds", Float, nullable=False),
    Column("findings", Integer, nullable=False),
    Column("required", Boolean, nullable=False),
    Column("optional", Boolean, nullable=False),
    Column("replaced", String),
    Column("trail", Data, nullable=False),
)

turns = Table(
    "turns",
    metadata,
    Column("id", Number, primary_key=True),
    Column("run", String, nullable=False),  # no foreign key: outlives its run
    Column("seat", String, nullable=False),
    Column("key", String, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("repo", Prose(NAME), nullable=False),
    Column("node", String, nullable=False),
    Column("account", String, nullable=False),
    Column("agent", String, nullable=False),
    Column("model", Prose(NAME)),
    Column("machine", Prose(NAME)),
    Column("state", Choice(TurnState), nullable=False),
    Column("expected_usd", Float, nullable=False),
    Column("conversation", String),
    Column("earlier_usage", Data),
    Column("failure", Choice(FailureKind)),
    Column("failure_detail", Prose(LINE)),
    Column("resets_at", Utc),
    Column("input_tokens", Number, nullable=False),
    Column("output_tokens", Number, nullable=False),
    Column("cached_tokens", Number, nullable=False),
    Column("cost_usd", Float),
    Column("admitted_at", Utc, nullable=False),
    Column("held_at", Utc, nullable=False),  # when a driver last took it up
    Column("started_at", Utc),
    Column("ended_at", Utc),
    Column("moot_version", String, nullable=False),
    UniqueConstraint("run", "seat", "key", "attempt"),
    Index(None, "account", "state"),
    Index(None, "admitted_at", "repo"),
    sqlite_autoincrement=True,
)

accounts = Table(
    "accounts",
    metadata,
    Column("name", String, primary_key=True),
    Column("paused_until", Utc),
    Column("why", Prose(LINE), nullable=False),
    Column("probe", Number, ForeignKey("turns.id", ondelete="SET NULL")),
)

conversations = Table(
    "conversations",
    metadata,
    Column("id", String, primary_key=True),
    Column("kind", String, nullable=False),
    Column("native", Prose(NAME)),
    Column("account", String, nullable=False),
    Column("machine", Prose(NAME), nullable=False),
    Column("cwd", Prose(LINE), nullable=False),
    Column("subject", Prose(NAME), nullable=False),
    Column("seat", String, nullable=False),
    Column("input_tokens", Number, nullable=False),
    Column("output_tokens", Number, nullable=False),
    Column("cached_tokens", Number, nullable=False),
    Column("cost_usd", Float),
    Column("touched_by_person", Boolean, nullable=False),
    Column("created_at", Utc, nullable=False),
    Column("used_at", Utc, nullable=False),
    Index(None, "subject", "seat"),
)

subjects = Table(
    "subjects",
    metadata,
    Column("name", Prose(NAME), primary_key=True),
    Column("findings", Integer, nullable=False),  # numbers given out so far
)

claims = Table(
    "claims",
    metadata,
    _run_column(primary_key=True),
    Column("id", String, primary_key=True),
    Column("seat", String, nullable=False),
    Column("round", Integer, nullable=False),
    Column("path", Prose(LINE), nullable=False),
    Column("side", Choice(Side), nullable=False),
    Column("line", Integer),
    Column("end_line", Integer),
    Column("severity", Choice(Severity), nullable=False),
    Column("category", Choice(Category), nullable=False),
    Column("title", Prose(NAME), nullable=False),
    Column("body", Prose(TEXT), nullable=False),
    Column("quote", Prose(TEXT), nullable=False),
    Column("scenario", Prose(TEXT), nullable=False),
    Column("suggestion", Prose(TEXT), nullable=False),
    Column("confidence", Float),
    Column("proof", Prose(TEXT), nullable=False),
)

findings = Table(
    "findings",
    metadata,
    Column("subject", Prose(NAME), primary_key=True),
    Column("id", String, primary_key=True),
    Column("number", Integer, nullable=False),
    Column("first_run", String, nullable=False),
    Column("last_run", String, nullable=False),
    Column("path", Prose(LINE), nullable=False),
    Column("side", Choice(Side), nullable=False),
    Column("line", Integer, nullable=False),
    Column("end_line", Integer, nullable=False),
    Column("severity", Choice(Severity), nullable=False),
    Column("category", Choice(Category), nullable=False),
    Column("title", Prose(NAME), nullable=False),
    Column("body", Prose(TEXT), nullable=False),
    Column("quote", Prose(TEXT), nullable=False),
    Column("scenario", Prose(TEXT), nullable=False),
    Column("suggestion", Prose(TEXT), nullable=False),
    Column("agreed_by", Data, nullable=False),
    Column("proof", Data),
    Column("fingerprint", String, nullable=False),
    Column("in_hunk", Boolean, nullable=False),
    Column("touches", Boolean, nullable=False),
    Column("symbol", Prose(NAME), nullable=False),
    Column("updated_at", Utc, nullable=False),
)

finding_claims = Table(
    "finding_claims",
    metadata,
    Column("run", String, primary_key=True),
    Column("claim", String, primary_key=True),
    Column("subject", Prose(NAME), nullable=False),
    Column("finding", String, nullable=False),
    Column("position", Integer, nullable=False),
    Column("score", Float),  # null for the claim a finding began with
    Column("why", Prose(LINE), nullable=False),
    ForeignKeyConstraint(["run", "claim"], ["claims.run", "claims.id"], ondelete="CASCADE"),
    ForeignKeyConstraint(["subject", "finding"], ["findings.subject", "findings.id"], ondelete="CASCADE"),
    Index(None, "subject", "finding"),
)

rulings = Table(
    "rulings",
    metadata,
    _run_column(primary_key=True),
    Column("subject", Prose(NAME), primary_key=True),
    Column("finding", String, primary_key=True),
    Column("ruling", Choice(RulingKind), nullable=False),
    Column("evidence", Prose(TEXT), nullable=False),
    Column("ruled_by", String, nullable=False),
    Column("ruled_at", Utc, nullable=False),
    ForeignKeyConstraint(["subject", "finding"], ["findings.subject", "findings.id"], ondelete="CASCADE"),
    Index(None, "subject", "finding"),
)

drops = Table(
    "drops",
    metadata,
    _run_column(primary_key=True),
    Column("digest", String, primary_key=True),
    Column("position", Integer, nullable=False),
    Column("title", Prose(NAME), nullable=False),
    Column("path", Prose(LINE), nullable=False),
    Column("line", Integer),
    Column("raised_by", Data, nullable=False),
    Column("reason", Choice(DropReason), nullable=False),
    Column("explanation", Prose(TEXT), nullable=False),
    Column("finding", String),
)

dispositions = Table(
    "dispositions",
    metadata,
    Column("id", Number, primary_key=True),
    Column("subject", Prose(NAME), nullable=False),
    Column("finding", String, nullable=False),
    Column("disposition", Choice(Disposition), nullable=False),
    Column("by", Prose(NAME), nullable=False),
    Column("why", Prose(LINE), nullable=False),
    Column("evidence", Prose(TEXT), nullable=False),
    Column("head", String, nullable=False),
    Column("run", String),
    Column("at", Utc, nullable=False),
    ForeignKeyConstraint(["subject", "finding"], ["findings.subject", "findings.id"], ondelete="CASCADE"),
    Index(None, "subject", "finding"),
    sqlite_autoincrement=True,
)

events = Table(
    "events",
    metadata,
    Column("number", Number, primary_key=True),
    _run_column(),
    Column("at", Utc, nullable=False),
    Column("kind", String, nullable=False),
    Column("seat", String),
    Column("text", Prose(LINE), nullable=False),
    Column("data", Data),
    Index(None, "run", "number"),
    sqlite_autoincrement=True,  # numbers are never given out twice, followers count on it
)

requests = Table(
    "requests",
    metadata,
    Column("id", Number, primary_key=True),
    _run_column(),
    Column("verb", String, nullable=False),
    Column("by", Prose(NAME), nullable=False),
    Column("at", Utc, nullable=False),
    Column("handled_at", Utc),
    Index(None, "run", "handled_at"),
    sqlite_autoincrement=True,
)

checkouts = Table(
    "checkouts",
    metadata,
    Column("holder", Prose(NAME), primary_key=True),
    Column("run", String, nullable=False),
    Column("commit", String, nullable=False),
    Column("machine", Prose(NAME), nullable=False),
    Column("taken_at", Utc, nullable=False),
)

consents = Table(
    "consents",
    metadata,
    Column("digest", String, primary_key=True),
    Column("what", Prose(LINE), nullable=False),
    Column("by", Prose(NAME), nullable=False),
    Column("at", Utc, nullable=False),
)
