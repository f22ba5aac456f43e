"""git: one hardened way to call it, frozen changes, parsed diffs."""
