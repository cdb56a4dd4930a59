"""One solver of CVXPY on one case, in a process of its own: python cvxpy_worker.py FOLDER PENALTY SOLVER TARGET

The problem is compiled once. Then the solver runs with ever smaller tolerances until the true relative suboptimality is at most the target.
That setting is repeated, and the least times count. Times are the solver's own, as CVXPY passes them on: "solve" is what it calls solve_time, "whole" adds
setup_time where the solver reports it apart (SCS, ECOS and QOCO do; solve_time of the others has it already); "call" is the CPU time of CVXPY's call of the
solver with the compiled problem, which has the conversion to the solver's own format as well. One line of JSON is printed per step, so that a process that is ended at its
time limit has said how far it came.
"""

import json
import sys
import time
import warnings

import cvxpy as cp
import numpy as np

from instances import Instance

LADDER = (1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10)

# Settings of each solver for a tolerance. OSQP's own last step (polishing) may help or not: both are tried.
SOLVERS = {
    "CLARABEL": lambda t: [dict(tol_gap_abs=t, tol_gap_rel=t, tol_feas=t, direct_solve_method="qdldl", max_threads=1)],
    "CLARABEL faer": lambda t: [dict(tol_gap_abs=t, tol_gap_rel=t, tol_feas=t, direct_solve_method="faer", max_threads=1)],
    "SCS": lambda t: [dict(eps_abs=t, eps_rel=t, max_iters=1_000_000)],
    "OSQP": lambda t: [dict(eps_abs=t, eps_rel=t, max_iter=1_000_000, polishing=polish) for polish in (False, True)],
    "ECOS": lambda t: [dict(abstol=t, reltol=t, feastol=t)],
    "QOCO": lambda t: [dict(abstol=t, reltol=t)],
    "PIQP": lambda t: [dict(eps_abs=t, eps_rel=t, eps_duality_gap_abs=t, eps_duality_gap_rel=t, compute_timings=True)],
}


def takes(solver, loss, penalty):
    """Whether the solver takes the cones that the problem needs."""
    if loss == "logistic":
        return solver in ("CLARABEL", "CLARABEL faer", "SCS", "ECOS")
    return penalty != "l2" or solver not in ("OSQP", "PIQP")


def formulate(instance, penalty):
    models = cp.Variable(instance.nodes * instance.dim)
    weights = instance.point_weights()
    if instance.loss == "mean":
        rows = np.repeat(np.sqrt(weights), instance.dim)
        columns = (instance.point_node[:, None] * instance.dim + np.arange(instance.dim)).ravel()
        loss = cp.sum_squares(cp.multiply(rows, models[columns] - instance.features.ravel()))
    elif instance.loss == "squared":
        root = np.sqrt(weights)
        loss = cp.sum_squares((instance.design() * root[:, None]).tocsr() @ models - root * instance.labels)
    else:
        margins = instance.design() * instance.labels[:, None]
        loss = weights @ cp.logistic(-(margins.tocsr() @ models))
    coupling = instance.lam * instance.weights
    differences = instance.differences()
    if penalty == "squared":
        root = np.sqrt(0.5 * np.repeat(coupling, instance.dim))
        jumps = cp.sum_squares((differences * root[:, None]).tocsr() @ models)
    elif penalty == "l1":
        jumps = np.repeat(coupling, instance.dim) @ cp.abs(differences @ models)
    else:
        jumps = coupling @ cp.norm(cp.reshape(differences @ models, (len(coupling), instance.dim), order="C"), 2, axis=1)
    return cp.Problem(cp.Minimize(loss + jumps)), models


def tell(**facts):
    print(json.dumps(facts), flush=True)


def main():
    folder, penalty, solver, target = sys.argv[1:]
    target = float(target)
    warnings.filterwarnings("ignore")
    instance = Instance.read(folder)
    problem, models = formulate(instance, penalty)
    began = time.process_time()
    data, chain, inverse = problem.get_problem_data(solver.split()[0], solver_opts={})
    tell(compile=time.process_time() - began)

    def run(settings):
        began = time.process_time()
        raw = chain.solve_via_data(problem, data, solver_opts=dict(settings))
        call = time.process_time() - began
        problem.unpack_results(raw, chain, inverse)
        found = np.asarray(models.value).reshape(instance.nodes, instance.dim)
        stats = problem.solver_stats
        clocks = {"solve": stats.solve_time, "whole": stats.solve_time + (stats.setup_time or 0.0), "call": call}
        return clocks, instance.suboptimality(found, penalty)

    reached = None
    for tolerance in LADDER:
        for settings in SOLVERS[solver](tolerance):
            try:
                clocks, accuracy = run(settings)
            except Exception as error:  # a solver that gives up says so in many ways
                tell(tolerance=tolerance, failed=f"{type(error).__name__}: {error}"[:200])
                continue
            tell(tolerance=tolerance, **clocks, accuracy=accuracy, reached=bool(accuracy <= target))
            if accuracy <= target and (reached is None or clocks["whole"] < reached[0]["whole"]):
                reached = (clocks, accuracy, tolerance, settings)
        if reached:
            break
    if not reached:
        return
    clocks, accuracy, tolerance, settings = reached
    began, runs = time.monotonic(), 1
    while runs < 3 or (runs < 50 and time.monotonic() - began < 1.0):
        again, _ = run(settings)
        clocks, runs = {clock: min(seconds, again[clock]) for clock, seconds in clocks.items()}, runs + 1
    tell(reached=True, **clocks, accuracy=accuracy, tolerance=tolerance, runs=runs)


if __name__ == "__main__":
    main()
