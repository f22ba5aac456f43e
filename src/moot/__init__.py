"""moot: several coding agents argue over one change, code runs the procedure, one traceable verdict comes out."""

__version__ = "0.1.0"
