"""Running a contestant: its times and the memory of all its processes."""

import ctypes
import os
import pathlib
import signal
import subprocess
import threading
import time

SAMPLE_SECONDS = 0.02
MOST_SECONDS = 900


class Failure(Exception):
    """The reason why a run does not count."""


def become_reaper():
    """Makes orphans below this process its own children: prctl(PR_SET_CHILD_SUBREAPER)."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(36, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")


def descendants(identifier):
    """A process and its visible descendants at this moment."""
    found, open_ends = [], [identifier]
    while open_ends:
        current = open_ends.pop()
        found.append(current)
        for children in pathlib.Path(f"/proc/{current}/task").glob("*/children"):
            try:
                open_ends += map(int, children.read_text().split())
            except OSError:
                pass  # It ended meanwhile.
    return found


def peak_of(identifier):
    """The peak memory of a process so far, in bytes; 0 if it has ended."""
    try:
        for line in pathlib.Path(f"/proc/{identifier}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


class TreeWatch(threading.Thread):
    """Samples the memory of a tree of processes.

    The memory of a pipeline is the sum of the peaks of simultaneous processes. This is an upper bound,
    since they need not peak together. Shared pages count in each of them.
    """

    def __init__(self, identifier):
        super().__init__(daemon=True)
        self.identifier = identifier
        self.ended = threading.Event()
        self.peak_bytes = 0

    def run(self):
        while not self.ended.wait(SAMPLE_SECONDS):
            living = sum(peak_of(process) for process in descendants(self.identifier))
            self.peak_bytes = max(self.peak_bytes, living)


def measure(command, output_path, environment=None, greatest_code=0, is_tree=False):
    """Runs a command and returns its times in seconds and its peak memory in bytes.

    It fails if its exit code is greater than `greatest_code`.

    Until a program starts, the kernel counts the memory of its parent process as its own. So a shell
    of a megabyte becomes the program: the orphan of another shell, which this process adopts. It first
    waits for a line, so that its creation is not measured. The processes of a shell script, and of a
    command with `is_tree`, are sampled as a tree; for other commands the kernel's figure is exact.
    """
    launcher = ('exec 3</dev/null 4<&0; '
                '{ read -r _ <&4 && exec "$@" <&3 >"$BENCH_OUTPUT" 3<&- 4<&-; } & echo $!')
    shell = subprocess.Popen(
        ["sh", "-c", launcher, "sh", *map(str, command)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        env=os.environ | (environment or {}) | {"BENCH_OUTPUT": str(output_path)})
    identifier = int(shell.stdout.readline())
    shell.wait()
    os.sync()
    watch = TreeWatch(identifier) if is_tree or str(command[0]).endswith(".sh") else None
    if watch:
        watch.start()
    limit = threading.Timer(MOST_SECONDS, os.kill, (identifier, signal.SIGKILL))
    limit.daemon = True
    limit.start()
    begin = time.monotonic()
    shell.stdin.write(b"\n")
    shell.stdin.close()
    _, status, usage = os.wait4(identifier, 0)
    wall = time.monotonic() - begin
    limit.cancel()
    shell.stdout.close()
    peak = usage.ru_maxrss * 1024
    if watch:
        watch.ended.set()
        watch.join()
        peak = max(peak, watch.peak_bytes)
    code = os.waitstatus_to_exitcode(status)
    if not 0 <= code <= greatest_code:
        raise Failure(f"{os.path.basename(str(command[0]))} ended with {code}")
    return {"wall": wall, "cpu": usage.ru_utime + usage.ru_stime, "peakBytes": peak}


def start_up_seconds(command, count):
    """The times of several runs of a command, started without a shell."""
    found = []
    null = os.open(os.devnull, os.O_RDWR)
    for _ in range(count):
        begin = time.monotonic()
        identifier = os.posix_spawn(
            str(command[0]), list(map(str, command)), os.environ,
            file_actions=[(os.POSIX_SPAWN_DUP2, null, descriptor) for descriptor in (0, 1)])
        _, status = os.waitpid(identifier, 0)
        found.append(time.monotonic() - begin)
        if os.waitstatus_to_exitcode(status) != 0:
            raise Failure(f"{command[0]} failed on an empty input")
    os.close(null)
    return found
