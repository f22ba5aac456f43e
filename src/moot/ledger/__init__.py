"""The database: every run, seat, turn, finding and event, on SQLite or PostgreSQL."""
