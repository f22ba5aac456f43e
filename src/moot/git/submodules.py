"""Whether a submodule holds work its commit does not: looked at without obeying its own configuration.

Git started inside a submodule reads that submodule's configuration, as untrusted as any. So it gets a scratch
directory of its own, like the work tree around it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from moot.git.repository import Repository, follow, parse_settings
from moot.git.run import Git, Place
from moot.git.scratch import scratch
from moot.git.sorting import Files

AT_ONCE = 4


async def dirty_submodules(git: Git, repository: Repository, paths: Sequence[bytes]) -> tuple[bytes, ...]:
    """Return which of the submodules have staged, unstaged or untracked work. Those not checked out have none."""
    assert repository.top is not None
    files = Files(repository.top)
    gate = asyncio.Semaphore(AT_ONCE)

    async def judge(path: bytes) -> bool:
        async with gate:
            return await _dirty(git, repository.object_format, files.path(path))

    verdicts = await asyncio.gather(*(judge(path) for path in paths))
    return tuple(path for path, dirty in zip(paths, verdicts, strict=True) if dirty)


async def _dirty(git: Git, object_format: str, work_tree: Path) -> bool:
    git_dir = follow(work_tree / ".git")
    if git_dir is None or not (git_dir / "objects").is_dir():
        return False
    own = Place(work_tree, git_dir=git_dir, person=True)
    config, head = await asyncio.gather(
        git.run(own, "config", "--list", "-z"), git.run(own, "rev-parse", "--verify", "--quiet", "HEAD")
    )
    with scratch(
        objects=git_dir / "objects",
        object_format=object_format,
        work_tree=work_tree,
        git_dir=git_dir,
        common_dir=git_dir,
        settings=parse_settings(config.out),
        head=head.out.decode().strip() or None,
    ) as view:
        status = ("status", "--porcelain", "-z", "--no-renames", "--untracked-files=normal")
        return bool((await git.run(view.place, *status, "--ignore-submodules=dirty")).out)
