"""The files `moot init` writes: what was found is set, what a person may want to set stands commented."""

from __future__ import annotations

from collections.abc import Sequence

_PERSON = """\
# Your configuration of moot. `moot config show --origin` lists every key, its value and who set it.

{agents}
# Any program can hold a seat: prompt on standard input, reply on standard output. A script is looked for beside
# this file.
#[agents.mine]
#kind = "command"
#command = ["python3", "reviewer.py", "{{base}}", "{{head}}"]

[review]
# Left out: every agent above reviews, the first one judges, the analyzers join.
#reviewers = [{seats}]
#judge = {judge}

[policy]
# Seats without whose answer a change counts as not reviewed.
#required = [{required}]
# From which severity on `moot review` exits with 1.
#fail_on = "high"

[budget]
# Left out: no cap.
#run_cost_usd = 20
#day_cost_usd = 50
"""

_AGENT = """\
[agents.{kind}]
kind = "{kind}"
#effort = "high"
"""

_NOTHING_FOUND = """\
# No agent CLI was found on PATH. Until one is, the analyzers review and rules judge: no model is asked.
#[agents.claude]
#kind = "claude"
"""

_REPOSITORY = """\
# What moot should know of this repository. It counts as it stands at the base commit of a change.
# Accounts, environment, ledger and sandbox are each person's own and cannot be set here.

[prompts]
# Conventions of this repository, shown to every seat under a heading of their own.
#all = \"\"\"
#Errors are returned, never printed. Public functions have tests.
#\"\"\"

[review]
# Run once per head in the sandbox, after each person's `moot config allow`.
#checks = ["make test"]

[policy]
# From which severity on a finding requests changes.
#blocking = "high"
"""


def person_file(found: Sequence[str]) -> str:
    """Return a starter configuration for a person. `found` are the kinds of the agent CLIs on their PATH."""
    agents = "\n".join(_AGENT.format(kind=kind) for kind in found)
    return _PERSON.format(
        agents=f"# Found on PATH: {', '.join(found)}.\n{agents}" if found else _NOTHING_FOUND,
        seats=", ".join(f'"{seat}"' for seat in (*found, "analyzers")),
        judge=f'"{found[0]}"  # or "rules": no model' if found else '"rules"  # no model',
        required=", ".join(f'"{kind}"' for kind in found[:1]) or '"analyzers"',
    )


def repository_file() -> str:
    """Return a starter `.moot.toml`."""
    return _REPOSITORY
