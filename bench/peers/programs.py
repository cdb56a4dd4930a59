"""Other programs: netfed's benchmark, and workers with a limit on their time and memory, which print lines of JSON."""

import json
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ONE_THREAD = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS")}


def time_netfed(instances, targets, file):
    """Rows of `cargo bench --bench reference` on folders of instances; they are kept in `file`, its table is shown on standard error."""
    command = ["cargo", "bench", "--quiet", "-p", "netfed", "--bench", "reference", "--", "json", file.resolve()]
    for folder in instances:
        command += ["instance", folder.resolve()]
    for target in targets:
        command += ["target", str(target)]
    subprocess.run(command, cwd=HERE.parents[1], check=True, stdout=sys.stderr)
    return json.loads(file.read_text())


def work(arguments, seconds, gigabytes):
    """Runs `python arguments` with so much CPU time and memory. Returns the lines it printed, and why it ended early, if it did."""

    def restrict():
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 1))
        resource.setrlimit(resource.RLIMIT_AS, (int(gigabytes * 2**30),) * 2)

    command = [sys.executable, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=HERE, env=os.environ | ONE_THREAD, preexec_fn=restrict)
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode == 0:
        return lines, None
    if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return lines, f"over {seconds:g} s"
    if any(word in done.stderr for word in ("MemoryError", "bad_alloc", "memory allocation")):
        return lines, f"over {gigabytes:g} GiB"
    return lines, (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1][:60]
