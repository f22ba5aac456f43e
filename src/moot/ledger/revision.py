"""The schema revision this program works with: the newest file in `migrations/versions`, without importing alembic."""

REVISION = "0001"
