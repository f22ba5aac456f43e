"""Configuration: layered TOML with provenance, diagnostics that tell the fix, and consent to commands."""
