"""One cell of Figure 1 of "Heterogeneous Federated Learning on a Graph", netfed beside numpy: python cell.py [--runs R]

5 clusters, 20 parameters, 50 points per node, corruption 0.1. A replication is: λ by 5-fold cross-validation on the given graph, selection of edges by the Wald test, λ
again on the selected graph, and both fits. numpy computes all folds and nodes at once, in single precision for the folds, by ADMM with exact local steps:

- "plain ADMM": ρ = 2/(mean degree), rounds until the models change by less than 1e-3, all λ from the largest one down until two in a row are clearly worse.
- "netfed's steps": ρ, over-relaxation, tolerance and order of λ as in netfed (`squares.rs`, `tuning.rs`).

CPU time of one thread each; netfed's is that of the whole process, drawing the data and the other methods of the figure included. Draws differ, so do the errors, a little.
"""

import argparse
import os
import re
import resource
import subprocess
import time
from typing import NamedTuple

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np
from scipy import sparse
from scipy.stats import chi2

from programs import HERE

P, K, N, LEVEL, FOLDS, FINE = 20, 5, 50, 0.1, 5, 1e-5


class Way(NamedTuple):
    """ρ times the mean degree, over-relaxation, tolerance of the folds, and where the search of λ begins."""

    rho: float
    relaxation: float
    tolerance: float
    first: int


def draw(nodes, seed):
    random = np.random.default_rng(seed)
    cluster = np.repeat(np.arange(K), nodes // K)
    truth = (random.standard_normal((K, P)) / np.sqrt(P))[cluster]
    X = random.standard_normal((nodes, N, P))
    y = np.einsum("inp,ip->in", X, truth) + random.standard_normal((nodes, N))
    tail, head = np.triu_indices(nodes, 1)
    given = (cluster[tail] == cluster[head]) != (random.random(len(tail)) < LEVEL)
    return X, y, truth, tail[given], head[given]


class Admm:
    """Datasets that share a graph: H, b and the models have the axes dataset, node, …"""

    def __init__(self, H, b, tail, head, way, kind):
        nodes, edges = H.shape[1], len(tail)
        signs = np.concatenate([np.ones(edges), -np.ones(edges)])
        where = (np.tile(np.arange(edges), 2), np.concatenate([tail, head]))
        self.difference = sparse.csr_matrix((signs, where), shape=(edges, nodes), dtype=kind)
        self.back = self.difference.T.tocsr()
        degree = np.bincount(np.concatenate([tail, head]), minlength=nodes)
        self.rho, self.relaxation = way.rho / max(degree.mean(), 1), way.relaxation
        self.coupling = (self.rho * degree)[None, :, None].astype(kind)
        shifted = 2 * H + (self.rho * degree)[None, :, None, None] * np.eye(P)
        self.inverse = np.linalg.inv(shifted).astype(kind)
        self.b = (2 * b).astype(kind)
        self.start = (np.zeros(b.shape, kind), np.zeros((edges, b.shape[0] * P), kind))

    def run(self, state, scale, lam, tolerance):
        params, duals = state[0], state[1] * self.b.dtype.type(scale)
        sets, nodes, _ = params.shape
        flat = lambda a: a.transpose(1, 0, 2).reshape(nodes, sets * P)
        for _ in range(2000):
            pull = (self.back @ duals).reshape(nodes, sets, P).transpose(1, 0, 2)
            right = self.b + self.coupling * params - pull
            step = (self.inverse @ right[..., None])[..., 0] - params
            message = params + 2 * step
            params = params + self.relaxation * step
            moved, size = (step**2).sum((1, 2)), (params**2).sum((1, 2))
            if (moved <= tolerance**2 * size).all():
                break
            new = np.clip(duals + 0.5 * self.rho * (self.difference @ flat(message)), -lam, lam)
            duals += self.relaxation * (new - duals)
        return params, duals


def grid(nodes, edges):
    scale = 2 * np.sqrt(2 * np.log(P * max(edges, 1)) / N) / (1 + 2 * edges / nodes)
    return scale * 2.0 ** np.concatenate([2 - 0.5 * np.arange(13), [-5, -6]])


class Folds:
    def __init__(self, X, y):
        self.whole = self.moments(X, y)
        parts = [self.moments(X[:, f::FOLDS], y[:, f::FOLDS]) for f in range(FOLDS)]
        self.held_out = [np.stack(m) for m in zip(*parts)]
        self.training = [w[None] - h for w, h in zip(self.whole, self.held_out)]
        count = N - N // FOLDS
        self.H, self.b = self.training[0] / count, self.training[1] / count
        self.alone = self.error(np.linalg.solve(self.H, self.b[..., None])[..., 0])

    @staticmethod
    def moments(X, y):
        turned = X.transpose(0, 2, 1)
        return turned @ X, (turned @ y[..., None])[..., 0], (y * y).sum(1)

    def error(self, models):
        gram, cross, square = self.held_out
        along = (gram @ models[..., None])[..., 0]
        return float((square + ((along - 2 * cross) * models).sum(-1)).sum())

    def tune(self, tail, head, way):
        nodes = len(self.whole[0])
        method = Admm(self.H, self.b, tail, head, way, np.float32)
        lambdas = grid(nodes, len(tail))
        state, last, least, best = method.start, None, np.inf, 0.0
        for part in (lambdas[way.first :], lambdas[: way.first][::-1]):
            worse = 0
            for lam in part:
                state = method.run(state, 1.0 if last is None else lam / last, lam, way.tolerance)
                last, total = lam, self.error(state[0].astype(float))
                worse = worse + 1 if total > 1.001 * least else 0
                if total < least:
                    least, best = total, lam
                if worse == 2:
                    break
            if best < lambdas[way.first]:
                break
        H, b = self.whole[0] / N, self.whole[1] / N
        if self.alone < least:
            return np.linalg.solve(H, b[..., None])[..., 0]
        refit = Admm(H[None], b[None], tail, head, way, float)
        return refit.run(refit.start, 1.0, best, FINE)[0][0]


def replication(X, y, tail, head, way):
    folds = Folds(X, y)
    inverse = np.linalg.inv(folds.whole[0])
    models = (inverse @ folds.whole[1][..., None])[..., 0]
    apart = models[tail] - models[head]
    wald = (apart * np.linalg.solve(inverse[tail] + inverse[head], apart[..., None])[..., 0]).sum(1)
    kept = wald <= chi2.isf(0.05 / len(tail), P)
    return folds.tune(tail[kept], head[kept], way), folds.tune(tail, head, way)


def run_numpy(nodes, runs, way):
    seconds, errors = 0.0, []
    for seed in range(runs):
        X, y, truth, tail, head = draw(nodes, seed)
        start = time.process_time()
        found = replication(X, y, tail, head, way)
        seconds += time.process_time() - start
        errors.append([((f - truth) ** 2).sum() / nodes for f in found])
    return seconds / runs, np.mean(errors, 0)


def run_netfed():
    """The ignored test of `figures.rs`: 100 replications, |V| = 100."""
    build = ["cargo", "test", "--release", "-p", "netfed-papers", "--lib", "--no-run"]
    said = subprocess.run(build, cwd=HERE.parents[1], check=True, capture_output=True, text=True).stderr
    program = HERE.parents[1] / re.search(r"Executable .*\((.*)\)", said)[1]
    command = [program, "--ignored", "--nocapture", "hfl::figures::tests::one_cell"]
    times = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        environment = os.environ | {"RAYON_NUM_THREADS": "1"}
        said = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout
        times.append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before)
    errors = re.search(r"errors (.*)", said)[1].split()
    return min(times) / 100, [float(errors[1]), float(errors[2])]


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--runs", type=int, default=20, help="replications of numpy (default 20)")
options = parser.parse_args()
rows = [("netfed", *run_netfed())]
for name, way in [("numpy, plain ADMM", Way(2.0, 1.0, 1e-3, 0)), ("numpy, netfed's steps", Way(8.0, 1.7, 3e-3, 5))]:
    rows.append((name, *run_numpy(100, options.runs, way)))
print("|V| = 100, n = 50, corruption 0.1, one thread\n")
print("| | CPU ms per replication | times netfed | error of Fed-ADMM-ES | error of Fed-ADMM |\n| --- | --- | --- | --- | --- |")
for name, seconds, errors in rows:
    print(f"| {name} | {1e3 * seconds:.1f} | {seconds / rows[0][1]:.1f} | {errors[0]:.4f} | {errors[1]:.4f} |")
