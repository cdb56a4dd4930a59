"""An instance of GTV minimization, read from a folder in netfed's formats, and its objective:

    P(w) = Σᵢ Lᵢ(wᵢ) + λ Σₑ Aₑ φ(w_tail − w_head)

Every accuracy in this comparison is (P(w) − P*)/P* with P evaluated here, whoever found w.
"""

import csv
import gzip
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse as sp

PENALTIES = ("l2", "l1", "squared")


@dataclass
class Instance:
    """Rows of `features` and `labels` are data points, sorted by node; `labels` is empty for the loss `mean`."""

    name: str
    loss: str
    lam: float
    optimum: dict
    nodes: int
    features: np.ndarray
    labels: np.ndarray
    point_node: np.ndarray
    tails: np.ndarray
    heads: np.ndarray
    weights: np.ndarray

    @classmethod
    def read(cls, folder):
        folder = Path(folder)
        facts = json.loads((folder / "optimum.json").read_text())
        number = {}

        def index(node):
            return number.setdefault(node, len(number))

        zipped = folder / "points.csv.gz"
        opened = gzip.open(zipped, "rt") if zipped.exists() else open(folder / "points.csv")
        with opened as file:
            rows = csv.reader(file)
            labeled = next(rows)[-1] == "y"
            points = [(index(row[0]), [float(cell) for cell in row[1:]]) for row in rows]
        with open(folder / "edges.csv") as file:
            rows = csv.reader(file)
            next(rows)
            edges = [(index(row[0]), index(row[1]), float(row[2])) for row in rows]
        points.sort(key=lambda point: point[0])
        values = np.array([value for _, value in points])
        return cls(
            name=folder.name,
            loss=facts["loss"],
            lam=facts["lambda"],
            optimum=facts["optimum"],
            nodes=len(number),
            features=values[:, :-1] if labeled else values,
            labels=values[:, -1] if labeled else np.empty(0),
            point_node=np.array([node for node, _ in points]),
            tails=np.array([edge[0] for edge in edges]),
            heads=np.array([edge[1] for edge in edges]),
            weights=np.array([edge[2] for edge in edges]),
        )

    @property
    def dim(self):
        return self.features.shape[1]

    def point_weights(self):
        """1/m of the node of each data point: Lᵢ is a mean."""
        return 1.0 / np.bincount(self.point_node, minlength=self.nodes)[self.point_node]

    def design(self):
        """The sparse matrix that takes all models, one after the other, to all predictions."""
        points, dim = self.features.shape
        columns = self.point_node[:, None] * dim + np.arange(dim)
        starts = np.arange(points + 1) * dim
        return sp.csr_array((self.features.ravel(), columns.ravel(), starts), shape=(points, self.nodes * dim))

    def differences(self):
        """The sparse matrix that takes all models to all differences over edges."""
        count = len(self.tails)
        rows = np.concatenate([np.arange(count), np.arange(count)])
        columns = np.concatenate([self.tails, self.heads])
        signs = np.concatenate([np.ones(count), -np.ones(count)])
        incidence = sp.csr_array((signs, (rows, columns)), shape=(count, self.nodes))
        return sp.csr_array(sp.kron(incidence, sp.eye_array(self.dim)))

    def objective(self, models, penalty):
        """P at `models`, one row per node."""
        at_points = models[self.point_node]
        if self.loss == "mean":
            losses = ((self.features - at_points) ** 2).sum(axis=1)
        else:
            predictions = (self.features * at_points).sum(axis=1)
            if self.loss == "squared":
                losses = (self.labels - predictions) ** 2
            elif self.loss == "logistic":
                losses = np.logaddexp(0.0, -self.labels * predictions)
            else:
                raise ValueError(f"{self.name}: unknown loss {self.loss}")
        jumps = models[self.tails] - models[self.heads]
        sizes = {
            "l2": lambda: np.linalg.norm(jumps, axis=1),
            "l1": lambda: np.abs(jumps).sum(axis=1),
            "squared": lambda: 0.5 * (jumps**2).sum(axis=1),
        }[penalty]()
        return self.point_weights() @ losses + self.lam * (self.weights @ sizes)

    def suboptimality(self, models, penalty):
        best = self.optimum[penalty]
        return (self.objective(models, penalty) - best) / best
