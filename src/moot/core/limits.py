"""Sizes beyond which text from agents and repositories is cut, said aloud wherever it happens."""

MAX_REPLY_BYTES = 4 * 1024 * 1024  # of one turn's final text
MAX_FILE_BYTES = 1024 * 1024  # of one file shown to seats whole
