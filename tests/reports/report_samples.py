"""Results of every kind, as the reports' tests draw them. Plain data, no clock, no machine."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from moot.core.change import Change, FileDiff, FileStatus, FrozenDiff, Hunk, Line, LineKind, Side, Source
from moot.core.findings import Category, Disposition, DropReason, Proof, RulingKind, Severity
from moot.core.runs import (
    Check,
    Coverage,
    Reads,
    Result,
    ResultChange,
    ResultDropped,
    ResultFinding,
    Round,
    RunStatus,
    SeatResult,
    SeatStatus,
    Skipped,
    Verdict,
)
from moot.core.turns import FailureKind, Usage

FINISHED = datetime(2026, 11, 30, 15, 35, 12, tzinfo=UTC)
NOW = datetime(2026, 11, 30, 18, 40, 0, tzinfo=UTC)
HEAD = "9d07b11c5a8f0e3b7d2c4a6f8091b3d5e7f90a1c"
BASE = "a41c9e2d7b6f5a4c3e2d1f0b9a8c7d6e5f4a3b2c"

RETRY = """\
@@ -78,12 +78,21 @@ class Uploader:
     def _send(self, chunk: bytes) -> Response:
-        response = self._session.put(self._url, data=chunk)
-        response.raise_for_status()
-        return response
+        attempt = 0
+        while attempt < self._retries:
+            response = self._session.put(self._url, data=chunk)
+            if response.status_code != 429:
+                break
+            # The server says how long to wait, in seconds.
+            delay = int(response.headers.get("Retry-After", 0))
+            if delay:
+                attempt += 1
+                time.sleep(delay)
+        response.raise_for_status()
+        return response

     def close(self) -> None:
         \"\"\"Give the connection back.\"\"\"
         self._session.close()

     @property
     def url(self) -> str:
"""

CLIENT = """\
@@ -36,10 +36,9 @@ export async function upload(file: File, to: URL): Promise<Receipt> {
   const body = await file.arrayBuffer();
-  if (body.byteLength > MAX_UPLOAD) {
-    throw new TooLarge(file.name);
-  }
   const response = await fetch(to, { method: "PUT", body });
+  record(to, body.byteLength);
+  const receipt = response.json() as Receipt;
   if (!response.ok) {
     throw new UploadFailed(response.status);
   }
-  return (await response.json()) as Receipt;
+  return receipt;
 }
"""

DEPLOY = """\
@@ -0,0 +1,6 @@
+#!/bin/sh
+target=$1
+rm -rf /srv/uploads/$target
+cp -r build /srv/uploads/$target
+curl -s http://hooks.internal/deployed?who=$USER
+exit 0
"""


def hunks(text: str) -> tuple[Hunk, ...]:
    """Read unified hunks, for fixtures only."""
    found: list[Hunk] = []
    for part in text.split("@@ -")[1:]:
        head, *body = part.rstrip("\n").split("\n")
        ranges, _, section = head.partition(" @@")
        old_range, new_range = ranges.split(" +")
        old_start, old_count = map(int, old_range.split(","))
        new_start, new_count = map(int, new_range.split(","))
        old, new, lines = old_start, new_start, []
        for raw in body:
            kind = LineKind(raw[:1] or " ")
            has_old, has_new = kind is not LineKind.ADDED, kind is not LineKind.REMOVED
            lines.append(Line(kind, old if has_old else None, new if has_new else None, raw[1:]))
            old, new = old + has_old, new + has_new
        found.append(Hunk(old_start, old_count, new_start, new_count, section.strip(), tuple(lines)))
    return tuple(found)


def file(path: str, text: str, status: FileStatus = FileStatus.MODIFIED) -> FileDiff:
    lines = [line for hunk in hunks(text) for line in hunk.lines]
    gone = status is FileStatus.ADDED
    return FileDiff(
        status=status,
        old_path=None if gone else path,
        new_path=path,
        old_raw=None if gone else path.encode(),
        new_raw=path.encode(),
        old_mode=None if gone else "100644",
        new_mode="100644",
        old_oid=None if gone else BASE,
        new_oid=HEAD,
        binary=False,
        submodule=False,
        added=sum(line.kind is LineKind.ADDED for line in lines),
        removed=sum(line.kind is LineKind.REMOVED for line in lines),
        hunks=hunks(text),
    )


DIFF = FrozenDiff(
    Change(
        repo="/home/ann/uploader",
        store="/home/ann/.local/share/moot/stores/uploader.git",
        base=BASE,
        head=HEAD,
        merge_base=BASE,
        base_name="main",
        head_name="topic",
        source=Source.BRANCH,
        subject="/home/ann/uploader#topic",
    ),
    (
        file("package-lock.json", "@@ -1,1 +1,1 @@\n-{}\n+{ }\n"),
        file("scripts/deploy.sh", DEPLOY, FileStatus.ADDED),
        file("src/upload/client.ts", CLIENT),
        file("src/upload/retry.py", RETRY),
    ),
)

CHANGE = ResultChange(
    repo="/home/ann/uploader",
    base=BASE,
    head=HEAD,
    merge_base=BASE,
    files=4,
    added=22,
    removed=8,
    source="branch",
    label="topic → main",
    base_name="main",
    head_name="topic",
)

PATHS = ("scripts/deploy.sh", "src/upload/client.ts", "src/upload/retry.py")


def seat(name: str, **values: object) -> SeatResult:
    settings: dict[str, object] = {
        "agent": name.removeprefix("reviewer-"),
        "kind": "claude",
        "status": SeatStatus.OK,
        "reads": Reads.READ,
        "turns": 1,
        "usage": Usage(41_000, 3_100, 22_000, 0.61),
        "coverage": 1.0,
        "read": PATHS,
        "seconds": 161.0,
        "required": True,
    }
    return SeatResult(seat=name, **{**settings, **values})  # type: ignore[arg-type]


OPUS = seat("reviewer-opus", findings=4)
GPT = seat("reviewer-gpt", kind="codex", findings=3, usage=Usage(36_000, 2_400, 18_000, None), seconds=148.0)
OPENCODE = seat(
    "reviewer-oc",
    agent="sonnet",
    replaced="oc",
    required=False,
    findings=1,
    seconds=97.0,
    turns=2,
    usage=Usage(12_000, 900, 0, 0.21),
    trail=("usage limit until 16:10; handed to sonnet",),
)
RUFF = seat(
    "ruff",
    kind="analyzer",
    reads=Reads.SCAN,
    usage=Usage(),
    coverage=None,
    read=("src/upload/retry.py",),
    seconds=0.3,
    required=False,
    findings=1,
)
HADOLINT = replace(
    RUFF,
    seat="hadolint",
    agent="hadolint",
    status=SeatStatus.SKIPPED,
    note="no files for it",
    read=(),
    findings=0,
    seconds=0.0,
)
JUDGE = seat(
    "judge",
    agent="opus",
    reads=Reads.NONE,
    coverage=None,
    read=(),
    seconds=64.0,
    usage=Usage(18_000, 2_000, 9_000, 0.44),
)


def finding(number: int, **values: object) -> ResultFinding:
    settings: dict[str, object] = {
        "id": f"F{number}",
        "side": Side.RIGHT,
        "severity": Severity.MEDIUM,
        "category": Category.CORRECTNESS,
        "scenario": "",
        "suggestion": "",
        "raised_by": ("reviewer-opus",),
        "agreed_by": (),
        "ruling": RulingKind.KEEP,
        "evidence": "",
        "proof": None,
        "disposition": Disposition.OPEN,
        "fingerprint": f"{number:016x}",
    }
    whole = {**settings, **values}
    whole.setdefault("end_line", whole["line"])
    return ResultFinding(**whole)  # type: ignore[arg-type]


RETRY_FINDING = finding(
    1,
    path="src/upload/retry.py",
    line=86,
    end_line=88,
    severity=Severity.HIGH,
    title="Retry loop never ends when the server sends `Retry-After: 0`",
    body=(
        "A zero delay skips the attempt counter, so a throttling server keeps the client spinning.\n\n"
        "Two things come together:\n"
        '- `int("0")` is falsy, so the branch that counts is not taken;\n'
        "- nothing else in the loop changes `attempt`.\n"
    ),
    quote="            if delay:\n                attempt += 1\n                time.sleep(delay)",
    scenario="The server answers 429 with `Retry-After: 0`, which RFC 9110 allows. `_send` never returns.",
    suggestion="Count every attempt:\n\n```python\nattempt += 1\ntime.sleep(delay)\n```",
    raised_by=("reviewer-opus", "reviewer-gpt"),
    agreed_by=("reviewer-oc",),
    evidence="Lines 86 to 88 are the only place that changes `attempt`, and `delay` is 0 for the header in question.",
    proof=Proof("proved", "pytest -q tests/test_retry_zero.py", "E   Timeout after 5s\n1 failed", "1 passed"),
)

BLOCKING = Result(
    run="20261130-153012-7f3a",
    proceeding="review",
    status=RunStatus.COMPLETE,
    verdict=Verdict.REQUEST_CHANGES,
    verdict_reasons=("F2 is critical and F1 and F4 are high, and they are open.",),
    change=CHANGE,
    findings=(
        finding(
            5,
            path="src/upload/retry.py",
            line=85,
            severity=Severity.LOW,
            category=Category.ERROR_HANDLING,
            title="`Retry-After` may be a date",
            body="RFC 9110 allows an HTTP date here; `int()` then raises ValueError out of `_send`.",
            quote='            delay = int(response.headers.get("Retry-After", 0))',
            raised_by=("reviewer-gpt", "ruff"),
            ruling=RulingKind.REWRITE,
            evidence="The header's grammar is delay-seconds or HTTP-date.",
        ),
        RETRY_FINDING,
        finding(
            4,
            path="scripts/deploy.sh",
            line=3,
            severity=Severity.HIGH,
            category=Category.SECURITY,
            title="An empty argument deletes every upload",
            body="`$target` is unquoted and unchecked: without an argument this is `rm -rf /srv/uploads/`.",
            quote="rm -rf /srv/uploads/$target",
            scenario="Somebody runs `scripts/deploy.sh` to see its usage.",
            suggestion='Use `set -eu` and `rm -rf -- "/srv/uploads/${target:?}"`.',
            raised_by=("reviewer-oc",),
            evidence="The script neither sets -u nor checks $#.",
        ),
        finding(
            2,
            path="src/upload/client.ts",
            side=Side.LEFT,
            line=37,
            end_line=39,
            severity=Severity.CRITICAL,
            category=Category.SECURITY,
            title="The upload limit is gone",
            body="The check of `MAX_UPLOAD` was removed and nothing replaces it.",
            quote="  if (body.byteLength > MAX_UPLOAD) {\n    throw new TooLarge(file.name);\n  }",
            scenario="Any signed-in user uploads a file of 50 GB.",
            raised_by=("reviewer-gpt",),
            evidence="No other caller compares against MAX_UPLOAD.",
        ),
        finding(
            3,
            path="src/upload/client.ts",
            line=39,
            category=Category.CONCURRENCY,
            title="`response.json()` is not awaited",
            body="`receipt` is a promise; the caller gets an object without its fields.",
            quote="  const receipt = response.json() as Receipt;",
            ruling=RulingKind.UNVERIFIED,
            disposition=Disposition.UNVERIFIED,
        ),
        finding(
            6,
            path="src/upload/limits.ts",
            line=12,
            severity=Severity.HIGH,
            category=Category.COMPATIBILITY,
            title="`MAX_UPLOAD` is now unused, but the settings page still shows it",
            body="The page promises a limit that nothing enforces any more.",
            quote="export const MAX_UPLOAD = 64 * MIB;",
            ruling=RulingKind.NEW,
            raised_by=("judge",),
            in_hunk=False,
        ),
        finding(
            7,
            path="scripts/deploy.sh",
            line=6,
            severity=Severity.NIT,
            category=Category.STYLE,
            title="`exit 0` at the end says nothing",
            body="The last command's status is lost.",
            quote="exit 0",
            shown=False,
        ),
    ),
    dropped=(
        ResultDropped(
            "Session is never closed",
            "src/upload/retry.py",
            97,
            ("reviewer-gpt",),
            DropReason.PRE_EXISTING,
            "The line is the same on main; the change does not touch it.",
        ),
        ResultDropped(
            "SQL is built from user input",
            "src/upload/store.py",
            None,
            ("reviewer-oc",),
            DropReason.QUOTE_NOT_FOUND,
            'The quoted line `cursor.execute(f"...")` stands nowhere in the change.',
        ),
        ResultDropped(
            "`fetch` needs a timeout",
            "src/upload/client.ts",
            37,
            ("reviewer-opus", "reviewer-gpt"),
            DropReason.FALSE_CLAIM,
            "The agent's dispatcher sets `bodyTimeout`, see `src/http.ts`.",
        ),
    ),
    seats=(OPUS, GPT, OPENCODE, RUFF, HADOLINT, JUDGE),
    coverage=Coverage(files=3, read=3, skipped=(Skipped("package-lock.json", "generated"),)),
    usage=Usage(107_000, 8_400, 49_000, 1.87),
    artifacts="/home/ann/.local/share/moot/runs/20261130-153012-7f3a",
    checks=(
        Check("make lint", True, 12.4, ""),
        Check("pytest -q", False, 41.0, "tests/test_retry.py F\nE   Timeout\n1 failed, 212 passed"),
    ),
    rounds=(Round(1, ("reviewer-opus", "reviewer-gpt", "reviewer-oc"), ()),),
    notices=(
        "No boundary: bubblewrap is not installed, so the agents ran with this account's rights.",
        ".moot.toml in the working copy differs from the one at main; the one at main was used.",
    ),
    judge="opus",
    seconds=291.0,
    finished_at=FINISHED,
    budget_usd=20.0,
)

CLEAN = replace(
    BLOCKING,
    run="20261130-153012-c0de",
    verdict=Verdict.APPROVE,
    verdict_reasons=("Every required seat answered and every file was read.",),
    findings=(),
    dropped=(),
    seats=(replace(OPUS, findings=0), replace(GPT, findings=0), JUDGE),
    checks=(),
    notices=(),
    coverage=BLOCKING.coverage,
    artifacts="/home/ann/.local/share/moot/runs/20261130-153012-c0de",
)

_SILENT = replace(
    GPT,
    status=SeatStatus.FAILED,
    failure=FailureKind.MALFORMED,
    note="prose where JSON was asked for, twice",
    findings=0,
    coverage=0.0,
    read=(),
    turns=2,
    trail=("malformed: no JSON; nudged", "malformed: no JSON; gave up"),
)

NOT_REVIEWED = replace(
    BLOCKING,
    run="20261130-153012-bad1",
    status=RunStatus.NOT_REVIEWED,
    verdict=Verdict.NOT_REVIEWED,
    verdict_reasons=("Policy requires reviewer-opus and reviewer-gpt; reviewer-gpt did not answer.",),
    findings=(RETRY_FINDING, BLOCKING.findings[4]),
    dropped=(),
    seats=(replace(OPUS, findings=2, read=PATHS[1:], coverage=0.67), _SILENT, JUDGE),
    checks=(),
    notices=(),
    coverage=Coverage(3, 2, unread=("scripts/deploy.sh",), skipped=(Skipped("package-lock.json", "generated"),)),
    artifacts="/home/ann/.local/share/moot/runs/20261130-153012-bad1",
)

INCOMPLETE = replace(
    NOT_REVIEWED,
    run="20261130-153012-1nc0",
    status=RunStatus.INCOMPLETE,
    verdict=Verdict.COMMENT,
    verdict_reasons=("The judge failed, so no finding was checked; the verdict is never better than comment.",),
    findings=(replace(BLOCKING.findings[4], ruling=RulingKind.UNVERIFIED),),
    seats=(
        replace(OPUS, findings=1),
        replace(GPT, findings=0),
        replace(JUDGE, status=SeatStatus.FAILED, failure=FailureKind.TIMEOUT, note="20m", turns=2),
    ),
    coverage=BLOCKING.coverage,
    artifacts="/home/ann/.local/share/moot/runs/20261130-153012-1nc0",
)

STALLED = replace(
    NOT_REVIEWED,
    run="20261130-153012-5741",
    status=RunStatus.STALLED,
    verdict_reasons=("reviewer-gpt is required and its account openai is paused until 16:10 UTC.",),
    findings=(),
    artifacts="/home/ann/.local/share/moot/runs/20261130-153012-5741",
    seats=(
        replace(OPUS, findings=0),
        replace(
            _SILENT, failure=FailureKind.USAGE_LIMIT, note="resets at 16:10 UTC", trail=("usage_limit: paused openai",)
        ),
        replace(JUDGE, status=SeatStatus.WAITING, usage=Usage(), turns=0, seconds=0.0),
    ),
    coverage=BLOCKING.coverage,
    finished_at=None,
)

PARKED = replace(
    STALLED,
    run="20261130-153012-9a4d",
    status=RunStatus.PARKED,
    verdict_reasons=("Parked by a person before every seat had answered.",),
    seats=(
        replace(OPUS, findings=0),
        replace(GPT, status=SeatStatus.WAITING, usage=Usage(), turns=0, seconds=0.0, read=(), coverage=None),
        replace(JUDGE, status=SeatStatus.WAITING, usage=Usage(), turns=0, seconds=0.0),
    ),
)

FAILED = replace(
    PARKED,
    run="20261130-153012-fa11",
    status=RunStatus.FAILED,
    verdict_reasons=("The store's disk is full.",),
    seats=(),
    artifacts="",
)

RULES = replace(
    BLOCKING,
    run="20261130-153012-d3m0",
    verdict=Verdict.COMMENT,
    verdict_reasons=("1 medium finding is open.",),
    findings=(
        replace(
            BLOCKING.findings[0],
            severity=Severity.MEDIUM,
            raised_by=("ruff",),
            ruling=RulingKind.KEEP,
            evidence="quote found, introduced by the change",
        ),
    ),
    dropped=(),
    seats=(RUFF, replace(RUFF, seat="shellcheck", agent="shellcheck", findings=0), HADOLINT),
    coverage=Coverage(files=3, read=0, unread=PATHS, scanned=PATHS, skipped=BLOCKING.coverage.skipped),
    usage=Usage(),
    checks=(),
    notices=("No model judged: the rules judge checked anchors, quotes and severities mechanically.",),
    prose={"reviewer-shell": "Looks fine to me.\n\n1. `deploy.sh` should quote its variables.\n2. Nothing else.\n"},
    judge="rules",
    seconds=1.4,
    budget_usd=None,
    artifacts="/home/ann/Library/Application Support/moot/runs/20261130-153012-d3m0",
)

#: Everything an agent or a repository could write to act on a reader's terminal, browser or forge.
EVIL = (
    "\x1b[2J\x1b]8;;https://evil.example/\x07click\x1b]8;;\x07 \x9b31m\u202egnp.exe\u202c "
    "</script></style><img src=https://evil.example/beacon.png><script>alert(1)</script> "
    "![beacon](https://evil.example/b.png) [here](javascript:alert(1)) "
    "@org/team @dependabot merge fixes #1, closes org/repo#2 and GH-3; https://github.com/o/r/issues/4 "
    "&#64;ann `` ` `` <!-- hidden --> {{ 7 * 7 }} \ud83d"
)

HOSTILE = replace(
    BLOCKING,
    run="20261130-153012-ev11",
    verdict_reasons=(EVIL,),
    change=replace(CHANGE, label=f"{EVIL} → main", head_name=EVIL, notes=(EVIL,)),
    findings=(
        finding(
            1,
            id="F1",
            path="src/\x1b[31m/a\nb\u202e<img>.py",
            line=1,
            severity=Severity.HIGH,
            title=EVIL,
            body=f"/merge\n\n{EVIL}\n\n````\n/approve\n```\n````\n\n# {EVIL}\n- {EVIL}\n\n```{EVIL}",
            quote=f"x = 1  # {EVIL}",
            scenario=f"/close {EVIL}",
            suggestion=f"```\n{EVIL}",
            evidence=EVIL,
            raised_by=(EVIL,),
            agreed_by=(EVIL,),
            proof=Proof(EVIL, EVIL, EVIL, EVIL),
            fingerprint=EVIL,
        ),
    ),
    dropped=(ResultDropped(EVIL, f"a|b`c{EVIL}", 1, (EVIL,), DropReason.IMPOSSIBLE, f"| {EVIL} |"),),
    seats=(
        replace(OPUS, note=EVIL, agent=EVIL, replaced=EVIL, trail=(EVIL,)),
        replace(GPT, seat=EVIL, status=SeatStatus.FAILED, failure=FailureKind.REFUSED, note=EVIL),
    ),
    coverage=Coverage(2, 1, (f"unread {EVIL}",), (f"scanned {EVIL}",), (Skipped(EVIL, EVIL),)),
    checks=(Check(EVIL, False, 1.0, f"/merge\n{EVIL}"),),
    prose={EVIL: f"/lgtm\n{EVIL}"},
    analysis=EVIL,
    conclusion=EVIL,
    notices=(EVIL,),
)

SAMPLES: dict[str, Result] = {
    "blocking": BLOCKING,
    "clean": CLEAN,
    "not-reviewed": NOT_REVIEWED,
    "incomplete": INCOMPLETE,
    "stalled": STALLED,
    "parked": PARKED,
    "failed": FAILED,
    "rules": RULES,
    "hostile": HOSTILE,
}
