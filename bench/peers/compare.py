"""CVXPY's solvers beside netfed on the 21 reference cases: python compare.py NETFED_JSON [--only TEXT] [--limit SECONDS] [--out FILE]

NETFED_JSON is what `cargo bench --bench reference -- json NETFED_JSON` wrote, in the same run on the same machine.
"""

import argparse
import json
import sys
from pathlib import Path

from cvxpy_worker import SOLVERS, takes
from instances import PENALTIES, Instance
from limits import HERE, work

REFERENCE = HERE.parent.parent / "data" / "reference"
TARGET = 1e-6


def race(folder, penalty, solver, limit, gigabytes):
    """The best time of one solver on one case, or the reason why there is none."""
    steps, early = work(["cvxpy_worker.py", folder, penalty, solver, TARGET], limit, gigabytes)
    done = [step for step in steps if step.get("reached")]
    if done:
        return done[-1]
    found = [step["accuracy"] for step in steps if "accuracy" in step]
    failed = [step["failed"] for step in steps if "failed" in step]
    reason = early or ("not reached" if found else (failed or ["nothing found"])[-1][:60])
    return {"reason": reason + (f", best {min(found, key=abs):.0e}" if found else "")}


def netfed_times(file):
    rows = json.loads(Path(file).read_text())
    return {(r["instance"], r["penalty"], r["method"]): r for r in rows if r["target"] == TARGET}


def ms(seconds):
    return "–" if seconds is None else f"{1e3 * seconds:.3g}"


def times(ratio):
    return "–" if ratio is None else f"{ratio:.1f}×"


def ratio(slow, fast):
    return slow / fast if slow and fast else None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("netfed_json")
    parser.add_argument("--only", default="", help="only instances whose name contains this")
    parser.add_argument("--limit", type=float, default=300.0, help="seconds that a solver has for a case, with compilation (default 300)")
    parser.add_argument("--memory", type=float, default=8.0, help="GiB of address space that a solver has (default 8)")
    parser.add_argument("--out", help="also write everything as JSON")
    options = parser.parse_args()

    netfed = netfed_times(options.netfed_json)
    cases = []
    for folder in sorted(p for p in REFERENCE.iterdir() if p.is_dir() and options.only in p.name):
        loss = Instance.read(folder).loss
        for penalty in PENALTIES:
            results = {}
            for solver in SOLVERS:
                if takes(solver, loss, penalty):
                    results[solver] = race(folder, penalty, solver, options.limit, options.memory)
                    shown = results[solver].get("reason") or f"{ms(results[solver]['own'])} ms"
                    print(f"{folder.name} {penalty} {solver}: {shown}", file=sys.stderr, flush=True)
            cases.append({"instance": folder.name, "penalty": penalty, "solvers": results})
    if options.out:
        Path(options.out).write_text(json.dumps(cases, indent=1) + "\n")

    print(f"Milliseconds to a true relative suboptimality of {TARGET:g}, one thread.\n")
    print("| case | fastest of CVXPY's solvers | its own time | netfed | CVXPY ÷ netfed | Algorithm 1 | its iterations | Algorithm 1 ÷ netfed |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    against_cvxpy, against_algorithm_1, unsolved = [], [], 0
    for case in cases:
        reached = {s: r for s, r in case["solvers"].items() if "own" in r}
        fastest = min(reached, key=lambda s: reached[s]["own"], default=None)
        own = reached[fastest]["own"] if fastest else None
        auto, first = (netfed.get((case["instance"], case["penalty"], m), {}) for m in ("auto", "algorithm 1"))
        cvxpy_ratio = ratio(own, auto.get("seconds"))
        first_ratio = ratio(first.get("seconds"), auto.get("seconds"))
        unsolved += fastest is None
        if cvxpy_ratio:
            against_cvxpy.append(cvxpy_ratio)
        if first_ratio:
            against_algorithm_1.append((first["iterations"], first_ratio))
        print(
            f"| {case['instance']} {case['penalty']} | {fastest or 'none'} | {ms(own)} | {ms(auto.get('seconds'))} | {times(cvxpy_ratio)} "
            f"| {ms(first.get('seconds'))} | {first.get('iterations') or '–'} | {times(first_ratio)} |"
        )
    long = [r for k, r in against_algorithm_1 if k > 500]
    print(
        f"\nOf {len(cases)} cases: at least 10 times faster than the fastest of CVXPY's solvers in {sum(r >= 10 for r in against_cvxpy)}, slower in "
        f"{sum(r < 1 for r in against_cvxpy)}; in {unsolved} no solver of CVXPY got there. Against Algorithm 1: at least 5 times faster in "
        f"{sum(r >= 5 for r in long)} of the {len(long)} cases where it needs more than 500 iterations; more than 1.2 times slower in "
        f"{sum(r < 1 / 1.2 for _, r in against_algorithm_1)}."
    )
    print(f"\nEvery solver: its own time / CPU time of the call with its setup, in ms; limit {options.limit:g} s and {options.memory:g} GiB each.\n")
    print("| case | " + " | ".join(SOLVERS) + " |")
    print("| --- |" + " ---: |" * len(SOLVERS))
    for case in cases:
        cells = []
        for solver in SOLVERS:
            result = case["solvers"].get(solver)
            if result is None:
                cells.append("")
            else:
                cells.append(result.get("reason") or f"{ms(result['own'])} / {ms(result['call'])}")
        print(f"| {case['instance']} {case['penalty']} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
