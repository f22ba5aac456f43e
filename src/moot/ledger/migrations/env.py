"""Runs the migrations on the connection and in the transaction that `moot.ledger.upgrade` opened.

A new revision is a hand-written file in `versions/`: the next number, `down_revision` naming the one before, and
`upgrade()` with alembic's operations, in batches (`op.batch_alter_table`) where a table changes, for SQLite. Name the
types as SQLAlchemy's own, not as `moot.ledger.columns`: a migration must do the same for ever. Then set
`moot.ledger.revision.REVISION`; the tests compare a migrated ledger with a created one on both databases.
"""

from alembic import context

context.configure(connection=context.config.attributes["connection"], render_as_batch=True, transactional_ddl=True)
with context.begin_transaction():
    context.run_migrations()
