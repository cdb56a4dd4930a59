"""Chaos runs of real federations: processes are killed, stopped and started again, and the answer must still be right.

    python3 chaos.py --netfed ../../target/release/netfed --seeds 1-40

One line per run. A run follows from its seed, as far as processes and their timing allow. See README.md.
"""

import argparse
import concurrent.futures
import csv
import datetime
import json
import math
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request

MEMBERS = 12
PATIENCE = 1.0
LIMIT = 120.0  # Seconds to the end, once everyone is up.
STOP = ["--away", "stop", "--patience", str(PATIENCE)]
WAIT = ["--away", "wait", "--patience", str(PATIENCE)]
WITHOUT = ["--away", "without", "--patience", str(PATIENCE)]
# Method, policy, asynchronous, and what is done about a peer that stops: `again` starts it soon, `later` only after the chaos.
KINDS = [
    ("primal-dual", WAIT, False, None), ("primal-dual", WITHOUT, False, None), ("primal-dual", STOP, False, "again"), ("primal-dual", WAIT, True, None),
    ("admm", WAIT, False, None), ("primal-dual", WITHOUT, True, None), ("primal-dual", STOP, False, "later"), ("fed-admm", WAIT, False, None),
    ("admm", WITHOUT, False, None), ("fed-relax", WAIT, False, None), ("primal-dual", STOP, True, "again"), ("ppgl", WAIT, False, None),
    ("admm", WAIT, True, None), ("fed-admm", STOP, False, "later"), ("fed-relax", STOP, False, "again"), ("admm", WITHOUT, True, None),
]
MODELS = ["linear", "ridge", "tree depth=3", "nearest k=2"]
BAD_WORDS = ["panicked", "has lost its state", "about other duals", "no longer agree"]
ports_lock, ports_given = threading.Lock(), set()


class Failed(Exception):
    """An invariant that does not hold."""


def free_ports(count):
    """Ports below those that systems take for themselves, for UDP and TCP, which no other run of this process has."""
    found = []
    with ports_lock:
        while len(found) < count:
            port = random.randrange(10_000, 30_000)
            try:
                for kind in (socket.SOCK_DGRAM, socket.SOCK_STREAM):
                    with socket.socket(socket.AF_INET, kind) as s:
                        s.bind(("127.0.0.1", port))
            except OSError:
                continue
            if port not in ports_given:
                ports_given.add(port)
                found.append(port)
    return found


class Member:
    """One member and the process that it has now."""

    def __init__(self, run, name, metrics):
        self.run, self.name, self.metrics = run, name, metrics
        self.process, self.code, self.begun, self.paused = None, None, 0.0, False
        self.up_at, self.sample, self.busy = None, None, 0
        self.starts, self.stops, self.away, self.kept = 0, 0, [], []

    def start(self):
        with open(self.run.place / f"{self.name}.log", "a") as log:
            log.write(f"--- start at {self.run.now():.2f}\n")
            log.flush()
            command = [self.run.netfed, "peer", "--federation", f"fed/invitations/{self.name}", "--out", f"out-{self.name}", "--force",
                       "--metrics", f"127.0.0.1:{self.metrics}"]
            command += self.run.peer_flags(self.name)
            env = dict(os.environ, RUST_LOG=self.run.log)
            self.process = subprocess.Popen(command, cwd=self.run.place, stdout=subprocess.DEVNULL, stderr=log, stdin=subprocess.DEVNULL, env=env)
        self.begun, self.up_at, self.code, self.sample, self.busy, self.paused = self.run.now(), None, None, None, 0, False
        self.starts += 1

    def runs(self):
        return self.process is not None and self.code is None

    def reap(self):
        """Takes note of an end."""
        if self.runs() and (code := self.process.poll()) is not None:
            self.code = code
            self.run.say(f"{self.name} ends with {code}")
            return True
        return False

    def strike(self, kind, seconds):
        """Kills or pauses it; it is up again later."""
        if not self.runs() or self.paused:
            return
        now = self.run.now()
        self.run.say(f"{kind} {self.name} for {seconds:.2f} s")
        self.away.append((now, now + seconds))
        self.up_at = now + seconds
        if kind == "kill":
            self.process.kill()
            self.process.wait()
            self.process = None
        else:
            self.process.send_signal(signal.SIGSTOP)
            self.paused = True

    def rise(self):
        if self.up_at is None or self.run.now() < self.up_at:
            return
        self.up_at = None
        if self.paused:
            self.process.send_signal(signal.SIGCONT)
            self.paused, self.sample, self.busy = False, None, 0
        elif self.process is None:
            self.start()

    def look(self):
        """Compares CPU time, rounds and commits with those of a second ago."""
        if not self.runs() or self.paused or self.run.now() - self.begun < 3:
            return
        try:
            with open(f"/proc/{self.process.pid}/stat") as f:
                fields = f.read().rsplit(")", 1)[1].split()
            page = urllib.request.urlopen(f"http://127.0.0.1:{self.metrics}/metrics", timeout=1).read().decode()
        except OSError:
            self.sample = None
            return
        values = {line.split("{")[0]: float(line.rsplit(" ", 1)[1]) for line in page.splitlines() if line.startswith("netfed_")}
        cpu = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        new = (self.run.now(), cpu, values["netfed_rounds_total"], values["netfed_exchanges_total"], values["netfed_commits_total"])
        old, self.sample = self.sample, new
        if old is None:
            return
        time_passed, cpu, rounds, exchanges, commits = (a - b for a, b in zip(new, old))
        if rounds + exchanges == 0:
            self.kept.append(cpu / time_passed)
        self.busy = self.busy + 1 if rounds + exchanges == 0 and cpu > 0.3 * time_passed else 0
        if self.busy >= 3:
            self.run.problems.add(f"{self.name} is busy while nothing moves ({cpu / time_passed:.0%} of a core)")
        if commits > 25 * time_passed + 4 * (rounds + exchanges):
            self.run.problems.add(f"{self.name} commits {commits:.0f} times in {time_passed:.1f} s, {rounds:.0f} rounds and {exchanges:.0f} exchanges")


class Run:
    def __init__(self, seed, options):
        self.seed, self.chance = seed, random.Random(seed)
        self.netfed, self.log = options.netfed, options.log
        self.method, self.policy, self.asynchronous, self.stopped = KINDS[(seed - 1) % len(KINDS)]
        self.away = self.policy[1]
        self.lock_step = self.away != "without" and not self.asynchronous
        self.place = options.work / f"seed-{seed}"
        shutil.rmtree(self.place, ignore_errors=True)
        self.place.mkdir(parents=True)
        self.zero, self.problems, self.notes = time.monotonic(), set(), []
        self.members = {}
        self.held = None

    def now(self):
        return time.monotonic() - self.zero

    def say(self, text):
        with open(self.place / "chaos.log", "a") as f:
            f.write(f"{self.now():8.2f}  {text}\n")

    def call(self, *words, codes=(0, 3)):
        done = subprocess.run([self.netfed, *map(str, words)], cwd=self.place, capture_output=True, text=True, timeout=300)
        if done.returncode not in codes:
            raise RuntimeError(f"netfed {' '.join(map(str, words))}: {done.returncode} {done.stderr}")
        return done.stdout

    def json(self, path):
        return json.loads((self.place / path).read_text())

    def rows(self, path):
        """A table without its header, in the order of the first column."""
        with open(self.place / path) as f:
            return sorted(list(csv.reader(f))[1:])

    # The problem.

    def write_problem(self):
        chance = self.chance
        self.names = [f"m{i:02}" for i in range(MEMBERS)]
        self.nodes = self.names[1:] if self.method == "ppgl" else self.names
        self.dim = 5 if self.method == "ppgl" else chance.choice([2, 3])
        ring = chance.sample(self.names, MEMBERS)
        edges = {tuple(sorted((a, b))) for a, b in zip(ring, ring[1:] + ring[:1])}
        for _ in range(chance.randrange(1, 7)):
            edges.add(tuple(sorted(chance.sample(self.names, 2))))
        if self.method == "ppgl":
            edges = {(self.names[0], n) for n in self.nodes}
        self.edges = [(a, b, chance.choice([0.5, 1.0, 2.0])) for a, b in sorted(edges)]
        self.neighbors = {n: [b if a == n else a for a, b, _ in self.edges if n in (a, b)] for n in self.names}
        truth = [[chance.gauss(0, 2) for _ in range(self.dim)] for _ in range(3)]
        place = {n: k for k, n in enumerate(ring)}
        self.points = {}
        for n in self.nodes:
            model = truth[place[n] * 3 // MEMBERS]
            xs = [[chance.gauss(0, 1) for _ in range(self.dim)] for _ in range(chance.randrange(6, 21))]
            self.points[n] = [(x, sum(map(lambda a, b: a * b, x, model)) + chance.gauss(0, 0.3)) for x in xs]
        self.features = [f"x{k}" for k in range(self.dim)]
        ppgl = self.method == "ppgl"
        header = self.features + ([] if ppgl else ["y"])
        for n, points in self.points.items():
            lines = [",".join(map(repr, x if ppgl else [*x, y])) for x, y in points]
            (self.place / f"{n}.csv").write_text("\n".join([",".join(header), *lines]) + "\n")
        lines = [f"{n},{','.join(map(repr, [*x, y]))}" for n, points in self.points.items() for x, y in points]
        (self.place / "points.csv").write_text("\n".join(["node," + ",".join(self.features) + ",y", *lines]) + "\n")
        (self.place / "edges.csv").write_text("source,target,weight\n" + "".join(f"{a},{b},{w}\n" for a, b, w in self.edges))
        public = [",".join(repr(chance.gauss(0, 1)) for _ in self.features) for _ in range(15)]
        (self.place / "public.csv").write_text("\n".join([",".join(self.features), *public]) + "\n")
        self.model_of = {n: chance.choice(MODELS) for n in self.names}
        split = lambda text: text.replace(" ", ",", 1) if " " in text else text + ","
        (self.place / "models.csv").write_text("node,model,options\n" + "".join(f"{n},{split(m)}\n" for n, m in self.model_of.items()))

    def choose(self):
        """The settings of the method, such that a run lasts; and the answer of one process."""
        chance, fit = self.chance, ["fit", "--data", "points.csv", "--graph", "edges.csv", "--force", "--quiet"]
        seed = ["--seed", self.seed]
        if self.method == "ppgl":
            self.rounds = 20_000
            self.settings = ["--beta", 0.1, "--nu", 4, "--lambda", 0.1]
            files = [f"{n}.csv" for n in self.nodes]
            self.call("graph", "learn", "--silos", *files, "--method", "algorithm1", *self.settings, "--rounds", self.rounds, "--out", "alone", "--quiet")
            self.settings += ["--server", self.names[0], "--max-iter", self.rounds]
            return
        if self.method == "fed-relax":
            self.rounds = 1500
            relax = ["--public", "public.csv", "--models", "models.csv", "--alpha", 0.3, "--rounds", self.rounds, "--hold-out", 0]
            self.call("relax", "--data", "points.csv", "--graph", "edges.csv", *relax, "--out", "alone", "--quiet")
            # One process ends once nothing moves any more, a federation goes on.
            self.settled = self.json("alone/summary.json")["status"] == "settled"
            self.settings = ["--lambda", 0.3, "--public", "public.csv", "--max-iter", self.rounds]
            return
        self.penalty = chance.choice(["l2", "l2", "l1"])
        more = ["--penalty", self.penalty]
        if self.method == "fed-admm" or (self.lock_step and chance.random() < 0.4):
            self.rounds, self.tolerance, self.weight = 3000, 0, chance.choice([0.05, 0.2])
            end = ["--tol", 0, "--max-iter", self.rounds]
            if self.method == "fed-admm":
                more += ["--rho", 0.5, "--kappa", 1, "--batch-size", 3, "--availability", 0.7, *seed]
            elif self.method == "admm":
                more += ["--rho", 0.5]
        else:
            # Of some settings those whose run has about so many rounds.
            wanted, best = (3000 if self.lock_step else 1000), None
            for weight in [0.03, 0.1, 0.3, 0.5, 0.8]:
                for rho in [0.003, 0.02, 0.5] if self.method == "admm" else [None]:
                    own = ["--lambda", weight] + (["--rho", rho] if rho else [])
                    self.call(*fit, "--solver", self.method, *more, *own, "--tol", 1e-9, "--max-iter", 12_000, "--out", "tried")
                    tried = self.json("tried/summary.json")
                    if tried["status"] == "converged":
                        far = abs(math.log(tried["iterations"] / wanted))
                        best = min(best or (far, weight, rho), (far, weight, rho), key=lambda b: b[0])
            _, self.weight, rho = best
            self.rounds, self.tolerance, end = None, 1e-9, ["--tol", 1e-9]
            more += ["--rho", rho] if rho else []
        self.settings = ["--lambda", self.weight, *more, *end]
        self.call(*fit, "--solver", self.method, *self.settings, "--out", "alone")
        self.rounds = self.json("alone/summary.json")["iterations"]
        self.call(*fit, "--lambda", self.weight, "--penalty", self.penalty, "--tol", 1e-10, "--out", "best")

    def objective(self, models):
        total = 0.0
        for n, points in self.points.items():
            total += sum((sum(a * b for a, b in zip(x, models[n])) - y) ** 2 for x, y in points) / len(points)
        for a, b, w in self.edges:
            v = [s - t for s, t in zip(models[a], models[b])]
            total += self.weight * w * (math.hypot(*v) if self.penalty == "l2" else sum(map(abs, v)))
        return total

    def peer_flags(self, name):
        flags = ["--data", f"{name}.csv"] if name in self.points else []
        return flags + (["--model", self.model_of[name]] if self.method == "fed-relax" else [])

    def invite(self):
        ports = free_ports(2 * MEMBERS)
        lines = [f"{n},quic/127.0.0.1:{p}\n" for n, p in zip(self.names, ports)]
        (self.place / "members.csv").write_text("node,endpoint\n" + "".join(lines))
        self.members = {n: Member(self, n, p) for n, p in zip(self.names, ports[MEMBERS:])}
        steps = ["--async", self.chance.choice([1, 3, 8])] if self.asynchronous else []
        graph = [] if self.method == "ppgl" else ["--graph", "edges.csv"]
        self.call("federation", "init", "--solver", self.method, *graph, "--features", ",".join(self.features), *self.settings, *self.policy, *steps,
                  "--members", "members.csv", "--out", "fed", codes=(0,))
        self.call("federation", "invite", "--all", "--federation", "fed", codes=(0,))

    # The chaos.

    def plan(self):
        """What happens when: (time, kind, member, seconds)."""
        chance, events, at = self.chance, [], 0.3
        if self.away == "wait" and self.lock_step:
            # First one member stands still for long, and the others are asked whom they wait for.
            self.held = chance.choice(self.names)
            events += [(1.5, "pause", self.held, 8.5), (7.0, "ask", self.held, 0.0)]
            at = 10.5
        end = at + chance.uniform(10, 14)
        absence = lambda: 0.1 * 50 ** chance.random()
        while (at := at + chance.expovariate(1 / 0.8)) < end:
            kind = "kill" if chance.random() < 0.7 else "pause"
            for name in chance.sample(self.names, chance.choice([1, 1, 1, 1, 2, 4])):
                seconds = absence()
                events.append((at, kind, name, seconds))
                if kind == "kill" and chance.random() < 0.25:
                    # Killed again while it starts.
                    events.append((at + seconds + chance.uniform(0.02, 0.8), "kill", name, absence()))
        return sorted(events)

    def ask(self, held):
        """All others must say that they wait for the member that stands still."""
        status = json.loads(self.call("federation", "status", "--federation", "fed", "--json"))
        self.say(f"status {json.dumps(status)}")
        silent = [n for n, s in status.items() if n != held and (s is None or held not in (s.get("waiting_for") or ""))]
        over = [n for n, s in status.items() if s and s["finished"]]
        if silent and not over:
            self.problems.add(f"status does not say that {', '.join(silent)} wait for {held}")

    def drive(self, events, again, until):
        """Lets things happen until all have ended; gives the time at which the last one was up."""
        events, up, looked = list(events), self.now(), 0.0
        begin = up
        while True:
            now = self.now()
            while events and events[0][0] <= now - begin:
                _, kind, name, seconds = events.pop(0)
                if not any(m.runs() for m in self.members.values()):
                    continue
                self.ask(name) if kind == "ask" else self.members[name].strike(kind, seconds)
            for m in self.members.values():
                if m.up_at is not None and now >= m.up_at:
                    m.rise()
                    up = self.now()
                if m.reap() and m.code == 3 and self.away == "stop":
                    m.stops += 1
                    self.check_stop(m)
                    if again:
                        m.up_at, m.process = self.now() + 0.2, None
            live = [m for m in self.members.values() if m.runs() or m.up_at is not None]
            if not live:
                return up
            if events:
                up = now
            elif now - up > until and not all(m.up_at for m in live) or now - begin > 400:
                names = ", ".join(m.name for m in live)
                self.say("status " + self.call("federation", "status", "--federation", "fed", "--json"))
                raise Failed(f"no end {until:.0f} s after everyone was up: {names}")
            if now - looked >= 1:
                looked = now
                for m in self.members.values():
                    m.look()
            time.sleep(0.01)

    def check_stop(self, member):
        last = (self.place / f"{member.name}.log").read_text().splitlines()[-1]
        if "has been away" not in last:
            self.problems.add(f"{member.name} stops without a reason: {last}")

    # The judgment.

    def judge_models(self):
        if self.method == "ppgl":
            for n in self.names:
                alone = "consensus" if n == self.names[0] else n
                if (self.place / f"out-{n}/graph.csv").read_text() != (self.place / f"alone/{alone}.csv").read_text():
                    raise Failed(f"{n} has another graph than one process")
        elif self.method == "fed-relax":
            for n in self.names:
                predict = lambda run: self.call("predict", "--run", run, "--data", "own.csv", "--out", "predictions.csv", "--force")
                rows = [f"{n},{','.join(map(repr, x))}" for x, _ in self.points[n]]
                (self.place / "own.csv").write_text("\n".join(["node," + ",".join(self.features), *rows]) + "\n")
                found = []
                for run in ("alone", f"out-{n}"):
                    predict(run)
                    found.append((self.place / "predictions.csv").read_text())
                if self.settled:
                    values = [[float(line.rsplit(",", 1)[1]) for line in text.splitlines()[1:]] for text in found]
                    if any(abs(a - b) > 1e-6 * max(1.0, abs(a)) for a, b in zip(*values, strict=True)):
                        raise Failed(f"{n} predicts otherwise than where one process has settled")
                elif found[0] != found[1]:
                    raise Failed(f"{n} predicts otherwise than in one process")
        else:
            found = sorted(row for n in self.names for row in self.rows(f"out-{n}/parameters.csv"))
            models = lambda rows: {row[0]: list(map(float, row[1:])) for row in rows}
            summaries = [self.json(f"out-{n}/summary.json") for n in self.names]
            best = self.json("best/summary.json")["objective"]
            check = self.objective(models(self.rows("best/parameters.csv")))
            assert abs(check - best) <= 1e-9 * best, (check, best)
            over = self.objective(models(found)) / best - 1
            if self.lock_step:
                if {s["rounds"] for s in summaries} != {self.rounds}:
                    raise Failed(f"{sorted({s['rounds'] for s in summaries})} rounds instead of {self.rounds}")
                if found != self.rows("alone/parameters.csv"):
                    raise Failed("other bits than in one process")
            elif not -1e-9 <= over <= 1e-6:
                raise Failed(f"the objective is {over:.1e} above the optimum")
            if self.tolerance and {s["status"] for s in summaries} != {"converged"}:
                raise Failed(f"status {sorted({s['status'] for s in summaries})}")
            self.notes.append(f"{summaries[0]['rounds']} rounds" + ("" if self.lock_step else f", {over:.0e} above the optimum"))

    def finished_at(self, name):
        """When a member first said that it has finished: from then on it goes on without nobody."""
        for line in (self.place / f"{name}.log").read_text().splitlines():
            if "finished; serving" in line:
                return datetime.datetime.fromisoformat(line.split()[0]).timestamp() - self.clock_at_zero
        return math.inf

    def judge_without(self):
        """Whoever has seen a neighbor away for long says so."""
        said = {n: self.json(f"out-{n}/summary.json")["without_seconds"] for n in self.names}
        over = {n: self.finished_at(n) for n in self.names}
        for n, m in self.members.items():
            for begin, end in m.away:
                seconds = end - begin - PATIENCE
                for k in self.neighbors[n]:
                    other = self.members[k]
                    there = all(b > end + 1 or e < begin - 1 for b, e in other.away) and other.first < begin - 1
                    there = there and over[k] > end
                    if seconds > 1.5 and there and said[k].get(n, 0.0) < seconds - 1.0:
                        self.problems.add(f"{k} was without {n} for {seconds:.1f} s and says {said[k].get(n, 0.0):.1f}")
        longest = max((s for of in said.values() for s in of.values()), default=0.0)
        self.notes.append(f"without for up to {longest:.1f} s")

    def judge_logs(self):
        most = (0, "")
        for n in self.names:
            text = (self.place / f"{n}.log").read_text()
            most = max(most, (len(text), n))
            for words in BAD_WORDS:
                if words in text:
                    self.problems.add(f"the log of {n} says \"{words}\"")
        if self.log == "info,zenoh=error" and most[0] > 300_000:
            self.problems.add(f"the log of {most[1]} has {most[0]} bytes")
        self.notes.append(f"logs up to {most[0] // 1000} kB")

    def go(self):
        self.write_problem()
        self.choose()
        self.invite()
        self.zero, self.clock_at_zero = time.monotonic(), time.time()
        for m in self.members.values():
            m.start()
            m.first = self.now()
        up = self.drive(self.plan(), self.stopped == "again", LIMIT)
        if self.stopped == "later":
            status = self.call("federation", "status", "--federation", "fed", "--once")
            self.notes.append(f"{sum(m.code == 3 for m in self.members.values())} stopped, the last after {self.now() - up:.1f} s")
            if any("no answer" not in line for line in status.splitlines() if line.strip().startswith("m") and line.strip()[1:3].isdigit()):
                self.problems.add("status answers for a member that has stopped")
            for m in self.members.values():
                m.start()
            up = self.drive([], True, LIMIT)
        self.after = self.now() - up
        wrong = {n: m.code for n, m in self.members.items() if m.code != 0}
        if wrong:
            raise Failed(f"exit status {wrong}")
        self.judge_models()
        if self.away == "without":
            self.judge_without()

    def line(self):
        self.after, why = math.nan, None
        try:
            self.go()
        except Failed as failure:
            why = str(failure)
        except Exception as failure:  # The script itself, or a command that does not work.
            why = f"{type(failure).__name__}: {failure}"
        finally:
            for m in self.members.values():
                if m.runs():
                    m.process.kill()
                    m.process.wait()
        if self.members and all((self.place / f"{n}.log").exists() for n in self.names):
            self.judge_logs()
        idle = [share for m in self.members.values() for share in m.kept]
        if idle:
            self.notes.append(f"CPU when idle {sum(idle) / len(idle):.1%}, at most {max(idle):.0%}")
        whys = ([why] if why else []) + sorted(self.problems)
        kills, stops = sum(len(m.away) for m in self.members.values()), sum(m.stops for m in self.members.values())
        pace = "asynchronous" if self.asynchronous else "lock step" if self.lock_step else "not in lock step"
        what = f"{self.method}, {self.away}{' (' + self.stopped + ')' if self.stopped else ''}, {pace}"
        happened = f"{kills} strikes" + (f", {stops} stops" if self.away == "stop" else "")
        verdict = "FAIL: " + "; ".join(whys) if whys else "pass"
        return not whys, f"seed {self.seed:4} | {what} | {happened} | {self.after:.1f} s | {verdict} | {'; '.join(self.notes)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--netfed", default="netfed", help="the binary")
    parser.add_argument("--seeds", default="1-40", help="one seed, or FIRST-LAST")
    parser.add_argument("--jobs", type=int, default=1, help="runs at once")
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("chaos-runs"), help="folder for runs; those that fail are kept")
    parser.add_argument("--log", default="info,zenoh=error", help="RUST_LOG of the peers")
    parser.add_argument("--keep", action="store_true", help="keep the folders of all runs")
    options = parser.parse_args()
    options.work = options.work.resolve()
    options.netfed = str(pathlib.Path(options.netfed).resolve()) if os.sep in options.netfed else options.netfed
    first, _, last = options.seeds.partition("-")
    failed = 0

    def one(seed):
        run = Run(seed, options)
        good, line = run.line()
        (run.place / "result.txt").write_text(line + "\n")
        if good and not options.keep:
            shutil.rmtree(run.place)
        return good, line

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        runs = [pool.submit(one, seed) for seed in range(int(first), int(last or first) + 1)]
        for done in concurrent.futures.as_completed(runs):
            good, line = done.result()
            failed += not good
            print(line, flush=True)
    print(f"{len(runs)} runs, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
