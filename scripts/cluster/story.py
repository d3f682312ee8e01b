#!/usr/bin/python3
"""Signs devices in on a cluster while it breaks, and prints what the devices saw. scripts/run --cluster calls it.

    scripts/cluster/story.py FOLDER     with the folder of the programs thumbturn and thumbturn-server

Three nodes of the server run behind haproxy on three servers of PostgreSQL under Patroni, first with synchronous replication, then with
asynchronous. Exit status 1: an answered sign-in was lost, or a challenge was accepted twice.
"""
import base64
import contextlib
import json
import os
import secrets
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from cluster import Cluster, say
from workspace import Failure, end_on_signals, free_ports, wait_until


class Nodes:
    """The nodes of the server, behind haproxy."""

    def __init__(self, cluster, programs, replication):
        self.cluster, self.programs = cluster, Path(programs)
        self.environment = os.environ | {
            "THUMBTURN_DATABASE": cluster.connection.uri, "PGPASSWORD": cluster.connection.password,
            "THUMBTURN_MASTER_KEY": base64.urlsafe_b64encode(secrets.token_bytes(32)).decode().rstrip("="),
            "THUMBTURN_PASSWORD": "correct horse battery staple"}
        self.replication = ["--replication", replication]
        # Taken together: a port that is not listened on yet is free for anyone who asks.
        *self.ports, one, other = free_ports(5)
        cluster.front_ports, self.processes = [one, other], {}
        # haproxy is started before the nodes, because they have to know its address.
        self.url = cluster.front([f"127.0.0.1:{port}" for port in self.ports])[1]

    def server(self, *arguments):
        return [self.programs / "thumbturn-server", *arguments]

    def run(self, *arguments):
        done = subprocess.run(self.server(*arguments), env=self.environment, text=True, capture_output=True)
        if done.returncode:
            raise Failure(f"thumbturn-server {' '.join(arguments)}: {done.stderr}")

    def start(self, port):
        log = open(Path(self.cluster.workspace.path, f"node-{port}.log"), "a")
        self.processes[port] = subprocess.Popen(
            self.server("serve", "--listen", f"127.0.0.1:{port}", "--public-url", self.url, "--trusted-proxies", "1",
                        "--without-device-rate-for-measurement", *self.replication), env=self.environment, stdout=log, stderr=log)

    def stop(self):
        for process in self.processes.values():
            process.kill()
            process.wait()

    def load(self, account, seconds, epoch):
        self.run("accounts", "add", account)
        return subprocess.Popen(
            [self.programs / "thumbturn", "lab", "failover", "--server", self.url, "--account", account, "--seconds", str(seconds),
             "--json"] + ["--sessions-may-end"] * epoch,
            env=self.environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def play(nodes, what, seconds, break_it, mend, epoch=False):
    """Breaks something a few seconds after sign-ins have begun, and returns a row of the table."""
    say(f"{what} …")
    load = nodes.load("a" + secrets.token_hex(6), seconds, epoch)
    first = load.stderr.readline()  # The devices are enrolled.
    time.sleep(4)
    broken = break_it()
    output, errors = load.communicate()
    mend(broken)
    if not output:
        raise Failure(f"{what}: {first}{errors}")
    return what, json.loads(output), load.returncode


def nodes_are_ready(nodes):
    def ready(address):
        try:
            return urllib.request.urlopen(f"{address}/ready", timeout=2).status == 200
        except OSError:
            return False
    # The balancer finds a node ready a moment later than it is.
    addresses = [*(f"http://127.0.0.1:{port}" for port in nodes.ports), nodes.url]
    try:
        wait_until(lambda: all(map(ready, addresses)), "the start of the nodes", 60)
    except Failure as failure:
        logs = Path(nodes.cluster.workspace.path).glob("node-*.log")
        raise Failure("\n".join([str(failure), *(log.read_text()[-500:] for log in logs)]))


@contextlib.contextmanager
def running(programs, replicas, replication):
    with Cluster() as cluster:
        cluster.start(replicas=replicas, synchronous=replication == "synchronous")
        nodes = Nodes(cluster, programs, replication)
        try:
            for port in nodes.ports:
                nodes.start(port)
            nodes_are_ready(nodes)
            yield cluster, nodes
        finally:
            nodes.stop()


def play_synchronously(programs):
    with running(programs, 2, "synchronous") as (cluster, nodes):
        complete = lambda *_: cluster.wait_until_complete()

        def kill_node():
            nodes.processes[nodes.ports[0]].kill()
            nodes.processes[nodes.ports[0]].wait()

        def start_machine(name):
            cluster.start_again(name)
            complete()

        def cut():
            name = cluster.primary()
            cluster.cut_off(name)
            return name

        def heal(name):
            cluster.heal(name)
            complete()

        yield play(nodes, "nothing is broken", 10, lambda: None, complete)
        yield play(nodes, "a node of the server is killed", 12, kill_node, lambda _: nodes.start(nodes.ports[0]))
        yield play(nodes, "the primary is killed", 60, cluster.kill_primary, start_machine)
        if cluster.isolated:
            yield play(nodes, "the primary is cut off from the network", 75, cut, heal)
        yield play(nodes, "the synchronous replica is stopped", 30, cluster.stop_replica, start_machine)


def play_asynchronously(programs):
    with running(programs, 1, "asynchronous") as (cluster, nodes):
        yield play(nodes, "asynchronous: the primary is killed, and an epoch begins", 60, cluster.kill_primary, lambda _: None, epoch=True)


def main():
    end_on_signals()
    rows = [*play_synchronously(sys.argv[1]), *play_asynchronously(sys.argv[1])]
    print(f"{'':58}{'sign-ins':>9}{'lost':>6}{'twice':>7}{'refused':>9}{'broken':>8}{'longest wait':>14}")
    for what, seen, _ in rows:
        print(f"{what:58}{seen['signed_in']:9}{seen['lost']:6}{seen['accepted_twice']:7}{seen['refused']:9}{seen['unanswered']:8}"
              f"{seen['longest_interruption_s']:12.1f} s")
    if any(status for _, _, status in rows):
        sys.exit("A sign-in that was answered is gone, or a challenge was accepted twice.")


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(f"story.py: {failure}")
