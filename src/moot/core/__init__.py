"""The vocabulary every room shares: frozen dataclasses, enums and the error tree. Imports nothing of moot."""
