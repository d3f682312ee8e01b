#!/usr/bin/python3
"""Starts a PostgreSQL cluster with automatic failover on this machine: etcd, Patroni with PostgreSQL, and haproxy.

    scripts/cluster/cluster.py try      start it, break it in several ways, print how long each recovery took, and stop it
    scripts/cluster/cluster.py start    start it and print how to connect; Ctrl-C stops it
    scripts/cluster/cluster.py serve    start it and obey lines on standard input until it closes, one answer line each:
                                        primary, members, kill-primary, kill-patroni, kill NAME, pause NAME, resume NAME, cut NAME,
                                        heal NAME, stop-sending, stop-replica [NAME], start-again NAME, wait-for-writes,
                                        wait-until-complete, front ADDRESS:PORT…

With --replicas 1 or 2 (2), --asynchronous, --etcd 1 or 3 (3), --ttl SECONDS (20).

As root, each machine has a network namespace, so that it can be cut off as by pulling its cable. As an ordinary user the machines are
loopback addresses, and all works except cutting off. Needs Debian's etcd-server, patroni, postgresql, haproxy, openssl and iproute2; the
services that these packages may have started are neither used nor touched.
"""
import argparse
import dataclasses
import http.client
import json
import os
import random
import secrets
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from workspace import ENVIRONMENT, Failure, Workspace, end_on_signals, free_ports, processes, serve, signal_all, wait_until

# Every machine has its own address, so the ports are the same on all of them; not the usual ones, for a service that listens everywhere.
POSTGRES, REST, ETCD, PEERS = 25432, 28008, 22379, 22380


def say(text):
    print(text, file=sys.stderr, flush=True)


def has_namespaces():
    """Whether machines can have a network of their own, so that they can be cut off."""
    return subprocess.run(["unshare", "--net", "--pid", "--fork", "true"], stderr=subprocess.DEVNULL).returncode == 0


def command_line(process):
    try:
        return Path(f"/proc/{process}/cmdline").read_text(errors="replace")
    except (ProcessLookupError, FileNotFoundError):
        return ""


@dataclasses.dataclass
class Machine:
    name: str
    address: str
    folder: Path
    runs: list = ()  # Of "etcd" and "patroni".
    network: int = 0  # The process that keeps the network namespace open.
    processes: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Connection:
    uri: str  # For libpq and its like: all servers, of which the client takes the primary. Without the password.
    password: str
    password_file: Path
    authority: Path  # The certificate for sslrootcert.


class Cluster:
    def __init__(self):
        for program, package in (("etcd", "etcd-server"), ("patroni", "patroni"), ("haproxy", "haproxy"), ("ip", "iproute2")):
            if not shutil.which(program, path=ENVIRONMENT["PATH"]):
                raise Failure(f"{program} is not installed: apt-get install {package}")
        self.workspace = Workspace()
        self.machines, self.front_process, self.front_ports = {}, None, None
        self.isolated = has_namespaces()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        self.workspace.close()

    # Starting

    def start(self, replicas=2, synchronous=True, etcd=3, ttl=20):
        """Starts everything; returns a Connection when there is a primary with all its replicas, one of them synchronous unless asked not to."""
        postgres = [f"pg{number + 1}" for number in range(replicas + 1)]
        # With one member of etcd, it must not be lost with the primary; with three, PostgreSQL's machines have one each, as far as they go.
        witnesses = [f"etcd{number + 1}" for number in range(1 if etcd == 1 else max(0, 3 - len(postgres)))]
        voters = (postgres[:3] if etcd == 3 else []) + witnesses
        self.subnet = self._network()
        for name in postgres + witnesses:
            self.add(name, ["etcd"] * (name in voters) + ["patroni"] * (name in postgres))
        self.synchronous, self.ttl = synchronous, ttl
        # Patroni before 3.0.3, thus Debian 12's, loses committed rows with the API v3 of etcd: after a network cut, the former primary
        # overwrites the lease of the new one (github.com/patroni/patroni/pull/2689). With the API v2 it compares before it writes.
        version = tuple(map(int, self.workspace.run("patroni", "--version").split()[1].split(".")))
        self.api = "etcd3" if version >= (3, 0, 3) else "etcd"
        self.superuser_password, replication, password = (secrets.token_urlsafe(18) for _ in range(3))
        for machine in self.machines_with("patroni"):
            self.workspace.certify(self.workspace.authority, machine.address, machine.folder / "server.pem")
            self.workspace.write(machine.folder / "patroni.yml", json.dumps(self._patroni(machine, replication)), server=True)
        say(f"Starting etcd on {', '.join(voters)} …")
        for machine in self.machines_with("etcd"):
            self._start(machine, "etcd")
        say(f"Starting Patroni and PostgreSQL on {', '.join(postgres)} …")
        for machine in self.machines_with("patroni"):
            self._start(machine, "patroni")
        primary = self._wait(self.primary, "the election of a primary")
        say(f"Waiting for the replicas of {primary} …")
        self._wait(self.complete, "the start of the replicas")
        hosts = ",".join(f"{machine.address}:{POSTGRES}" for machine in self.machines_with("patroni"))
        # A server that is cut off does not refuse a connection, so the client must give up on it by itself.
        self._parameters = f"sslmode=verify-full&sslrootcert={self.workspace.authority}&target_session_attrs=read-write&connect_timeout=2"
        self._superuser_uri = f"postgresql://postgres@{hosts}/postgres?{self._parameters}&tcp_user_timeout=5000&keepalives_idle=5"
        self.sql(f"create role thumbturn login password '{password}'", "create database thumbturn owner thumbturn",
                 "create table probe (at timestamptz default now())")
        # libpq does not try the next server when one answers that there is no such user or database, as a replica may for a moment.
        servers = [f"postgresql://thumbturn@{machine.address}:{POSTGRES}/thumbturn" for machine in self.machines_with("patroni")]
        self._wait(lambda: all(self._attempt(self.workspace.sql, uri, password, "select 1") for uri in servers), "the database's replication")
        file = self.workspace.write(Path(self.workspace.path, "password"), password)
        self.connection = Connection(f"postgresql://thumbturn@{hosts}/thumbturn?{self._parameters}", password, file, self.workspace.authority)
        return self.connection

    def _network(self):
        """Makes a switch that the machines are plugged into, and returns the start of their addresses."""
        if not self.isolated:
            return f"127.0.{1 + os.getpid() % 250}"
        # These addresses are reserved for tests of networks, RFC 2544. All of it disappears when the switch's process ends.
        subnet = None
        while not subnet or self.workspace.run("ip", "-4", "address", "show", "to", f"{subnet}.0/24"):
            subnet = f"198.18.{random.randrange(256)}"
        self.switch = self._namespace()
        self._ip(self.switch, "link add switch type bridge", "link set switch up",
                 f"link add host type veth peer name tt{os.getpid()} netns {os.getpid()}", "link set host master switch up")
        for command in (f"address add {subnet}.1/24 dev tt{os.getpid()}", f"link set tt{os.getpid()} up"):
            self.workspace.run("ip", *command.split())
        return subnet

    def _namespace(self):
        # Its log is not in a machine's folder: a machine that is killed keeps its network, as a machine that has restarted.
        keeper = self.workspace.start(Path(self.workspace.path, "network", "log"), "unshare", "--net", "sleep", "infinity").pid
        wait_until(lambda: os.readlink(f"/proc/{keeper}/ns/net") != os.readlink("/proc/self/ns/net"), "a network namespace", 10)
        return keeper

    def _ip(self, network, *commands):
        for command in commands:
            self.workspace.run("nsenter", f"--net=/proc/{network}/ns/net", "ip", *command.split())

    def add(self, name, runs=()):
        """Adds a machine to the network, and returns it."""
        machine = self.machines[name] = Machine(name, f"{self.subnet}.{len(self.machines) + 11}", self.workspace.folder(name), runs)
        if self.isolated:
            machine.network = self._namespace()
            self._ip(self.switch, f"link add {name} type veth peer name eth0 netns {machine.network}", f"link set {name} master switch up")
            self._ip(machine.network, f"address add {machine.address}/24 dev eth0", "link set eth0 up", "link set lo up")
        return machine

    def on(self, machine, *command):
        """What runs a command on a machine."""
        return [*(["nsenter", f"--net=/proc/{machine.network}/ns/net"] if self.isolated else []), *command]

    def _start(self, machine, program):
        if program == "etcd":
            me, peers = f"http://{machine.address}", [f"{other.name}=http://{other.address}:{PEERS}" for other in self.machines_with("etcd")]
            command = ["etcd", "--name", machine.name, "--data-dir", machine.folder / "etcd", "--initial-cluster", ",".join(peers),
                       "--listen-client-urls", f"{me}:{ETCD}", "--advertise-client-urls", f"{me}:{ETCD}",
                       "--listen-peer-urls", f"{me}:{PEERS}", "--initial-advertise-peer-urls", f"{me}:{PEERS}",
                       *(["--enable-v2"] if self.api == "etcd" else [])]
        else:
            command = ["patroni", machine.folder / "patroni.yml"]
        if self.isolated:
            user = [f"--setuid={self.workspace.user.pw_uid}", f"--setgid={self.workspace.user.pw_gid}"]
            # Patroni as process 1 reaps PostgreSQL's processes. Where the real process 1 does not, a killed PostgreSQL would seem to run.
            more = ["unshare", "--ipc", "--pid", "--mount-proc", "--kill-child", *user] if program == "patroni" else user
            command = [*more, *command]
        log = machine.folder / f"{program}.log"
        machine.processes[program] = self.workspace.start(log, *self.on(machine, *command), as_server=not self.isolated)

    def _patroni(self, machine, replication):
        access = ["local all all scram-sha-256", "hostssl all,replication all 0.0.0.0/0 scram-sha-256"]
        return {
            "scope": "thumbturn", "name": machine.name,
            "restapi": {"listen": f"{machine.address}:{REST}", "connect_address": f"{machine.address}:{REST}"},
            self.api: {"hosts": [f"{other.address}:{ETCD}" for other in self.machines_with("etcd")]},
            "bootstrap": {
                # The primary renews its lease every `loop_wait` seconds. A failover waits until the lease ends, `ttl`; 20 is the least that
                # newer versions of Patroni accept. A primary that is cut off from etcd stops before that, by Patroni's rule
                # loop_wait + 2 * retry_timeout <= ttl.
                # An asynchronous replica is promoted whatever it lacks; by default Patroni promotes none that lacks more than 1 MB.
                "dcs": {"ttl": self.ttl, "loop_wait": 1, "retry_timeout": min(5, (self.ttl - 1) // 2), "synchronous_mode": self.synchronous,
                        "maximum_lag_on_failover": 2**20 if self.synchronous else 2**30,
                        "postgresql": {"use_pg_rewind": True, "parameters": {"synchronous_commit": "on", "max_connections": 100}}},
                "initdb": [{"encoding": "UTF8"}, {"locale": "C.UTF-8"}, {"auth": "scram-sha-256"}, "data-checksums", "no-sync"]},
            "postgresql": {
                "listen": f"{machine.address}:{POSTGRES}", "connect_address": f"{machine.address}:{POSTGRES}",
                "data_dir": f"{machine.folder}/data", "bin_dir": f"{self.workspace.postgres}", "pgpass": f"{machine.folder}/pgpass",
                "use_unix_socket": True, "pg_hba": access,
                "authentication": {"superuser": {"username": "postgres", "password": self.superuser_password},
                                   "replication": {"username": "replicator", "password": replication}},
                # Shared memory in files of the data folder goes away with it, also after a kill.
                "parameters": {"unix_socket_directories": f"{machine.folder}", "dynamic_shared_memory_type": "mmap", "ssl": "on",
                               "ssl_cert_file": f"{machine.folder}/server.pem", "ssl_key_file": f"{machine.folder}/server.key"}}}

    def front(self, servers=()):
        """Starts haproxy, or starts it again with other servers: returns the URI of PostgreSQL through it and the URL of the HTTP servers.

        `servers` are ADDRESS:PORT, and each request goes to one of them at random.
        For PostgreSQL, the list of servers in Connection.uri is better: haproxy is one more process that can fail, and it notices a new
        primary only by its next checks. It is for clients that take one address.
        """
        if self.front_process:
            self.front_process.kill()
            self.front_process.wait()
        self.front_ports = self.front_ports or free_ports(2)
        postgres, web = self.front_ports
        lines = ["defaults", "timeout connect 2s", "timeout client 1h", "timeout server 1h", "timeout check 2s",
                 "default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions",
                 "listen postgres", "mode tcp", f"bind 127.0.0.1:{postgres}", "option httpchk GET /primary", "http-check expect status 200",
                 *(f"server {machine.name} {machine.address}:{POSTGRES} check port {REST}" for machine in self.machines_with("patroni"))]
        if servers:
            lines += ["listen servers", "mode http", f"bind 127.0.0.1:{web}", "balance random(1)", "option httpchk GET /ready",
                      "option redispatch", "option forwardfor", *(f"server s{number} {server} check" for number, server in enumerate(servers))]
        folder = Path(self.workspace.path, "front")
        folder.mkdir(exist_ok=True)
        self.workspace.write(folder / "haproxy.cfg", "\n".join(lines) + "\n")
        self.front_process = self.workspace.start(folder / "log", "haproxy", "-db", "-f", folder / "haproxy.cfg")
        uri = f"postgresql://thumbturn@127.0.0.1:{postgres}/thumbturn?{self._parameters}"

        def leads_to_primary():  # At first haproxy takes every server for a primary, and takes them in turn.
            if self.front_process.poll() is not None:
                raise Failure(self._log(folder / "log"))
            return all(self._attempt(self.workspace.sql, uri, self.connection.password, "select 1") for _ in self.machines_with("patroni"))
        self._wait(leads_to_primary, "haproxy's start")
        return uri, f"http://127.0.0.1:{web}"

    # Looking

    def machines_with(self, program):
        return [machine for machine in self.machines.values() if program in machine.runs]

    def _ask(self, machine, path):
        """What Patroni's REST API on a machine answers: the status and the value, or None."""
        try:
            connection = http.client.HTTPConnection(machine.address, REST, timeout=1)
            connection.request("GET", path)
            response = connection.getresponse()
            return response.status, json.loads(response.read())
        except (OSError, ValueError, http.client.HTTPException):
            return None

    def primary(self):
        """The name of the machine that holds the lease and accepts writes, or None."""
        answers = ((machine.name, self._ask(machine, "/primary")) for machine in self.machines_with("patroni"))
        return next((name for name, answer in answers if answer and answer[0] == 200), None)

    def members(self):
        """The roles of the primary and of the machines that stream from it now: leader, sync_standby or replica.

        The roles are those in etcd. PostgreSQL waits for a synchronous standby a few seconds before etcd names it; if the primary fails
        in between, no replica may take over.
        """
        name = self.primary()
        now, known = (name and self._ask(self.machines[name], path) for path in ("/patroni", "/cluster"))
        if not now or not known:
            return {}
        streaming = {server["application_name"] for server in now[1].get("replication", []) if server["state"] == "streaming"}
        return {member["name"]: member["role"] for member in known[1]["members"] if member["name"] in streaming | {name}}

    def complete(self):
        """Whether every machine is the primary or streams from it, one of them synchronously if so asked."""
        roles = self.members()
        return len(roles) == len(self.machines_with("patroni")) and (not self.synchronous or "sync_standby" in roles.values())

    def status(self):
        """A table of the machines, as `patronictl list` prints it."""
        return self.workspace.run("patronictl", "-c", self.machines_with("patroni")[0].folder / "patroni.yml", "list")

    def sql(self, *statements):
        """Runs statements as the superuser in the database postgres, on the primary."""
        return self.workspace.sql(self._superuser_uri, self.superuser_password, *statements)

    def wait_for_writes(self):
        """Waits until a row can be committed."""
        self._wait(lambda: self._attempt(self.sql, "insert into probe default values", "select true"), "a commit")

    def wait_until_complete(self):
        """Waits until every machine is the primary or has all that it has committed by now; then all are reachable again."""
        self.wait_for_writes()
        caught_up = f"select count(*) from pg_stat_replication where replay_lsn >= '{self.sql('select pg_current_wal_lsn()')}'"
        followers = str(len(self.machines_with("patroni")) - 1)
        self._wait(lambda: self.complete() and self._attempt(self.sql, caught_up) == followers, "the return of all replicas")

    @staticmethod
    def _attempt(action, *arguments):
        try:
            return action(*arguments)
        except Failure:
            return None

    def _wait(self, condition, what):
        try:
            return wait_until(condition, what, self.ttl + 120)
        except Failure as failure:
            raise Failure(f"{failure}\n" + "\n".join(map(self._log, sorted(Path(self.workspace.path).glob("*/*.log")))))

    @staticmethod
    def _log(path):
        return f"{path.parent.name}/{path.name}: " + path.read_text(errors="replace")[-1500:]

    # Breaking and mending

    def kill_primary(self):
        """Ends all processes of the primary's machine at once, as when a machine fails, and returns its name; its address refuses connections."""
        name = self._wait(self.primary, "the election of a primary")
        self.kill(name)
        return name

    def kill_patroni(self):
        """Kills Patroni alone on the primary's machine, where PostgreSQL goes on, and returns the name; `kill` ends the rest of it.

        The others notice when the lease ends, and promote a replica. Until then, and after it, the former primary takes connections.
        """
        name = self._wait(self.primary, "the election of a primary")
        process = self._machine(name).processes["patroni"]
        outermost = self._patroni_process(process)
        patroni = outermost
        if self.isolated:
            # Process 1 of a namespace takes all others with it when it ends, and this one ends with Patroni, its child. Stopped, it stays.
            os.kill(outermost, signal.SIGSTOP)
            patroni = next(child for child in self._children(outermost) if "patroni.yml" in command_line(child))
        os.kill(patroni, signal.SIGKILL)
        if not self.isolated:
            process.wait()
        return name

    def stop_sending(self):
        """Stops the processes that send the primary's log to its replicas, which then lack what it commits until it is killed."""
        name = self._wait(self.primary, "the election of a primary")
        senders = [process for process in processes(self._machine(name).folder) if "walsender" in command_line(process)]
        if not senders:
            raise Failure(f"{name} sends its log to no replica")
        for sender in senders:
            os.kill(sender, signal.SIGSTOP)

    @staticmethod
    def _children(process):
        return list(map(int, Path(f"/proc/{process}/task/{process}/children").read_text().split()))

    def _patroni_process(self, process):
        # In a namespace our child is `unshare`, and Patroni is its child.
        return self._children(process.pid)[0] if self.isolated else process.pid

    def _machine(self, name):
        if name not in self.machines:
            raise Failure(f"there is no machine {name}; there are {', '.join(self.machines)}")
        return self.machines[name]

    def kill(self, name):
        machine = self._machine(name)
        signal_all(machine.folder, signal.SIGKILL)
        for process in machine.processes.values():
            process.wait()

    def pause(self, name):
        """Stops a machine's processes with SIGSTOP: connections to it are accepted and get no answer."""
        signal_all(self._machine(name).folder, signal.SIGSTOP)

    def resume(self, name):
        signal_all(self._machine(name).folder, signal.SIGCONT)

    def cut_off(self, name):
        """Pulls a machine's network cable: it goes on running, and no packet leaves or reaches it."""
        self._cable(name, "down")

    def heal(self, name):
        self._cable(name, "up")

    def _cable(self, name, state):
        machine = self._machine(name)
        if not self.isolated:
            raise Failure("cutting a machine off needs network namespaces, thus root")
        self._ip(self.switch, f"link set {machine.name} {state}")

    def stop_replica(self, name=None):
        """Stops a replica in order, the synchronous one unless another is named, and returns its name when etcd names another synchronous one.

        If that one stopped before etcd names it, Patroni 3.0.2 would let PostgreSQL wait for it until it returns.
        """
        replicas = sorted((role != "sync_standby", member) for member, role in self.members().items() if role != "leader")
        name = name or (replicas[0][1] if replicas else None)
        process = self._machine(name).processes["patroni"]
        os.kill(self._patroni_process(process), signal.SIGTERM)
        process.wait()
        self._wait(lambda: (roles := self.members()) and (len(roles) == 1 or not self.synchronous or "sync_standby" in roles.values()),
                   "the choice of another synchronous replica")
        return name

    def start_again(self, name):
        """Starts what does not run on a machine, and waits until it follows the primary, after pg_rewind if its history differs."""
        machine = self._machine(name)
        for program in machine.runs:
            if machine.processes[program].poll() is not None:
                self._start(machine, program)
        if "patroni" in machine.runs:
            self._wait(lambda: name in self.members(), f"the return of {name}")


def try_it(cluster, **options):
    timings = []

    def time_of(what, action):
        begin = time.monotonic()
        result = action()
        timings.append(f"{time.monotonic() - begin:6.1f} s  {what}")
        return result

    def sql(statement):
        return cluster.workspace.sql(connection.uri, connection.password, statement)

    def expect(found, expected, what):
        if found != expected:
            raise Failure(f"{what}: expected {expected}, found {found}")
        say(f"  {what}: yes")

    connection = time_of("start until the replicas follow", lambda: cluster.start(**options))
    print(connection.uri, flush=True)
    print(cluster.status(), flush=True)
    sql("create table kept (number int)")
    sql("insert into kept values (1)")

    say("Killing the primary …")
    old = cluster.kill_primary()
    time_of("failover after kill -9 of the primary, until a commit", cluster.wait_for_writes)
    expect(sql("select count(*) from kept"), "1", "the row that was committed before is there")
    say(f"Starting {old} again …")
    time_of("return of the old primary as a replica", lambda: cluster.start_again(old))
    cluster.wait_until_complete()

    if cluster.isolated:
        cut = cluster.primary()
        say(f"Cutting the primary {cut} off …")
        sql("insert into kept values (2)")
        cluster.cut_off(cut)
        time_of("failover after the primary was cut off, until a commit", cluster.wait_for_writes)
        expect(sql("select count(*) from kept"), "2", "the rows are there")
        say(f"Healing {cut} …")
        cluster.heal(cut)
        time_of("return of the primary that was cut off, as a replica", cluster.wait_until_complete)

    stopped = cluster.stop_replica()
    say(f"Stopped the replica {stopped} …")
    time_of("commits go on after a replica has stopped", cluster.wait_for_writes)
    time_of("return of the replica", lambda: cluster.start_again(stopped))
    cluster.wait_until_complete()
    uri, _ = cluster.front()
    expect(cluster.workspace.sql(uri, connection.password, "select pg_is_in_recovery()"), "f", "haproxy leads to the primary")
    print(cluster.status(), "Timings:", *timings, sep="\n", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("try", "start", "serve"))
    parser.add_argument("--replicas", type=int, choices=(1, 2), default=2)
    parser.add_argument("--asynchronous", action="store_true")
    parser.add_argument("--etcd", type=int, choices=(1, 3), default=3)
    parser.add_argument("--ttl", type=int, default=20)
    chosen = parser.parse_args()
    options = dict(replicas=chosen.replicas, synchronous=not chosen.asynchronous, etcd=chosen.etcd, ttl=chosen.ttl)
    end_on_signals()
    with Cluster() as cluster:
        if chosen.command == "try":
            return try_it(cluster, **options)
        connection = cluster.start(**options)
        print(connection.uri, connection.password_file, sep="\n", flush=True)
        if chosen.command == "start":
            say(f"PGPASSWORD=$(cat {connection.password_file}) psql '{connection.uri}'\nCtrl-C stops the cluster.")
            signal.pause()
        serve({"primary": lambda: cluster.primary() or "none",
               "members": lambda: " ".join(f"{name}={role}" for name, role in cluster.members().items()) or "none",
               "kill-primary": cluster.kill_primary, "kill": cluster.kill, "pause": cluster.pause, "resume": cluster.resume,
               "cut": cluster.cut_off, "heal": cluster.heal, "kill-patroni": cluster.kill_patroni, "stop-sending": cluster.stop_sending,
               "stop-replica": cluster.stop_replica, "start-again": cluster.start_again,
               "wait-for-writes": cluster.wait_for_writes, "wait-until-complete": cluster.wait_until_complete,
               "front": lambda *servers: " ".join(cluster.front(servers))})


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(f"cluster.py: {failure}")
