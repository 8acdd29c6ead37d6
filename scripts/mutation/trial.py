"""Runs tests until one fails. A test that hangs or crashes has failed, too."""

import json
import os
import resource
import selectors
import signal
import subprocess
import time
from dataclasses import dataclass

# These want more memory than there is for one of several workers.
SKIPPED = "LargeOffsets*"
MEMORY = 8 << 30  # bytes that a test may have of its own
# The test programs of a room that has several, and those that use nothing of a room.
PROGRAMS_OF = {"core": ("core", "decision", "execution", "allocations")}
CANNOT_SEE = {"models": ("containers",), "core": ("containers", "models", "tuning")}
SLOW = 1.0  # seconds from which on a test runs after all others


@dataclass
class Test:
    program: str
    name: str
    seconds: float


class Stopped(Exception):
    """The time given is over."""


def environment(folder, library=None):
    """What the tests may know and leave behind is theirs alone."""
    known = {k: v for k, v in os.environ.items() if not k.startswith(("SWITCHYARD_", "GTEST_"))}
    for name, place in {
        "XDG_CACHE_HOME": "cache",
        "XDG_CONFIG_HOME": "config",
        "TMPDIR": "tmp",
    }.items():
        (folder / place).mkdir(parents=True, exist_ok=True)
        known[name] = str(folder / place)
    known["POCL_CACHE_DIR"] = str(folder / "cache" / "pocl")
    # The same values with a mutant as without, and threads that wait without spinning.
    known |= {"RC_PARAMS": "seed=1", "OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "passive"}
    if library:
        known["LD_LIBRARY_PATH"] = f"{library}:{known.get('LD_LIBRARY_PATH', '')}"
    return known


def list_tests(program, path, folder):
    """Runs all tests of a program; gives those that pass, with their times, and the names of others."""
    report = folder / f"{program}.json"
    report.unlink(missing_ok=True)
    command = [str(path), f"--gtest_output=json:{report}", f"--gtest_filter=-{SKIPPED}"]
    with open(folder / f"{program}.log", "w") as log:
        subprocess.run(
            command, cwd=folder, env=environment(folder), stdout=log, stderr=log,
            stdin=subprocess.DEVNULL, preexec_fn=_limit_memory,
        )  # fmt: skip
    if not report.exists():
        raise RuntimeError(f"{path} does not run through: see {folder}/{program}.log")
    good, bad = [], []
    for suite in json.loads(report.read_text())["testsuites"]:
        for test in suite["testsuite"]:
            name = f"{suite['name']}.{test['name']}"
            if test.get("failures"):
                bad.append(f"{program}.{name}")
            elif test.get("result") == "COMPLETED":
                good.append(Test(program, name, float(test["time"].rstrip("s"))))
    return good, bad


def batches(tests, room, earlier_finders):
    """Who may find a mutant of `room`, in the order of who finds most in the shortest time.

    Slow tests of other rooms are left out.
    """
    own = PROGRAMS_OF.get(room, (room,))
    turns = {}  # (turn, program): tests
    for test in tests:
        mine, slow = test.program in own, test.seconds > SLOW
        if test.program in CANNOT_SEE.get(room, ()) or (slow and not mine):
            continue
        turn = 0 if test.name in earlier_finders else 1 + slow if mine else 3
        turns.setdefault((turn, test.program), []).append(test)
    order = sorted(turns.items(), key=lambda e: (e[0][0], sum(test.seconds for test in e[1])))
    return [(program, batch) for (_, program), batch in order]


def run_batch(path, tests, folder, library, deadline):
    """The name of the first test that fails, or None where all pass."""
    names = ":".join(test.name for test in tests)
    process = subprocess.Popen(
        [str(path), "--gtest_fail_fast", "--gtest_color=no", f"--gtest_filter={names}"],
        cwd=folder, env=environment(folder, library), stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True,
        preexec_fn=_limit_memory,
    )  # fmt: skip
    try:
        return _watch(process, {test.name: test.seconds for test in tests}, deadline)
    finally:
        _end(process)


def _watch(process, seconds_of, deadline):
    running, limit, rest = "before the tests", time.monotonic() + 30, b""
    os.set_blocking(process.stdout.fileno(), False)
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while True:
            now = time.monotonic()
            if now > deadline:
                raise Stopped
            if now > limit:
                return f"{running} (hangs)"
            if not selector.select(timeout=0.5):
                continue
            data = process.stdout.read()
            if data is None:
                continue
            if not data:
                break
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                if line.startswith(b"[ RUN      ] "):
                    running = line[13:].decode().strip()
                    limit = time.monotonic() + 10 + 10 * seconds_of.get(running, 0)
                elif line.startswith(b"[  FAILED  ] "):
                    return running
    try:
        status = process.wait(timeout=10)
    except subprocess.TimeoutExpired:
        return f"{running} (hangs at the end)"
    if status == 0:
        return None
    return f"{running} (crashes)" if status < 0 else running


def _end(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)  # with what the test has started
    except ProcessLookupError:
        pass
    process.stdout.close()
    process.wait()


def _limit_memory():
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
