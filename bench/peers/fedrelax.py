"""Figure 2 of FedRelax with trees, netfed beside scikit-learn: the whole experiment, five rounds of Algorithm 1 on 150 nodes.

    python fedrelax.py [--features D ...] [--alpha A ...] [--rounds R]

Three clusters of 50 nodes, edges with probability 0.8 inside and 0.2 between them, 10 points and 100 public points of each node, x ~ N(0, I), y = w_cluster . x, trees of
depth 5. Both get the same network and the same weights: own points 1, points of neighbors alpha, points labeled by the last tree 1, and zeros for labels in round 1. One thread
each. CPU seconds of scikit-learn: the rounds alone; of netfed: the whole process, median of three. Ties of splits are broken differently, so errors agree roughly.
"""

import argparse
import json
import os
import resource
import subprocess
import time

import numpy as np
from sklearn.tree import DecisionTreeRegressor

from programs import HERE, ONE_THREAD

NODES, CLUSTER, POINTS, PUBLIC, DEPTH = 150, 50, 10, 100, 5

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--features", type=int, nargs="+", default=[2, 10, 50])
parser.add_argument("--alpha", type=float, nargs="+", default=[0.001, 1.0])
parser.add_argument("--rounds", type=int, default=5)
options = parser.parse_args()


def network(d):
    """Neighbors of all nodes, and their points: own, public, for self-distillation, for validation."""
    random = np.random.default_rng(d)
    cluster = np.arange(NODES) // CLUSTER
    likely = np.where(cluster[:, None] == cluster, 0.8, 0.2)
    upper = np.triu(random.random((NODES, NODES)) < likely, 1)
    models = random.standard_normal((NODES // CLUSTER, d))[cluster]
    # As scikit-learn works with single precision, points have it from the beginning.
    draw = lambda count: random.standard_normal((NODES, count, d)).astype(np.float32).astype(float)
    own, public, held, new = draw(POINTS), draw(PUBLIC), draw(PUBLIC), draw(PUBLIC)
    label = lambda points: np.einsum("nkd,nd->nk", points, models)
    return upper, own, label(own), public, held, new, label(new)


def scikit_learn(alpha, upper, own, targets, public, held, new, new_targets):
    """Validation errors of all rounds. Round 0 trains every node alone."""
    fit = lambda *data: DecisionTreeRegressor(max_depth=DEPTH, random_state=0).fit(*data)
    trees = [fit(x, y) for x, y in zip(own, targets)]
    error = lambda: float(np.mean([(tree.predict(x) - y) ** 2 for tree, x, y in zip(trees, new, new_targets)]))
    neighbors = [np.flatnonzero(row) for row in upper | upper.T]
    points = [np.concatenate([own[i], *public[near], held[i]]) for i, near in enumerate(neighbors)]
    weights = [np.repeat([1.0, alpha, 1.0], [POINTS, PUBLIC * len(near), PUBLIC]) for near in neighbors]
    errors = [error()]
    for round in range(options.rounds):
        said = [np.zeros(PUBLIC) if round == 0 else tree.predict(x) for tree, x in zip(trees, public)]
        labels = [np.concatenate([targets[i], *(said[j] for j in near), trees[i].predict(held[i])]) for i, near in enumerate(neighbors)]
        trees = [fit(*data) for data in zip(points, labels, weights)]
        errors.append(error())
    return errors


def cpu(who):
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


def netfed(program, file):
    """Validation errors of all rounds, and CPU seconds."""
    seconds = []
    for _ in range(3):
        before = cpu(resource.RUSAGE_CHILDREN)
        output = subprocess.run([program, "fedrelax", file], check=True, capture_output=True, text=True, env=os.environ | ONE_THREAD).stdout
        seconds.append(cpu(resource.RUSAGE_CHILDREN) - before)
    return [float(line) for line in output.split()], sorted(seconds)[1]


def build():
    """netfed's benchmark, which runs the rounds."""
    command = ["cargo", "bench", "--quiet", "-p", "netfed", "--bench", "models", "--no-run", "--message-format", "json"]
    lines = subprocess.run(command, cwd=HERE.parents[1], check=True, capture_output=True, text=True).stdout.splitlines()
    return [program for line in lines if (program := json.loads(line).get("executable"))][-1]


program, work = build(), HERE / "work"
work.mkdir(exist_ok=True)
print(f"{NODES} nodes, {options.rounds} rounds, CPU seconds\n")
print("| d | α | scikit-learn | netfed | ratio | error at the end: scikit-learn | netfed | alone |\n| --- | --- | --- | --- | --- | --- | --- | --- |")
for d in options.features:
    data = network(d)
    edges = np.argwhere(data[0])
    for alpha in options.alpha:
        file = work / f"fedrelax_{d}.bin"
        sizes = [NODES, d, POINTS, PUBLIC, len(edges), options.rounds, DEPTH, alpha]
        np.concatenate([sizes, edges.ravel(), *(part.ravel() for part in data[1:])]).astype("<f8").tofile(file)
        ours, seconds = netfed(program, file)
        start = cpu(resource.RUSAGE_SELF)
        theirs = scikit_learn(alpha, *data)
        peer = cpu(resource.RUSAGE_SELF) - start
        print(f"| {d} | {alpha:g} | {peer:.1f} | {seconds:.2f} | {peer / seconds:.0f} | {theirs[-1]:.3f} | {ours[-1]:.3f} | {ours[0]:.3f} |", flush=True)
