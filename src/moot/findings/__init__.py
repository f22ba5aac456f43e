"""From claims to facts: anchored, matched, covered, ruled."""
