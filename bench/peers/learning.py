"""Learning a graph from signals, the log-degree model: python learning.py [--vertices N] [--netfed PROGRAM]

netfed, CVXPY with Clarabel and PyGSP2 on the same signals, in one run. What counts as accurate is the objective in `objective` below at the
weights that a solver returns, less that of netfed, of which the proven gap is shown. The time of netfed is that of the whole command,
reading and writing included; the others have the distances in memory.
"""

import argparse
import csv
import json
import subprocess
import tempfile
import time
from pathlib import Path

import cvxpy
import numpy
import scipy.sparse
from pygsp2.graph_learning import graph_log_degree

ROOT = Path(__file__).resolve().parents[2]


def signals(vertices, count, seed):
    """Smooth signals on points of the unit square, with a little noise."""
    random = numpy.random.default_rng(seed)
    places = random.random((vertices, 2))
    squares = ((places[:, None] - places[None]) ** 2).sum(2)
    radius = 10 / (numpy.pi * vertices)
    weights = (squares < radius) * 1.0
    numpy.fill_diagonal(weights, 0)
    laplacian = numpy.diag(weights.sum(1)) - weights
    values, vectors = numpy.linalg.eigh(laplacian)
    size = numpy.where(values > 1e-9, 1 / numpy.sqrt(numpy.maximum(values, 1e-9)), 0)
    return (vectors * size) @ random.normal(size=(vertices, count)) + 0.1 * random.normal(size=(vertices, count))


def objective(z, degrees_of, beta, w):
    """(7) with α = 1 and ζ = 0."""
    return z @ w - numpy.log(degrees_of @ w).sum() + 2 * beta * w @ w


def run_netfed(program, folder, flags):
    out = folder / "edges.csv"
    command = [program, "graph", "learn", "--signals", folder / "signals.csv", "--out", out, "--force", "--json", *flags]
    start = time.perf_counter()
    said = subprocess.run([str(c) for c in command], check=True, capture_output=True, text=True).stdout
    seconds = time.perf_counter() - start
    return json.loads(said), out, seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vertices", type=int, default=300)
    parser.add_argument("--netfed", default=ROOT / "target" / "release" / "netfed", help="the program (default: target/release/netfed, built if missing)")
    options = parser.parse_args()
    if not Path(options.netfed).exists():
        subprocess.run(["cargo", "build", "--release", "-p", "netfed-cli"], cwd=ROOT, check=True)
    d = options.vertices
    x = signals(d, 100, 1)
    a, b = numpy.triu_indices(d, 1)
    z = ((x[a] - x[b]) ** 2).mean(1)
    pairs = len(z)
    degrees_of = scipy.sparse.coo_matrix(
        (numpy.ones(2 * pairs), (numpy.r_[a, b], numpy.r_[0:pairs, 0:pairs])), shape=(d, pairs)
    ).tocsr()
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with open(folder / "signals.csv", "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow([f"v{k}" for k in range(d)])
            writer.writerows([[repr(float(v)) for v in row] for row in x.T])
        beta = run_netfed(options.netfed, folder, ["--neighbors", "6"])[0]["beta"]
        runs = [run_netfed(options.netfed, folder, ["--beta", repr(beta)]) for _ in range(5)]
        said, out, seconds = min(runs, key=lambda r: r[2])
        w = numpy.zeros(pairs)
        place = {(i, j): e for e, (i, j) in enumerate(zip(a, b))}
        for row in csv.DictReader(open(out)):
            w[place[int(row["source"][1:]), int(row["target"][1:])]] = float(row["weight"])
    best = objective(z, degrees_of, beta, w)
    rows.append(("netfed, whole command", seconds, said["gap"], int((w > 0).sum())))

    unknown = cvxpy.Variable(pairs, nonneg=True)
    goal = z @ unknown - cvxpy.sum(cvxpy.log(degrees_of @ unknown)) + 2 * beta * cvxpy.sum_squares(unknown)
    problem = cvxpy.Problem(cvxpy.Minimize(goal))
    start = time.perf_counter()
    problem.solve(solver=cvxpy.CLARABEL)
    rows.append(("CVXPY, Clarabel", time.perf_counter() - start, objective(z, degrees_of, beta, numpy.maximum(unknown.value, 0)) - best, int((unknown.value > 1e-6).sum())))

    square = numpy.zeros((d, d))
    square[a, b] = z
    square += square.T
    scale = 2 / z.max()
    for tolerance, most in [(1e-5, 1000), (1e-9, 100_000)]:
        start = time.perf_counter()
        found = graph_log_degree(square * scale, a=1.0, b=2 * scale**2 * beta, tol=tolerance, maxiter=most, verbose=False)
        seconds = time.perf_counter() - start
        found = numpy.asarray(found)[a, b] * scale
        rows.append((f"PyGSP2, tolerance {tolerance:g}", seconds, objective(z, degrees_of, beta, found) - best, int((found > 1e-6).sum())))

    print(f"{d} vertices, {pairs} pairs, 100 signals, β = {beta:.4g}\n")
    print("| solver | seconds | above the optimum | edges | times netfed |\n| --- | --- | --- | --- | --- |")
    for name, seconds, gap, edges in rows:
        print(f"| {name} | {seconds:.3g} | {gap:.1e} | {edges} | {seconds / rows[0][1]:.1f}× |")


if __name__ == "__main__":
    main()
