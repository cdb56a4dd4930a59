"""CVXPY's solvers beside netfed on the 21 reference cases: python compare.py [--only TEXT] [--limit SECONDS] [--memory GIB]"""

import argparse
import json
import sys
from pathlib import Path

from cvxpy_worker import SOLVERS, takes
from instances import PENALTIES, Instance
from programs import HERE, time_netfed, work

REFERENCE = HERE.parents[1] / "data" / "reference"
TARGET = 1e-6


def race(folder, penalty, solver, limit, gigabytes):
    """The best time of one solver on one case, or the reason why there is none."""
    steps, early = work(["cvxpy_worker.py", folder, penalty, solver, TARGET], limit, gigabytes)
    done = [step for step in steps if step.get("reached")]
    if done:
        return min(done, key=lambda step: step["whole"])
    found = [step["accuracy"] for step in steps if "accuracy" in step]
    failed = [step["failed"] for step in steps if "failed" in step]
    reason = early or ("not reached" if found else (failed or ["nothing found"])[-1][:60])
    return {"reason": reason + (f", best {min(found, key=abs):.0e}" if found else "")}


def ms(seconds):
    return "–" if seconds is None else f"{1e3 * seconds:.3g}"


def times(ratio):
    return "–" if ratio is None else f"{ratio:.2g}×" if ratio < 10 else f"{ratio:.0f}×"


def ratio(slow, fast):
    return slow / fast if slow and fast else None


def plus(one, other):
    return None if one is None or other is None else one + other


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="only instances whose name contains this")
    parser.add_argument("--limit", type=float, default=300.0, help="CPU seconds that a solver has for a case, with compilation (default 300)")
    parser.add_argument("--memory", type=float, default=8.0, help="GiB of address space that a solver has (default 8)")
    parser.add_argument("--folder", type=Path, default=HERE / "work", help="where all figures go as JSON (default work)")
    options = parser.parse_args()

    folders = sorted(p for p in REFERENCE.iterdir() if p.is_dir() and options.only in p.name)
    if not folders:
        parser.error(f"--only {options.only}: no instance of data/reference has this in its name")
    options.folder.mkdir(parents=True, exist_ok=True)
    netfed = {(r["instance"], r["penalty"], r["method"]): r for r in time_netfed(folders, [TARGET], options.folder / "netfed.json")}
    cases = []
    for folder in folders:
        loss = Instance.read(folder).loss
        for penalty in PENALTIES:
            results = {}
            for solver in SOLVERS:
                if takes(solver, loss, penalty):
                    results[solver] = race(folder, penalty, solver, options.limit, options.memory)
                    shown = results[solver].get("reason") or f"{ms(results[solver]['whole'])} ms"
                    print(f"{folder.name} {penalty} {solver}: {shown}", file=sys.stderr, flush=True)
            cases.append({"instance": folder.name, "penalty": penalty, "solvers": results})
    (options.folder / "cvxpy.json").write_text(json.dumps(cases, indent=1) + "\n")

    print(f"Milliseconds to a true relative suboptimality of {TARGET:g}, one thread.\n")
    columns = ["case", "fastest of CVXPY", "solve", "netfed", "ratio", "fastest with setup", "setup + solve", "netfed", "ratio"]
    columns += ["fastest call", "call", "netfed", "ratio", "Algorithm 1", "iterations", "ratio"]
    print("| " + " | ".join(columns) + " |")
    print("|" + " --- |" * len(columns))
    ratios = {"solve": [], "whole": [], "call": []}
    against_algorithm_1 = []
    for case in cases:
        auto, first = (netfed.get((case["instance"], case["penalty"], method), {}) for method in ("auto", "algorithm 1"))
        cells = [f"{case['instance']} {case['penalty']}"]
        with_build = plus(auto.get("seconds"), auto.get("build_seconds"))
        own = {"solve": auto.get("seconds"), "whole": with_build, "call": with_build}
        for clock, seconds in own.items():
            reached = {solver: r[clock] for solver, r in case["solvers"].items() if clock in r}
            fastest = min(reached, key=reached.get, default="none")
            ratios[clock].append(ratio(reached.get(fastest), seconds))
            cells += [fastest, ms(reached.get(fastest)), ms(seconds), times(ratios[clock][-1])]
        gain = ratio(first.get("seconds"), auto.get("seconds"))
        if gain:
            against_algorithm_1.append((first["iterations"], gain))
        cells += [ms(first.get("seconds")), str(first.get("iterations") or "–"), times(gain)]
        print("| " + " | ".join(cells) + " |")
    print()
    for clock, words in (
        ("solve", "by solve_time alone"),
        ("whole", "with setup on both sides"),
        ("call", "by the CPU time of CVXPY's call of the solver, netfed with its setup"),
    ):
        known = [r for r in ratios[clock] if r]
        print(
            f"Of {len(cases)} cases, {words}: at least 10 times faster than the fastest of CVXPY's solvers in {sum(r >= 10 for r in known)}, "
            f"slower in {sum(r < 1 for r in known)}, no comparison in {len(cases) - len(known)}."
        )
    long = [gain for iterations, gain in against_algorithm_1 if iterations > 500]
    print(
        f"Against Algorithm 1: at least 5 times faster in {sum(gain >= 5 for gain in long)} of the {len(long)} cases where it needs more than 500 iterations; "
        f"more than 1.2 times slower in {sum(gain < 1 / 1.2 for _, gain in against_algorithm_1)}."
    )
    print(f"\nEvery solver: solve / setup + solve / call, in ms; limit {options.limit:g} s and {options.memory:g} GiB each.\n")
    print("| case | " + " | ".join(SOLVERS) + " |")
    print("| --- |" + " ---: |" * len(SOLVERS))
    for case in cases:
        results = [case["solvers"].get(solver) for solver in SOLVERS]
        cells = ["" if r is None else r.get("reason") or f"{ms(r['solve'])} / {ms(r['whole'])} / {ms(r['call'])}" for r in results]
        print(f"| {case['instance']} {case['penalty']} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
