"""SQL views for people who query the ledger themselves, in SQL that SQLite and PostgreSQL both understand.

`moot` reads its lists and statistics through them too (`views`). They hold no data, so they are no part of the
migrations: they are made anew from this text whenever a ledger is created or migrated.

    sqlite3 ~/.local/share/moot/ledger.db "select * from run_overview limit 5"
"""

from __future__ import annotations

from sqlalchemy import Connection, text

#: One row per run: what it was about, how it stands, and what it took.
RUN_OVERVIEW = """
    SELECT r.id, r.short, r.proceeding, r.subject, r.repo, r.label, r.status, r.verdict,
           r.created_at, r.updated_at, r.finished_at,
           (SELECT count(*) FROM turns t WHERE t.run = r.id) AS turns,
           (SELECT coalesce(sum(t.input_tokens + t.output_tokens), 0) FROM turns t WHERE t.run = r.id) AS tokens,
           (SELECT sum(t.cost_usd) FROM turns t WHERE t.run = r.id) AS cost_usd,
           (SELECT count(*) FROM rulings g WHERE g.run = r.id AND g.ruling <> 'drop') AS findings
    FROM runs r
"""

#: One row per day (UTC), agent and way of ending: turns, tokens, money. `failure` is null where the turn succeeded.
TURN_DAYS = """
    SELECT CAST(date(admitted_at) AS TEXT) AS day, agent, state, failure,
           count(*) AS turns,
           coalesce(sum(input_tokens), 0) AS input_tokens,
           coalesce(sum(output_tokens), 0) AS output_tokens,
           coalesce(sum(cached_tokens), 0) AS cached_tokens,
           sum(cost_usd) AS cost_usd
    FROM turns
    GROUP BY 1, 2, 3, 4
"""

#: One row per finding and seat that raised it in a run, with the agent that sat there and how the judge ruled.
RAISED = """
    SELECT DISTINCT j.run, j.subject, j.finding, c.seat, s.agent,
           CAST(date(r.created_at) AS TEXT) AS day, g.ruling
    FROM finding_claims j
    JOIN claims c ON c.run = j.run AND c.id = j.claim
    JOIN runs r ON r.id = j.run
    LEFT JOIN seats s ON s.run = j.run AND s.seat = c.seat
    LEFT JOIN rulings g ON g.run = j.run AND g.subject = j.subject AND g.finding = j.finding
"""

#: One row per finding of every subject, with what became of it.
FINDING_OVERVIEW = """
    SELECT f.subject, f.id, f.severity, f.category, f.path, f.line, f.title, f.first_run, f.last_run,
           coalesce((SELECT d.disposition FROM dispositions d WHERE d.subject = f.subject AND d.finding = f.id
                     ORDER BY d.id DESC LIMIT 1), 'open') AS disposition
    FROM findings f
"""

SQL_VIEWS = {
    "run_overview": RUN_OVERVIEW,
    "turn_days": TURN_DAYS,
    "raised": RAISED,
    "finding_overview": FINDING_OVERVIEW,
}


def create_sql_views(db: Connection) -> None:
    """Make the views. They must not exist yet."""
    for name, query in SQL_VIEWS.items():
        db.execute(text(f"CREATE VIEW {name} AS {query}"))


def drop_sql_views(db: Connection) -> None:
    """Take the views away: a table under a view can be changed on neither database."""
    for name in SQL_VIEWS:
        db.execute(text(f"DROP VIEW IF EXISTS {name}"))
