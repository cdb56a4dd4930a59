"""Convex clustering of many points, netfed beside public implementations:

    minimize over w   Σᵢ ‖xᵢ − wᵢ‖² + λ Σₑ Aₑ ‖w_tail − w_head‖₂

    python clustering.py [--points N] [--limit SECONDS] [--folder DIR]

Points: two moons with noise. Edges: the 10 nearest neighbors, with Gaussian weights. All of it seeded. The optimal value is netfed's objective after a run to a
certified relative gap of 1e-9.
"""

import argparse
import json
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from scipy.spatial import cKDTree

from instances import Instance
from programs import HERE, time_netfed, work

TARGETS = (1e-3, 1e-4, 1e-5, 1e-6)
LAMBDA = 0.5


def make(folder, count):
    """Writes the instance in netfed's formats."""
    random = np.random.default_rng(1)
    angles = np.pi * random.random(count)
    upper = np.arange(count) % 2 == 0
    points = np.where(upper[:, None], np.c_[np.cos(angles), np.sin(angles)], np.c_[1 - np.cos(angles), 0.5 - np.sin(angles)])
    points = points + 0.1 * random.standard_normal((count, 2))
    distances, neighbors = cKDTree(points).query(points, 11)
    pairs = {(min(i, j), max(i, j)) for i, row in enumerate(neighbors) for j in row[1:]}
    scale = (distances[:, 1:] ** 2).mean()
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "points.csv", "w") as file:
        file.write("node,x1,x2\n")
        file.writelines(f"n{i},{x!r},{y!r}\n" for i, (x, y) in enumerate(points.tolist()))
    with open(folder / "edges.csv", "w") as file:
        file.write("source,target,weight\n")
        for i, j in sorted(pairs):
            squared = float(((points[i] - points[j]) ** 2).sum())
            file.write(f"n{i},n{j},{float(np.exp(-0.5 * squared / scale))!r}\n")
    facts = {"loss": "mean", "lambda": LAMBDA, "nodes": count, "edges": len(pairs), "optimum": {"l2": None}}
    (folder / "optimum.json").write_text(json.dumps(facts) + "\n")


def race_netfed(folder):
    """Seconds of netfed and Algorithm 1 to each target; the optimal value goes to `optimum.json`."""
    rows = time_netfed([folder], TARGETS, folder / "netfed.json")
    facts = json.loads((folder / "optimum.json").read_text())
    facts["optimum"]["l2"] = rows[0]["optimum"]
    (folder / "optimum.json").write_text(json.dumps(facts) + "\n")
    return {(row["method"], row["target"]): row["seconds"] for row in rows}


def cut_pursuit(instance):
    """Cut pursuit (Landrieu, Obozinski, Raguet), C++; its objective is ½‖x − w‖² + Σ weight·‖w_tail − w_head‖."""
    from pycut_pursuit.cp_prox_tv import cp_prox_tv

    tails, heads = np.minimum(instance.tails, instance.heads), np.maximum(instance.tails, instance.heads)
    order = np.lexsort((heads, tails))
    starts = np.concatenate([[0], np.cumsum(np.bincount(tails, minlength=instance.nodes))]).astype(np.uint32)
    graph = (np.asfortranarray(instance.features.T), starts, heads[order].astype(np.uint32))
    weights = 0.5 * instance.lam * instance.weights[order]
    for tolerance, cuts, splits in ((1e-3, 10, 1), (1e-4, 10, 1), (1e-4, 50, 1), (1e-5, 50, 3), (1e-6, 200, 3), (1e-6, 200, 10)):
        settings = dict(cp_dif_tol=tolerance, cp_it_max=cuts, split_iter_num=splits, K=2 if splits == 1 else 4)

        def run(settings=settings):
            part, values = cp_prox_tv(*graph, edge_weights=weights, max_num_threads=1, verbose=0, **settings)[:2]
            return values[:, part].T

        yield settings, run


def pyunlocbox(instance):
    """PyUNLocBoX, Python: the method of Chambolle and Pock; the prox of the penalty, which it lacks for many groups, is ours in numpy."""
    from pyunlocbox import functions, solvers
    import scipy.sparse as sp

    edges = np.arange(len(instance.tails))
    signs = np.r_[np.ones(len(edges)), -np.ones(len(edges))]
    operator = sp.csr_matrix((signs, (np.r_[edges, edges], np.r_[instance.tails, instance.heads])), shape=(len(edges), instance.nodes))
    adjoint = sp.csr_matrix(operator.T)
    coupling = instance.lam * instance.weights
    loss = functions.norm_l2(y=instance.features, lambda_=1.0)
    jumps = functions.func()
    jumps._eval = lambda v: coupling @ np.linalg.norm(v, axis=1)
    jumps._prox = lambda v, step: v * np.maximum(0.0, 1.0 - step * coupling / np.maximum(np.linalg.norm(v, axis=1), 1e-300))[:, None]
    step = 0.99 / np.sqrt(2.0 * np.bincount(np.r_[instance.tails, instance.heads]).max())
    for rounds in (30, 100, 300, 1000, 3000, 10000):

        def run(rounds=rounds):
            method = solvers.chambolle_pock(L=operator, Lt=adjoint, sigma=step, tau=step, theta=1.0)
            return solvers.solve([loss, jumps], instance.features.copy(), method, rtol=None, maxit=rounds, verbosity="NONE")["sol"]

        yield dict(maxit=rounds), run


def ccmm(instance):
    """CCMM (Touw, Groenen, Terada), C++; its objective is ½‖x − w‖² + λ Σ weight·‖w_tail − w_head‖ when not scaled."""
    from ccmmpy._ccmmpy import _convex_clusterpath, _fusion_threshold

    ends = np.stack([np.r_[instance.tails, instance.heads], np.r_[instance.heads, instance.tails]])
    order = np.lexsort((ends[0], ends[1]))
    ends, weights = ends[:, order].astype(np.int32), np.r_[instance.weights, instance.weights][order]
    points, lambdas = instance.features.T, np.array([0.5 * instance.lam])
    for tolerance, tau in ((1e-6, 1e-3), (1e-7, 1e-3), (1e-8, 1e-4), (1e-9, 1e-4), (1e-9, 1e-5), (1e-10, 1e-6)):

        def run(tolerance=tolerance, tau=tau):
            threshold = _fusion_threshold(points, tau)
            path = _convex_clusterpath(points, ends, weights, lambdas, tolerance, threshold, False, True, 25, 100_000)
            return path["clusterpath"].T

        yield dict(eps_conv=tolerance, tau=tau), run


PEERS = {"cut pursuit": cut_pursuit, "PyUNLocBoX": pyunlocbox, "CCMM": ccmm}
MODULES = {"cut pursuit": "pycut_pursuit", "PyUNLocBoX": "pyunlocbox", "CCMM": "ccmmpy"}


def run_peer(folder, name):
    """The worker: runs with ever harder settings until the last target is met, one line of JSON each."""
    instance = Instance.read(folder)
    for settings, run in PEERS[name](instance):
        seconds, began = np.inf, time.monotonic()
        for again in range(3):
            if again and time.monotonic() - began > 5.0:
                break
            start = time.process_time()
            models = np.ascontiguousarray(run())
            seconds = min(seconds, time.process_time() - start)
        accuracy = instance.suboptimality(models, "l2")
        print(json.dumps({"settings": settings, "seconds": seconds, "accuracy": accuracy}), flush=True)
        if accuracy <= TARGETS[-1]:
            break


def cell(runs, early, target):
    """The fastest run of a peer that met the target, in ms."""
    met = [run["seconds"] for run in runs if run["accuracy"] <= target]
    if met:
        return f"{1e3 * min(met):.3g}"
    best = f"best {min(run['accuracy'] for run in runs):.1e}" if runs else ""
    return ", ".join(filter(None, ("not reached", best, early)))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=10_000)
    parser.add_argument("--limit", type=float, default=300.0, help="CPU seconds that a peer has (default 300)")
    parser.add_argument("--memory", type=float, default=8.0, help="GiB of address space that a peer has (default 8)")
    parser.add_argument("--folder", type=Path, default=HERE / "work" / "moons")
    parser.add_argument("--peer", choices=PEERS, help="run one peer on the folder as it is")
    options = parser.parse_args()
    if options.peer:
        run_peer(options.folder, options.peer)
        return
    make(options.folder, options.points)
    netfed = race_netfed(options.folder)
    results = {}
    absent = [name for name in PEERS if find_spec(MODULES[name]) is None]
    for name in (name for name in PEERS if name not in absent):
        results[name] = work(["clustering.py", "--folder", options.folder.resolve(), "--peer", name], options.limit, options.memory)
        for run in results[name][0]:
            print(f"{name} {run['settings']}: {1e3 * run['seconds']:.3g} ms, {run['accuracy']:.1e}", file=sys.stderr)
    (options.folder / "peers.json").write_text(json.dumps(results, indent=1) + "\n")
    facts = json.loads((options.folder / "optimum.json").read_text())
    print(f"Convex clustering of {facts['nodes']} points, {facts['edges']} edges, λ = {LAMBDA:g}: ms to a true relative suboptimality, one thread.\n")
    print("| accuracy | netfed | Algorithm 1 | " + " | ".join(results) + " |")
    print("| --- | ---: | ---: |" + " ---: |" * len(results))
    for target in TARGETS:
        own = [netfed[method, target] for method in ("auto", "algorithm 1")]
        shown = ["–" if seconds is None else f"{1e3 * seconds:.3g}" for seconds in own]
        print(f"| {target:g} | " + " | ".join(shown + [cell(*results[name], target) for name in results]) + " |")
    if absent:
        print(f"\nNot installed: {', '.join(absent)}.")


if __name__ == "__main__":
    main()
