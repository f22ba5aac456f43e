"""From a JSON path to the line a person looks for."""

from __future__ import annotations

import pytest

from moot.agents.analyzers.yaml_path import locate

WORKFLOW = """\
# continuous integration
name: ci
"on":
  push:
    branches: [main]
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
        with:
          ref: main

      # the tests
      - name: "test"
        run: |
          make test
          steps: not a key
      - run: echo done
  'release job':
    needs: test
    strategy: {matrix: {python: [3.11, 3.12]}}
    steps:
    - run: make release
    -
      run: make upload
"""


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("$", 1),
        ("$.name", 2),
        ("$.on.push.branches", 5),
        ("$.jobs", 6),
        ("$.jobs.test", 7),
        ("$.jobs.test.runs-on", 8),
        ("$.jobs.test.steps", 9),
        ("$.jobs.test.steps[0]", 10),
        ("$.jobs.test.steps[0].uses", 10),
        ("$.jobs.test.steps[0].with.ref", 12),
        ("$.jobs.test.steps[1]", 15),
        ("$.jobs.test.steps[1].run", 16),
        ("$.jobs.test.steps[2].run", 19),
        ("$.jobs['release job']", 20),
        ("$.jobs['release job'].steps[0]", 24),
        ("$.jobs['release job'].steps[1].run", 26),
        ("$.jobs['release job'].strategy.matrix.python", 22),
        ("$.jobs.missing", 6),
        ("$.jobs.test.steps[9]", 9),
        ("$.nothing", 1),
    ],
)
def test_the_line_of_a_path(path: str, line: int) -> None:
    assert locate(WORKFLOW.split("\n"), path) == line


def test_an_empty_file_has_a_first_line() -> None:
    assert locate([], "$.jobs") == 1
