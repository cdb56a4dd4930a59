"""Other programs: netfed's benchmark, and workers with a limit on their time and memory, which print lines of JSON."""

import json
import os
import resource
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
    """Runs `python arguments`. Returns the lines it printed, and why it ended early, if it did."""

    def restrict():
        resource.setrlimit(resource.RLIMIT_AS, (int(gigabytes * 2**30),) * 2)

    process = subprocess.Popen(
        [sys.executable, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=HERE,
        env=os.environ | ONE_THREAD,
        preexec_fn=restrict,
    )
    early = None
    try:
        output, errors = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        output, errors = process.communicate()
        early = f"over {seconds:g} s"
    if process.returncode != 0 and early is None:
        memory = any(word in errors for word in ("MemoryError", "bad_alloc", "memory allocation"))
        last = (errors.strip().splitlines() or [f"exit status {process.returncode}"])[-1]
        early = f"over {gigabytes:g} GiB" if memory else last[:60]
    return [json.loads(line) for line in output.splitlines() if line.startswith("{")], early
