"""Reading back what a job printed, however long its lines and whenever it is read."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from moot.process.output import Follower, Output, read_stderr, read_stdout


def test_output_is_read_whole_and_a_missing_one_is_empty(tmp_path: Path) -> None:
    (tmp_path / "stdout").write_bytes(b"a\nb")
    assert read_stdout(tmp_path) == Output(b"a\nb", omitted=0)
    assert read_stderr(tmp_path) == Output(b"", omitted=0)


@given(st.lists(st.binary(max_size=6).map(lambda line: line.replace(b"\n", b" ")), max_size=8), st.integers(1, 40))
def test_output_that_is_too_long_loses_whole_lines_at_its_front_and_says_how_much(
    lines: list[bytes], limit: int
) -> None:
    content = b"\n".join(lines)
    with TemporaryDirectory() as folder:
        Path(folder, "stdout").write_bytes(content)
        output = read_stdout(Path(folder), limit)
    assert len(output.data) <= limit
    assert content.endswith(output.data)
    assert output.omitted == len(content) - len(output.data)
    assert output.omitted == 0 or content[: output.omitted].endswith(b"\n") or not output.data
    if output.omitted:  # and no more than needed: one line more would not have fitted
        before = content[: output.omitted].removesuffix(b"\n").rpartition(b"\n")[2]
        assert len(before) + 1 + len(output.data) > limit


def test_a_line_of_200_kilobytes_is_followed_whole(tmp_path: Path) -> None:
    line = b"x" * 200_000
    (tmp_path / "stdout").write_bytes(line + b"\n" + line)
    follower = Follower(tmp_path)
    assert follower.lines() == [line]
    assert follower.rest() == line


@given(st.lists(st.binary(max_size=5) | st.just(b"\n"), max_size=12))
def test_lines_come_once_and_complete_wherever_the_writer_paused(pieces: list[bytes]) -> None:
    with TemporaryDirectory() as folder:
        follower = Follower(Path(folder))
        assert follower.lines() == []  # nothing was printed yet
        got: list[bytes] = []
        with Path(folder, "stdout").open("ab", buffering=0) as file:
            for piece in pieces:
                file.write(piece)
                got += follower.lines()
        *complete, rest = b"".join(pieces).split(b"\n")
        assert got == complete
        assert follower.rest() == rest
        assert follower.offset == len(b"".join(pieces))


def test_a_line_beyond_all_measure_is_left_out_and_the_next_is_not(tmp_path: Path) -> None:
    follower = Follower(tmp_path, "stderr", longest=4)
    with (tmp_path / "stderr").open("ab", buffering=0) as file:
        for piece in (b"ok\n12", b"345", b"678\nnext\n", b"123456\nlast\n"):
            file.write(piece)
            follower.lines()
    again = Follower(tmp_path, "stderr", longest=4)
    assert again.lines() == [b"ok", b"next", b"last"]
