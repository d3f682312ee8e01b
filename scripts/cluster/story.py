#!/usr/bin/python3
"""Signs devices in on a cluster while it breaks, and prints what the devices saw. scripts/run --cluster calls it.

    scripts/cluster/story.py FOLDER     with the folder of the programs thumbturn-trials, thumbturn-server and TrialServer

Three nodes of the server run behind haproxy, which sends each request to one at random, on three servers of PostgreSQL under Patroni,
first with synchronous replication, then with asynchronous, where a replica is promoted that lacks commits. Exit status 1: an answered
sign-in was lost, or known late where a node has no reason to, a challenge was accepted twice, an epoch began or did not begin as it
should, or sign-ins did not come back in time. What a row lacks is printed below the table.

As an ordinary user no machine can be cut off, so those rows are left out, unless THUMBTURN_REQUIRE contains `cluster`.
"""
import base64
import contextlib
import dataclasses
import json
import os
import secrets
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from cluster import Cluster, has_namespaces, say
from workspace import Failure, end_on_signals, wait_until

PORT = 28080  # Of the server, on each of its machines.


class Nodes:
    """The nodes of the server behind haproxy, each on a machine of its own: node1, node2 and node3."""

    def __init__(self, cluster, programs, replication):
        self.cluster, self.programs = cluster, Path(programs).resolve()
        self.settings = {
            "THUMBTURN_DATABASE": cluster.connection.uri, "PGPASSWORD": cluster.connection.password,
            "THUMBTURN_MASTER_KEY": base64.urlsafe_b64encode(secrets.token_bytes(32)).decode().rstrip("="),
            "THUMBTURN_PASSWORD": "correct horse battery staple"}
        self.environment = os.environ | self.settings
        self.replication = ["--replication", replication]
        self.machines = {name: cluster.add(name) for name in ("node1", "node2", "node3")}
        # haproxy is started before the nodes, because they have to know its address.
        self.url = cluster.front([f"{machine.address}:{PORT}" for machine in self.machines.values()])[1]

    def server(self, *arguments):
        return [self.programs / "thumbturn-server", *arguments]

    def run(self, *arguments):
        done = subprocess.run(self.server(*arguments), env=self.environment, text=True, capture_output=True)
        if done.returncode:
            raise Failure(f"thumbturn-server {' '.join(arguments)}: {done.stderr}")

    def start(self, name):
        machine = self.machines[name]
        # thumbturn-server would let a device sign in 120 times in a minute.
        serve = [self.programs / "TrialServer", "--listen", f"{machine.address}:{PORT}", "--public-url", self.url,
                 "--data", machine.folder / "data",
                 "--trusted-proxies", "1", *self.replication]
        machine.processes["server"] = self.cluster.workspace.start(
            machine.folder / "server.log", *self.cluster.on(machine, *serve), environment=self.settings)

    def sql(self, statement):
        """Asks the primary's database."""
        return self.cluster.workspace.sql(self.cluster.connection.uri, self.cluster.connection.password, statement)

    def epoch_and_place(self):
        """The epoch, and the database with its timeline, which is another one after a promotion."""
        return self.sql("select epoch, place from thumbturn.node").split("|")

    def load(self, account, seconds, epoch):
        self.run("accounts", "add", account)
        return subprocess.Popen(
            [self.programs / "thumbturn-trials", "failover", "--server", self.url, "--account", account, "--seconds", str(seconds),
             "--json"] + ["--sessions-may-end"] * epoch,
            env=self.environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def wait_until_ready(self):
        straight = urllib.request.build_opener(urllib.request.ProxyHandler({}))

        def ready(address):
            try:
                return straight.open(f"{address}/ready", timeout=2).status == 200
            except OSError:
                return False
        # The balancer finds a node ready a moment later than it is.
        addresses = [*(f"http://{machine.address}:{PORT}" for machine in self.machines.values()), self.url]
        try:
            wait_until(lambda: all(map(ready, addresses)), "the start of the nodes", 60)
        except Failure as failure:
            logs = (Path(machine.folder, "server.log") for machine in self.machines.values())
            raise Failure("\n".join([str(failure), *(log.read_text()[-500:] for log in logs)]))


@dataclasses.dataclass
class Row:
    what: str
    seen: dict = None
    wrong: list = ()  # What it demands and did not see.
    left_out: str = None  # Why.


def play(nodes, what, seconds, break_it, mend, within, fails_over=False, epoch=False, may_be_late=False):
    """Breaks something a few seconds after sign-ins have begun, and returns a row of the table.

    `mend` may return what else is wrong. With `fails_over`, a replica has to be promoted; with `epoch`, an epoch has to begin. With
    `may_be_late`, a node need not know for some seconds what was signed in at another one.
    """
    say(f"{what} …")
    epoch_before, place_before = nodes.epoch_and_place()
    with nodes.load("a" + secrets.token_hex(6), seconds, epoch) as load:
        first = load.stderr.readline()  # The devices are enrolled.
        time.sleep(4)
        broken = break_it()
        output, errors = load.communicate()
    complaint = mend(broken)
    nodes.wait_until_ready()
    if not output:
        raise Failure(f"{what}: {first}{errors}")
    seen = json.loads(output)
    epoch_after, place_after = nodes.epoch_and_place()
    seen["epoch"] = epoch_after != epoch_before
    holds = {
        "a challenge was accepted twice": seen["accepted_twice"] == 0,
        "answered sign-ins are gone": epoch or seen["lost"] == 0,
        "a node did not know what was signed in at another one": may_be_late or seen["known_late"] == 0,
        "no sign-in was looked up": seen["looked_up"] > 0,
        "an epoch began": epoch or not seen["epoch"],
        "no epoch began": not epoch or seen["epoch"],
        "all sign-ins from before the epoch were accepted after it": not epoch or seen["lost"] > 0,
        "no replica was promoted": not fails_over or place_after != place_before,
        "no device was interrupted": not fails_over or seen["interruptions"] > 0,
        f"no device signed in for more than {within} s": seen["longest_interruption_s"] <= within,
    }
    return Row(what, seen, [*(sentence for sentence, is_right in holds.items() if not is_right), *([complaint] if complaint else [])])


@contextlib.contextmanager
def running(programs, replicas, replication):
    with Cluster() as cluster:
        cluster.start(replicas=replicas, synchronous=replication == "synchronous")
        nodes = Nodes(cluster, programs, replication)
        for name in nodes.machines:
            nodes.start(name)
        nodes.wait_until_ready()
        yield cluster, nodes


def play_synchronously(programs):
    with running(programs, 2, "synchronous") as (cluster, nodes):
        complete = lambda *_: cluster.wait_until_complete()

        def freeze_node():
            # It may have the writers' lock.
            cluster.pause("node2")
            time.sleep(15)
            cluster.resume("node2")

        def start_machine(name):
            cluster.start_again(name)
            complete()

        def play_cut(what, choose, seconds, **demands):
            def cut():
                name = choose()
                cluster.cut_off(name)
                return name

            def heal(name):
                cluster.heal(name)
                complete()

            if not cluster.isolated:
                return Row(what, left_out="it needs network namespaces, thus root")
            return play(nodes, what, seconds, cut, heal, **demands)

        def end_and_start_machine(name):
            # The former primary takes writes until it ends, so nothing is asked of the database before.
            cluster.kill(name)
            start_machine(name)

        yield play(nodes, "nothing is broken", 10, lambda: None, complete, within=5)
        yield play(nodes, "a node of the server is killed", 15, lambda: cluster.kill("node1"), lambda _: nodes.start("node1"), within=10)
        yield play(nodes, "a node of the server freezes", 35, freeze_node, complete, within=25)
        yield play_cut("a node of the server is cut off from the network", lambda: "node3", 35, within=25)
        yield play(nodes, "the primary is killed", 60, cluster.kill_primary, start_machine, within=45, fails_over=True)
        yield play(nodes, "Patroni's process is killed, and PostgreSQL runs on", 75, cluster.kill_patroni, end_and_start_machine, within=60,
                   fails_over=True, may_be_late=True)
        yield play_cut("the primary is cut off from the network", cluster.primary, 75, within=60, fails_over=True)
        yield play(nodes, "the synchronous replica is stopped", 30, cluster.stop_replica, start_machine, within=20)


def play_asynchronously(programs):
    with running(programs, 1, "asynchronous") as (cluster, nodes):
        def kill_before_its_replica_has_all():
            cluster.stop_sending()
            time.sleep(2)
            # The challenge of one of the last sign-ins. A second later it was answered.
            newest = nodes.sql("select encode(id, 'hex') from thumbturn.spent where use = 1 order by expires_at desc limit 1")
            time.sleep(1)
            cluster.kill_primary()
            return newest

        def look_for(challenge):
            found = nodes.sql(f"select count(*) from thumbturn.spent where use = 1 and id = decode('{challenge}', 'hex')")
            return None if challenge and found == "0" else "the replica had all commits, so nothing was tried"

        yield play(nodes, "asynchronous: the primary is killed, its replica lacks commits", 60, kill_before_its_replica_has_all, look_for,
                   within=45, fails_over=True, epoch=True)


def show(rows):
    width = max(len(row.what) for row in rows) + 2
    print(f"{'':{width}}{'sign-ins':>8}{'used again':>12}{'late':>6}{'lost':>6}{'twice':>7}{'refused':>9}{'broken':>8}{'epoch':>7}"
          f"{'longest wait':>14}")
    for row in rows:
        if row.left_out:
            print(f"{row.what:{width}}left out: {row.left_out}")
            continue
        seen = row.seen
        print(f"{row.what:{width}}{seen['signed_in']:8}{seen['looked_up']:12}{seen['known_late']:6}{seen['lost']:6}"
              f"{seen['accepted_twice']:7}{seen['refused']:9}"
              f"{seen['unanswered']:8}{'began' if seen['epoch'] else '-':>7}{seen['longest_interruption_s']:12.1f} s")


def main():
    end_on_signals()
    if not has_namespaces() and (os.geteuid() == 0 or "cluster" in os.environ.get("THUMBTURN_REQUIRE", "").split(",")):
        raise Failure("no network namespace can be made, so rows would be left out: run it as root of a machine or of a container with "
                      "CAP_SYS_ADMIN, or as an ordinary user with THUMBTURN_REQUIRE not containing cluster")
    rows = []
    try:
        for play_all in (play_synchronously, play_asynchronously):
            rows.extend(play_all(sys.argv[1]))
    finally:
        if rows:
            show(rows)
    wrong = [f"{row.what}: {sentence}." for row in rows for sentence in row.wrong]
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(f"story.py: {failure}")
