from __future__ import annotations

import pytest

from moot.git.base import Branch, Refs, candidates, parse_refs, short

MAIN = {"main": Branch()}


@pytest.mark.parametrize(
    ("refs", "branch", "expected"),
    [
        pytest.param(Refs(), "topic", (), id="nothing to compare with"),
        pytest.param(
            Refs(branches={"main": Branch(), "master": Branch()}), "topic", ("main", "master"), id="main first"
        ),
        pytest.param(Refs(branches=MAIN), "main", ("main",), id="the branch itself"),
        pytest.param(
            Refs(branches={"topic": Branch("refs/remotes/origin/next", "origin"), **MAIN}),
            "topic",
            ("origin/next", "main"),
            id="the upstream before all",
        ),
        pytest.param(
            Refs(
                branches={"topic": Branch("refs/remotes/origin/topic", "origin"), **MAIN},
                defaults={"origin": "refs/remotes/origin/trunk"},
            ),
            "topic",
            ("origin/trunk", "main"),
            id="a push target is passed over for the remote's default",
        ),
        pytest.param(
            Refs(
                branches={"topic": Branch("refs/remotes/fork/topic", "fork"), **MAIN},
                defaults={"origin": "refs/remotes/origin/main", "fork": "refs/remotes/fork/dev"},
            ),
            "topic",
            ("fork/dev", "main"),
            id="the branch's own remote before origin",
        ),
        pytest.param(
            Refs(branches=MAIN, defaults={"upstream": "refs/remotes/upstream/main"}),
            "topic",
            ("upstream/main", "main"),
            id="the only remote there is",
        ),
        pytest.param(
            Refs(branches=MAIN, remotes=frozenset({"refs/remotes/origin/master"})),
            None,
            ("origin/master", "main"),
            id="no default known, the usual names",
        ),
        pytest.param(
            Refs(branches={"topic": Branch("refs/heads/main", "."), **MAIN}), "topic", ("main",), id="a local upstream"
        ),
        pytest.param(
            Refs(branches={"a/b": Branch("refs/remotes/team/x/a/b", "team/x"), **MAIN}),
            "a/b",
            ("main",),
            id="slashes in the names of branch and remote",
        ),
    ],
)
def test_the_base_of_a_branch(refs: Refs, branch: str | None, expected: tuple[str, ...]) -> None:
    assert tuple(short(ref) for ref in candidates(refs, branch)) == expected


def test_refs_are_read_as_git_prints_them() -> None:
    printed = "\n".join(
        [
            " \0refs/heads/main\0refs/remotes/origin/main\0origin\0",
            "*\0refs/heads/fea\u2028ture\0\0\0",
            " \0refs/remotes/origin/HEAD\0\0\0refs/remotes/origin/main",
            " \0refs/remotes/odd/HEAD\0\0\0",
            " \0refs/remotes/origin/main\0\0\0",
            "",
        ]
    )
    assert parse_refs(printed.encode()) == Refs(
        "fea\u2028ture",
        {"main": Branch("refs/remotes/origin/main", "origin"), "fea\u2028ture": Branch()},
        {"origin": "refs/remotes/origin/main"},
        frozenset({"refs/remotes/origin/main"}),
    )
    assert parse_refs(b"") == Refs()
