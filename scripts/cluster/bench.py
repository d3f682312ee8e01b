#!/usr/bin/python3
"""Measures sign-ins on SQLite and on PostgreSQL, one node and two, beside durable inserts by pgbench, in one run on one machine.

    scripts/cluster/bench.py                    the rates; some ten minutes
    scripts/cluster/bench.py --accounts         what a sign-in costs in stores of 1000, 100000 and 10000000 accounts; about an hour, 15 GB

Needs a release build: swift build -c release --traits Tools. PostgreSQL runs as Debian configures it, with a quarter of the memory as
shared buffers, which its manual recommends (section 20.4), on the disk of the folder for temporary files, and ends with this program.
Nothing else may run; ratios are comparable between machines, rates are not.
"""
import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path

from postgres import Postgres
from workspace import Failure, end_on_signals

ROOT = Path(__file__).resolve().parents[2]
COMMAND = ROOT / ".build/release/thumbturn-trials"
BUFFERS = f"{os.sysconf('SC_PHYS_PAGES') * os.sysconf('SC_PAGE_SIZE') // 4 // 2**20}MB"
INSERT = "INSERT INTO inserts VALUES (uuid_send(gen_random_uuid()), 0);\n"


def say(text):
    print(text, file=sys.stderr, flush=True)


class Bench:
    def __init__(self, server, command):
        self.server, self.command = server, command
        self.environment = os.environ | {"PGPASSWORD": server.password, "THUMBTURN_DATABASE": server.socket_uri}

    def thumbturn(self, *arguments):
        say("thumbturn-trials bench " + " ".join(arguments))
        # Its progress goes where this program's goes.
        done = subprocess.run([self.command, "bench", *arguments, "--json"], env=self.environment, text=True, stdout=subprocess.PIPE)
        if done.returncode != 0:
            raise Failure(f"thumbturn-trials bench {' '.join(arguments)} did not work")
        return json.loads(done.stdout)

    def inserts(self, clients, seconds):
        """Durable inserts of one row per second, each a transaction of its own, as many at once as there are clients."""
        here = self.server.workspace
        here.sql(self.server.socket_uri, self.server.password, "drop table if exists inserts",
                 "create table inserts (id bytea primary key, at bigint)")
        script = here.write(self.server.folder / "insert.sql", INSERT)
        say(f"pgbench with {clients} clients")
        done = subprocess.run(
            [here.postgres / "pgbench", "-n", "-M", "prepared", "-f", script, "-c", str(clients), "-j", "1", "-T", str(seconds),
             self.server.socket_uri], env=self.environment, text=True, capture_output=True)
        found = re.search(r"tps = ([\d.]+)", done.stdout)
        if not found:
            raise Failure(f"pgbench: {done.stderr[-2000:]}")
        return float(found[1])

    def rates(self, seconds):
        inserts = {clients: self.inserts(clients, seconds) for clients in (1, 8, 64)}
        common = ["--seconds", str(seconds), "--rest", "0", "--runs", "3"]
        runs = [(name, self.thumbturn("sign-in", *common, *arguments)) for name, arguments in [
            ("SQLite", ["--store", "sqlite"]), ("PostgreSQL", ["--store", "postgres"]),
            ("PostgreSQL, two nodes", ["--store", "postgres", "--nodes", "2"])]]
        first = runs[0][1]["sign_ins_per_second"]
        print(f"{'':24}sign-ins/s  of SQLite's  P50 ms  P99 ms at half the rate  server µs each")
        for name, result in runs:
            rate = result["sign_ins_per_second"]
            print(f"{name:24}{rate:10.0f}  {rate / first:11.2f}  {result['p50_ms']:6.1f}  {result['p99_ms']:23.1f}  {result['server_us']:14.0f}")
        for clients, rate in inserts.items():
            print(f"{f'pgbench, {clients} clients':24}{rate:10.0f}  {rate / first:11.2f}  (durable inserts of one row)")

    def accounts(self, stores, sizes, seconds):
        for store in stores:
            result = self.thumbturn("accounts", "--store", store, "--sizes", sizes, "--seconds", str(seconds))
            for size in result["sizes"]:
                print(f"{store:10}{size['accounts']:12} accounts {size['sign_ins_per_second']:8.0f} sign-ins/s "
                      f"{size['cost_us']:8.0f} µs each  {size['ratio']:.2f} of the first", flush=True)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--accounts", action="store_true", help="the cost by the number of accounts instead of the rates")
    options.add_argument("--sizes", default="1000,100000,10000000", help="the numbers of accounts")
    options.add_argument("--stores", default="sqlite,postgres", help="the engines for --accounts")
    options.add_argument("--program", type=Path, default=COMMAND, help="the built command")
    options.add_argument("--seconds", type=int, default=10, help="the seconds of each measurement")
    options = options.parse_args()
    if not options.program.exists():
        raise Failure("there is no release build; run: swift build -c release --traits Tools")
    with Postgres() as server:
        server.create(shared_buffers=BUFFERS)
        bench = Bench(server, options.program)
        if options.accounts:
            bench.accounts(options.stores.split(","), options.sizes, options.seconds)
        else:
            bench.rates(options.seconds)


if __name__ == "__main__":
    end_on_signals()
    try:
        main()
    except Failure as failure:
        sys.exit(f"bench.py: {failure}")
