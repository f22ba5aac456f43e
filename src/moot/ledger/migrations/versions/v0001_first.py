"""Every table of the first release.

Revision: 0001
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0001"
down_revision = None

NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TIME = sa.DateTime(timezone=True)
DATA = sa.JSON().with_variant(JSONB(), "postgresql")


def upgrade() -> None:
    """Create them, in the order of their references."""
    op.create_table(
        "checkouts",
        sa.Column("holder", sa.Text(), nullable=False),
        sa.Column("run", sa.String(), nullable=False),
        sa.Column("commit", sa.String(), nullable=False),
        sa.Column("machine", sa.Text(), nullable=False),
        sa.Column("taken_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("holder", name="pk_checkouts"),
    )

    op.create_table(
        "consents",
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("what", sa.Text(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("digest", name="pk_consents"),
    )

    op.create_table(
        "conversations",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("native", sa.Text()),
        sa.Column("account", sa.String(), nullable=False),
        sa.Column("machine", sa.Text(), nullable=False),
        sa.Column("cwd", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("seat", sa.String(), nullable=False),
        sa.Column("input_tokens", NUMBER, nullable=False),
        sa.Column("output_tokens", NUMBER, nullable=False),
        sa.Column("cached_tokens", NUMBER, nullable=False),
        sa.Column("cost_usd", sa.Float()),
        sa.Column("touched_by_person", sa.Boolean(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("used_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_conversations"),
    )
    op.create_index("ix_conversations_subject_seat", "conversations", ["subject", "seat"])

    op.create_table(
        "findings",
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("first_run", sa.String(), nullable=False),
        sa.Column("last_run", sa.String(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("side", sa.String(), nullable=False),
        sa.Column("line", sa.Integer(), nullable=False),
        sa.Column("end_line", sa.Integer(), nullable=False),
        sa.Column("severity", sa.String(), nullable=False),
        sa.Column("category", sa.String(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("quote", sa.Text(), nullable=False),
        sa.Column("scenario", sa.Text(), nullable=False),
        sa.Column("suggestion", sa.Text(), nullable=False),
        sa.Column("agreed_by", DATA, nullable=False),
        sa.Column("proof", DATA),
        sa.Column("fingerprint", sa.String(), nullable=False),
        sa.Column("in_hunk", sa.Boolean(), nullable=False),
        sa.Column("touches", sa.Boolean(), nullable=False),
        sa.Column("symbol", sa.Text(), nullable=False),
        sa.Column("updated_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("subject", "id", name="pk_findings"),
    )

    op.create_table(
        "runs",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("short", sa.String(), nullable=False),
        sa.Column("proceeding", sa.String(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("repo", sa.Text(), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("verdict", sa.String()),
        sa.Column("seed", NUMBER, nullable=False),
        sa.Column("parent", sa.String()),
        sa.Column("budget_usd", sa.Float()),
        sa.Column("config", DATA, nullable=False),
        sa.Column("change", DATA),
        sa.Column("result", sa.JSON()),
        sa.Column("driver_machine", sa.Text()),
        sa.Column("driver_pid", sa.Integer()),
        sa.Column("driver_started", sa.Float()),
        sa.Column("fence", sa.Integer(), nullable=False),
        sa.Column("moot_version", sa.String(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("updated_at", TIME, nullable=False),
        sa.Column("finished_at", TIME),
        sa.PrimaryKeyConstraint("id", name="pk_runs"),
        sa.UniqueConstraint("short", name="uq_runs_short"),
    )
    op.create_index("ix_runs_created_at", "runs", ["created_at"])
    op.create_index("ix_runs_repo_created_at", "runs", ["repo", "created_at"])
    op.create_index("ix_runs_subject_created_at", "runs", ["subject", "created_at"])

    op.create_table(
        "subjects",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("findings", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_subjects"),
    )

    op.create_table(
        "turns",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("run", sa.String(), nullable=False),
        sa.Column("seat", sa.String(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("repo", sa.Text(), nullable=False),
        sa.Column("node", sa.String(), nullable=False),
        sa.Column("account", sa.String(), nullable=False),
        sa.Column("agent", sa.String(), nullable=False),
        sa.Column("model", sa.Text()),
        sa.Column("machine", sa.Text()),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("expected_usd", sa.Float(), nullable=False),
        sa.Column("conversation", sa.String()),
        sa.Column("earlier_usage", DATA),
        sa.Column("failure", sa.String()),
        sa.Column("failure_detail", sa.Text()),
        sa.Column("resets_at", TIME),
        sa.Column("input_tokens", NUMBER, nullable=False),
        sa.Column("output_tokens", NUMBER, nullable=False),
        sa.Column("cached_tokens", NUMBER, nullable=False),
        sa.Column("cost_usd", sa.Float()),
        sa.Column("admitted_at", TIME, nullable=False),
        sa.Column("held_at", TIME, nullable=False),
        sa.Column("started_at", TIME),
        sa.Column("ended_at", TIME),
        sa.Column("moot_version", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_turns"),
        sa.UniqueConstraint("run", "seat", "key", "attempt", name="uq_turns_run_seat_key_attempt"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_turns_account_state", "turns", ["account", "state"])
    op.create_index("ix_turns_admitted_at_repo", "turns", ["admitted_at", "repo"])

    op.create_table(
        "accounts",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("paused_until", TIME),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("probe", NUMBER),
        sa.ForeignKeyConstraint(["probe"], ["turns.id"], name="fk_accounts_probe_turns", ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("name", name="pk_accounts"),
    )

    op.create_table(
        "claims",
        sa.Column("run", sa.String(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("seat", sa.String(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("side", sa.String(), nullable=False),
        sa.Column("line", sa.Integer()),
        sa.Column("end_line", sa.Integer()),
        sa.Column("severity", sa.String(), nullable=False),
        sa.Column("category", sa.String(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("quote", sa.Text(), nullable=False),
        sa.Column("scenario", sa.Text(), nullable=False),
        sa.Column("suggestion", sa.Text(), nullable=False),
        sa.Column("confidence", sa.Float()),
        sa.Column("proof", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["run"], ["runs.id"], name="fk_claims_run_runs", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("run", "id", name="pk_claims"),
    )

    op.create_table(
        "dispositions",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("finding", sa.String(), nullable=False),
        sa.Column("disposition", sa.String(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("evidence", sa.Text(), nullable=False),
        sa.Column("head", sa.String(), nullable=False),
        sa.Column("run", sa.String()),
        sa.Column("at", TIME, nullable=False),
        sa.ForeignKeyConstraint(
            ["subject", "finding"],
            ["findings.subject", "findings.id"],
            name="fk_dispositions_subject_finding_findings",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_dispositions"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_dispositions_subject_finding", "dispositions", ["subject", "finding"])

    op.create_table(
        "drops",
        sa.Column("run", sa.String(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("line", sa.Integer()),
        sa.Column("raised_by", DATA, nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("explanation", sa.Text(), nullable=False),
        sa.Column("finding", sa.String()),
        sa.ForeignKeyConstraint(["run"], ["runs.id"], name="fk_drops_run_runs", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("run", "digest", name="pk_drops"),
    )

    op.create_table(
        "events",
        sa.Column("number", NUMBER, nullable=False),
        sa.Column("run", sa.String(), nullable=False),
        sa.Column("at", TIME, nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("seat", sa.String()),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("data", DATA),
        sa.ForeignKeyConstraint(["run"], ["runs.id"], name="fk_events_run_runs", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("number", name="pk_events"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_events_run_number", "events", ["run", "number"])

    op.create_table(
        "requests",
        sa.Column("id", NUMBER, nullable=False),
        sa.Column("run", sa.String(), nullable=False),
        sa.Column("verb", sa.String(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("at", TIME, nullable=False),
        sa.Column("handled_at", TIME),
        sa.ForeignKeyConstraint(["run"], ["runs.id"], name="fk_requests_run_runs", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_requests"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_requests_run_handled_at", "requests", ["run", "handled_at"])

    op.create_table(
        "rulings",
        sa.Column("run", sa.String(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("finding", sa.String(), nullable=False),
        sa.Column("ruling", sa.String(), nullable=False),
        sa.Column("evidence", sa.Text(), nullable=False),
        sa.Column("ruled_by", sa.String(), nullable=False),
        sa.Column("ruled_at", TIME, nullable=False),
        sa.ForeignKeyConstraint(["run"], ["runs.id"], name="fk_rulings_run_runs", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["subject", "finding"],
            ["findings.subject", "findings.id"],
            name="fk_rulings_subject_finding_findings",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("run", "subject", "finding", name="pk_rulings"),
    )
    op.create_index("ix_rulings_subject_finding", "rulings", ["subject", "finding"])

    op.create_table(
        "seats",
        sa.Column("run", sa.String(), nullable=False),
        sa.Column("seat", sa.String(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("agent", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("reads", sa.String(), nullable=False),
        sa.Column("failure", sa.String()),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("turns", sa.Integer(), nullable=False),
        sa.Column("input_tokens", NUMBER, nullable=False),
        sa.Column("output_tokens", NUMBER, nullable=False),
        sa.Column("cached_tokens", NUMBER, nullable=False),
        sa.Column("cost_usd", sa.Float()),
        sa.Column("coverage", sa.Float()),
        sa.Column("read_paths", DATA, nullable=False),
        sa.Column("seconds", sa.Float(), nullable=False),
        sa.Column("findings", sa.Integer(), nullable=False),
        sa.Column("required", sa.Boolean(), nullable=False),
        sa.Column("optional", sa.Boolean(), nullable=False),
        sa.Column("replaced", sa.String()),
        sa.Column("trail", DATA, nullable=False),
        sa.ForeignKeyConstraint(["run"], ["runs.id"], name="fk_seats_run_runs", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("run", "seat", name="pk_seats"),
    )

    op.create_table(
        "finding_claims",
        sa.Column("run", sa.String(), nullable=False),
        sa.Column("claim", sa.String(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("finding", sa.String(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("score", sa.Float()),
        sa.Column("why", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["run", "claim"], ["claims.run", "claims.id"], name="fk_finding_claims_run_claim_claims", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["subject", "finding"],
            ["findings.subject", "findings.id"],
            name="fk_finding_claims_subject_finding_findings",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("run", "claim", name="pk_finding_claims"),
    )
    op.create_index("ix_finding_claims_subject_finding", "finding_claims", ["subject", "finding"])
