#!/usr/bin/python3
"""Starts one PostgreSQL in a temporary folder, for tests; it ends when standard input closes, so a test that dies leaves nothing behind.

    scripts/cluster/postgres.py
    scripts/cluster/postgres.py --small-disk    with its data on a disk of 256 MB, in a mount namespace of its own; as root only

It prints three lines when it is ready: a URI over TCP with TLS, a URI over the Unix socket, and the path of a file with the password,
which is that of the environment variable PGPASSWORD if there is one. Then it answers each of these lines on standard input with one
line, `ok` or `error: …`:

    stop, start, restart    an orderly end and start; open connections end
    kill                    kill -9 of PostgreSQL's processes, as when the machine fails; `start` starts it again
    pause, resume           SIGSTOP and SIGCONT: it accepts connections and does not answer
    readonly on|off         new transactions are read-only, as on a server that is being replaced
    replica missing|none    commits wait for a replica that is not there, or for none
    commits weak|safe       commits return before they are durable, or after
    certificate wrong|right the certificate for new connections comes from an authority that sslrootcert does not have
    disk full|free          nothing is left of the small disk, or what other files had taken is free again
    promoted                beside it runs a replica of it that was promoted, with its socket in the folder `promoted` of this one's

Needs the Debian packages postgresql and openssl. As root, PostgreSQL runs as the user postgres; otherwise as the current user.
"""
import contextlib
import os
import secrets
import signal
import sys
from pathlib import Path

from workspace import Failure, Workspace, end_on_signals, free_ports, serve, signal_all, wait_until


class Postgres:
    def __init__(self):
        self.workspace = Workspace()
        self.process = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.workspace.close()

    def create(self, small_disk=False, **settings):
        """Makes the database server, with these settings beside those that it needs."""
        here = self.workspace
        self.folder = here.folder("postgres")
        self.data = self.folder / "data"
        if small_disk:
            self.data.mkdir(mode=0o700)
            here.run("mount", "-t", "tmpfs", "-o", f"size=256m,mode=0700,uid={here.user.pw_uid},gid={here.user.pw_gid}", "tmpfs", self.data)
            settings |= {"max_wal_size": "64MB", "min_wal_size": "32MB"}
        self.password = os.environ.get("PGPASSWORD") or secrets.token_urlsafe(18)
        self.password_file = here.write(here.authority.with_name("password"), self.password)
        self.superuser_password = secrets.token_urlsafe(18)
        file = here.write(self.folder / "superuser", self.superuser_password, server=True)
        # What --no-sync leaves unwritten is lost only if the real machine fails; PostgreSQL itself runs with fsync.
        log = self.folder / "log"
        if here.start(log, here.postgres / "initdb", "-D", self.data, "-U", "postgres", "-A", "scram-sha-256", "--pwfile", file,
                      "-E", "UTF8", "--locale=C.UTF-8", "--no-sync", as_server=True).wait() != 0:
            raise Failure(f"initdb did not work: {log.read_text()[-2000:]}")
        for name, authority in (("right", here.authority), ("wrong", here.new_authority("other"))):
            here.certify(authority, "127.0.0.1", self.folder / f"{name}.pem")
        (self.data / "pg_hba.conf").write_text("local all all scram-sha-256\nhostssl all all 127.0.0.1/32 scram-sha-256\n")
        port, = free_ports(1)
        with open(self.data / "postgresql.conf", "a") as configuration:
            # Shared memory in files of the data folder goes away with it, also after a kill.
            configuration.write(f"listen_addresses = '127.0.0.1'\nport = {port}\nunix_socket_directories = '{self.folder}'\n"
                                f"ssl = on\nssl_cert_file = '{self.folder}/right.pem'\nssl_key_file = '{self.folder}/right.key'\n"
                                "dynamic_shared_memory_type = mmap\n")
            configuration.writelines(f"{name} = '{value}'\n" for name, value in settings.items())
        self.folder.chmod(0o711)  # The socket is for every user; the password decides.
        self.uri = f"postgresql://thumbturn@127.0.0.1:{port}/thumbturn?sslmode=verify-full&sslrootcert={here.authority}"
        self.socket_uri = f"postgresql://thumbturn@/thumbturn?host={self.folder}&port={port}"
        self.superuser_uri = f"postgresql://postgres@/postgres?host={self.folder}&port={port}"
        self.start()
        password = self.password.replace("'", "''")
        self._sql(f"create role thumbturn login createdb password '{password}'", "create database thumbturn owner thumbturn")

    def _sql(self, *statements):
        return self.workspace.sql(self.superuser_uri, self.superuser_password, *statements)

    def start(self):
        if self.process:
            raise Failure("it runs already")
        self.process = self._start(self.folder / "log", self.data)

    def _start(self, log, data):
        process = self.workspace.start(log, self.workspace.postgres / "postgres", "-D", data, as_server=True)

        def ready():
            if process.poll() is not None:
                raise Failure(f"PostgreSQL did not start: {log.read_text()[-2000:]}")
            try:  # The last line says `ready` once connections are answered; the first is the process id.
                lines = (data / "postmaster.pid").read_text().split()
                return lines[0] == str(process.pid) and lines[-1] == "ready"
            except (FileNotFoundError, IndexError):
                return False
        wait_until(ready, "PostgreSQL's start", 60)
        return process

    def stop(self):
        if self.process:
            self.resume()
            self.process.send_signal(signal.SIGINT)
            self.process.wait()
            self.process = None

    def restart(self):
        self.stop()
        self.start()

    def kill(self):
        if self.process:
            signal_all(self.folder, signal.SIGKILL)
            self.process.wait()
            self.process = None

    def pause(self):
        signal_all(self.folder, signal.SIGSTOP)

    def resume(self):
        signal_all(self.folder, signal.SIGCONT)

    def read_only(self, state):
        if state not in ("on", "off"):
            raise Failure("expected on or off")
        self._set(default_transaction_read_only=state)

    def replica(self, state):
        if state not in ("missing", "none"):
            raise Failure("expected missing or none")
        self._set(synchronous_standby_names="nobody" if state == "missing" else "")

    def commits(self, state):
        if state not in ("weak", "safe"):
            raise Failure("expected weak or safe")
        self._set(synchronous_commit="off" if state == "weak" else "on")

    def certificate(self, which):
        if which not in ("right", "wrong"):
            raise Failure("expected right or wrong")
        self._set(ssl_cert_file=f"{self.folder}/{which}.pem", ssl_key_file=f"{self.folder}/{which}.key")

    def disk(self, state):
        if state not in ("full", "free") or not os.path.ismount(self.data):
            raise Failure("expected full or free, with --small-disk")
        others = self.data / "other-files"
        others.unlink(missing_ok=True)
        if state == "full":
            with contextlib.suppress(OSError), open(others, "wb", buffering=0) as file:
                while file.write(bytes(4096)):
                    pass

    def promoted(self):
        folder = self.folder / "promoted"
        self.stop()
        # A process of the server's user, to whom everything then belongs.
        if self.workspace.start(self.folder / "copying", "cp", "-a", self.data, f"{self.data}-promoted", as_server=True).wait() != 0:
            raise Failure(f"the copy did not work: {(self.folder / 'copying').read_text()[-2000:]}")
        data = Path(f"{self.data}-promoted")
        self.start()
        self.workspace.folder("postgres/promoted").chmod(0o711)
        with open(data / "postgresql.conf", "a") as configuration:
            configuration.write(f"listen_addresses = ''\nunix_socket_directories = '{folder}'\n")
        self.workspace.write(data / "standby.signal", "", server=True)
        self._start(self.folder / "log-promoted", data)
        uri = self.superuser_uri.replace(f"host={self.folder}", f"host={folder}")
        self.workspace.sql(uri, self.superuser_password, "select pg_promote()")

    def _set(self, **settings):
        self._sql(*(f"alter system set {name} = '{value}'" for name, value in settings.items()), "select pg_reload_conf()")
        # The reload happens a moment later; a new session shows when.
        name, value = list(settings.items())[-1]
        wait_until(lambda: self.workspace.sql(self.socket_uri, self.password, f"show {name}") == value, "the reload", 10)


if __name__ == "__main__":
    end_on_signals()
    small_disk = sys.argv[1:] in (["--small-disk"], ["--small-disk", "--mounts"])
    if sys.argv[1:] and not small_disk:
        sys.exit(__doc__)
    if sys.argv[1:] == ["--small-disk"]:
        os.execvp("unshare", ["unshare", "--mount", sys.executable, *sys.argv, "--mounts"])
    try:
        with Postgres() as server:
            server.create(small_disk)
            print(server.uri, server.socket_uri, server.password_file, sep="\n", flush=True)
            serve({"stop": server.stop, "start": server.start, "restart": server.restart, "kill": server.kill, "pause": server.pause,
                   "resume": server.resume, "readonly": server.read_only, "replica": server.replica,
                   "commits": server.commits, "certificate": server.certificate, "promoted": server.promoted,
                   "disk": server.disk})
    except Failure as failure:
        sys.exit(f"postgres.py: {failure}")
