"""The crash harness: real reviews are killed at every step and at random, and nothing may be paid twice or lost."""
