"""Weighted regression trees, netfed beside scikit-learn: one node's step of FedRelax in the experiments with trees.

    python trees.py [--points M] [--fits K] [--depth D]

Every fit has the same points and weights and new targets: netfed keeps the orders of the features between fits, scikit-learn begins anew. One thread each; least and
median of K fits. That both have found equally good trees is checked by their weighted squared errors on the training points; the trees themselves may differ where
splits tie.
"""

import argparse
import subprocess
import time

import numpy as np
from sklearn.tree import DecisionTreeRegressor

from programs import HERE

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--points", type=int, default=6000)
parser.add_argument("--fits", type=int, default=15)
parser.add_argument("--depth", type=int, default=5)
options = parser.parse_args()

work = HERE / "work"
work.mkdir(exist_ok=True)
print(f"{options.points} points, depth {options.depth}, milliseconds per fit: least (median) of {options.fits}\n")
print("| features | scikit-learn | netfed | ratio of least | netfed's error / scikit-learn's |\n| --- | --- | --- | --- | --- |")
for d in (2, 10, 50):
    random = np.random.default_rng(d)
    # As scikit-learn works with single precision, points have it from the beginning.
    X = random.standard_normal((options.points, d)).astype(np.float32).astype(float)
    Y = random.standard_normal((options.fits, d)) @ X.T
    weights = np.full(options.points, 5e-4)
    weights[:10] = 0.1
    file = work / f"trees_{d}.bin"
    np.concatenate([[options.points, d, options.fits, options.depth], X.ravel(), Y.ravel(), weights]).astype("<f8").tofile(file)
    seconds = []
    for y in Y:
        start = time.perf_counter()
        tree = DecisionTreeRegressor(max_depth=options.depth).fit(X, y, sample_weight=weights)
        seconds.append(time.perf_counter() - start)
    command = ["cargo", "bench", "--quiet", "-p", "netfed", "--bench", "models", "--", "weighted-tree", file]
    output = subprocess.run(command, cwd=HERE.parents[1], check=True, capture_output=True, text=True).stdout.split("\n")
    least, median = map(float, output[0].split())
    error = [np.average((found - Y[-1]) ** 2, weights=weights) for found in (np.array(output[1].split(), float), tree.predict(X))]
    peer = 1e3 * np.array(seconds)
    print(f"| {d} | {peer.min():.2f} ({np.median(peer):.2f}) | {least:.2f} ({median:.2f}) | {peer.min() / least:.0f} | {error[0] / error[1]:.4f} |")
