"""A temporary folder that takes its processes with it: what postgres.py and cluster.py share.

A process belongs to the folder when its standard error goes to a log file in it. Children inherit that, however PostgreSQL or Patroni
start them, and a person who looks around in the folder does not have it. A second process, the janitor, waits until its standard input
closes, which also happens when the owner is killed; it then ends every process of the folder and removes it. Linux only: it reads /proc.
"""
import glob
import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# Nothing of the caller's environment reaches the servers: a proxy, a PGHOST or another Python would change what they do.
ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8", "HOME": "/nonexistent"}

TLS = """[req]
distinguished_name = name
prompt = no
[name]
CN = {name}
[authority]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign
[server]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth
subjectAltName = DNS:localhost, IP:127.0.0.1, IP:{name}
"""


class Failure(Exception):
    """What went wrong, in a sentence."""


def processes(folder):
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.readlink(f"/proc/{entry}/fd/2").startswith(f"{folder}/"):
                yield int(entry)
        except OSError:  # It has ended, is ending, or is another user's.
            pass


def signal_all(folder, number):
    """Sends a signal to all processes of a folder; for SIGKILL and SIGSTOP, until all have ended or stopped, as they may be forking."""
    if number == signal.SIGKILL:
        # A killed initdb leaves shared memory; the servers are configured not to use it. What is stopped makes no more of it.
        signal_all(folder, signal.SIGSTOP)
        memory = {file for process in processes(folder) for file in files(process) if file.startswith("/dev/shm/PostgreSQL.")}
    quiet, sent = 0, set()
    while quiet < 2:  # Twice: a process may fork and end between the listing of /proc and the look at it.
        found = [process for process in processes(folder) if number != signal.SIGSTOP or not stopped(process, process in sent)]
        for process in found:
            try:
                os.kill(process, number)
            except ProcessLookupError:
                pass
        if number not in (signal.SIGKILL, signal.SIGSTOP):
            break
        sent.update(found)
        quiet = 0 if found else quiet + 1
        time.sleep(0.01)
    if number == signal.SIGKILL:
        for file in memory:
            Path(file).unlink(missing_ok=True)


def stopped(process, told):
    # A process that waits for its vfork stays in state D as long as the child is stopped; it stops before it runs again.
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] in ("TD" if told else "T")
    except (ProcessLookupError, FileNotFoundError):
        return True


def files(process):
    """The files that a process has mapped or open."""
    for link in glob.glob(f"/proc/{process}/map_files/*") + glob.glob(f"/proc/{process}/fd/*"):
        try:
            yield os.readlink(link)
        except OSError:
            pass


def sweep(folder):
    """Ends every process of the folder and removes the folder."""
    signal_all(folder, signal.SIGKILL)
    for file in glob.glob(f"{folder}/**/postmaster.pid", recursive=True):
        # A killed PostgreSQL leaves a small System V memory segment. Line 7 has its key and its id.
        memory = Path(file).read_text().splitlines()[6:7]
        if memory and memory[0].strip():
            subprocess.run(["ipcrm", "-m", memory[0].split()[1]], stderr=subprocess.DEVNULL)
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        if line.split()[4].startswith(f"{folder}/"):
            subprocess.run(["umount", line.split()[4]], stderr=subprocess.DEVNULL)
    shutil.rmtree(folder, ignore_errors=True)


def wait_until(condition, what, seconds):
    """Waits until `condition()` is true and returns its value."""
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        if time.monotonic() > deadline:
            raise Failure(f"{what} did not happen within {seconds} seconds")
        time.sleep(0.05)
    return value


def free_ports(count):
    # Below the ports that outgoing connections get, so that a port is still free after a stop; by process id, so that two that start at
    # the same moment try different ones.
    ports, candidates = [], (20000 + (os.getpid() * 7 + offset) % 12000 for offset in range(12000))
    while len(ports) < count:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port := next(candidates)))
                ports.append(port)
            except OSError:
                pass
    return ports


class Workspace:
    def __init__(self):
        # PostgreSQL refuses to run as root.
        root = os.geteuid() == 0
        self.user = pwd.getpwnam("postgres") if root else pwd.getpwuid(os.geteuid())
        self.drop = {"user": self.user.pw_uid, "group": self.user.pw_gid, "extra_groups": []} if root else {}
        versions = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda path: int(path.parts[-3]))
        if not versions:
            raise Failure("PostgreSQL is not installed: apt-get install postgresql")
        self.postgres = versions[-1].parent
        self.path = f"{os.path.realpath(tempfile.gettempdir())}/thumbturn-{secrets.token_hex(4)}"
        # Before there is anything to remove.
        self.janitor = subprocess.Popen([sys.executable, __file__, self.path], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                        start_new_session=True, cwd="/")
        self.children = []
        os.mkdir(self.path)
        os.chmod(self.path, 0o711)  # Whatever the umask says, the servers' user finds its folders.
        self.authority = self.new_authority("authority")

    def close(self):
        self.janitor.stdin.close()
        if self.janitor.wait() != 0:  # It was killed.
            sweep(self.path)
        for child in self.children:
            child.wait()

    def folder(self, name):
        path = Path(self.path, name)
        path.mkdir(mode=0o700)
        os.chown(path, self.user.pw_uid, self.user.pw_gid)
        return path

    def write(self, path, text, server=False):
        """Writes a file that only its owner may read: the server's user, or the caller."""
        path.touch(mode=0o600)
        path.write_text(text)
        if server:
            os.chown(path, self.user.pw_uid, self.user.pw_gid)
        return path

    def run(self, *command, environment={}):
        """Runs a short command, which is not a process of the folder, and returns what it printed."""
        try:  # A server that is paused may keep a client for ever.
            done = subprocess.run(list(map(str, command)), cwd="/", env=ENVIRONMENT | environment, stdin=subprocess.DEVNULL, timeout=60,
                                  capture_output=True, text=True)
        except subprocess.TimeoutExpired:
            raise Failure(f"{Path(command[0]).name} did not end within 60 seconds")
        if done.returncode != 0:
            raise Failure(f"{Path(command[0]).name}: {done.stderr.strip()}")
        return done.stdout.strip()

    def start(self, log, *command, environment={}, as_server=False):
        """Starts a process that belongs to the folder of its log."""
        log.parent.mkdir(exist_ok=True)
        with open(log, "ab") as output:
            # Ctrl-C is for the owner, which ends the others in order.
            child = subprocess.Popen(list(map(str, command)), cwd="/", env=ENVIRONMENT | environment, stdin=subprocess.DEVNULL, stdout=output,
                                     stderr=output, start_new_session=True, **(self.drop if as_server else {}))
        self.children.append(child)
        return child

    def sql(self, uri, password, *statements):
        commands = [part for statement in statements for part in ("-c", statement)]
        return self.run(self.postgres / "psql", "-XAtq", "-v", "ON_ERROR_STOP=1", uri, *commands, environment={"PGPASSWORD": password})

    def new_authority(self, name):
        """Makes a certificate authority and returns its certificate file; the key is beside it."""
        certificate = Path(self.path, f"{name}.pem")
        self._openssl(name, "authority", certificate)
        return certificate

    def certify(self, authority, address, certificate):
        """Makes a server certificate for 127.0.0.1, localhost and one more address; the key is beside it."""
        self._openssl(address, "server", certificate, "-CA", authority, "-CAkey", authority.with_suffix(".key"))
        for file in (certificate, certificate.with_suffix(".key")):
            os.chown(file, self.user.pw_uid, self.user.pw_gid)

    def _openssl(self, name, extensions, certificate, *more):
        configuration = self.write(certificate.with_suffix(".cnf"), TLS.format(name=name))
        self.run("openssl", "req", "-x509", "-config", configuration, "-extensions", extensions, "-days", "2", "-newkey", "ec", "-pkeyopt",
                 "ec_paramgen_curve:P-256", "-nodes", "-keyout", certificate.with_suffix(".key"), "-out", certificate, *more)


def end_on_signals():
    """Makes SIGTERM, SIGINT and SIGHUP leave through the `with` statements."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda number, _: sys.exit(128 + number))


def serve(commands):
    """Answers each line of standard input with one line on standard output, until it closes."""
    for line in sys.stdin:
        name, *arguments = line.split() or [""]
        try:
            if name not in commands:
                raise Failure(f"unknown command; there are {', '.join(commands)}")
            answer = commands[name](*arguments)
        except (Failure, TypeError, OSError) as error:
            answer = f"error: {error}"
        print(" ".join(str("ok" if answer is None else answer).split()), flush=True)


if __name__ == "__main__":
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    sys.stdin.read()
    sweep(sys.argv[1])
