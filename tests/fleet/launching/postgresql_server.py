"""A server of PostgreSQL for a test, in a folder of its own. It runs as an ordinary user, also if the test is started by root."""

import os
import pathlib
import pwd
import signal
import subprocess
import time

OWNER = "postgres"


def programs():
    """The folder of the newest installed server's programs, or None."""
    found = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    return found[-1].parent if found else None


class Server:
    """Listens on all addresses, and on a socket in `folder`. `prefix` is a command that starts it, for example in a network namespace."""

    LIMIT_S = 120

    def __init__(self, folder, port=5432, prefix=(), trusted="127.0.0.1/32"):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir()
        self.port = port
        as_owner = []
        if os.geteuid() == 0:
            user = pwd.getpwnam(OWNER)
            os.chown(self.folder, user.pw_uid, user.pw_gid)
            as_owner = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]
        data = self.folder / "data"
        subprocess.run([*as_owner, programs() / "initdb", "-D", data, "-U", OWNER, "-A", "trust", "--no-sync", "--locale=C.UTF-8"], check=True,
                       stdout=subprocess.DEVNULL)
        with open(data / "postgresql.conf", "a", encoding="utf-8") as settings:
            settings.write(f"listen_addresses = '*'\nport = {port}\nunix_socket_directories = '{self.folder}'\n"
                           "dynamic_shared_memory_type = mmap\n")
        with open(data / "pg_hba.conf", "a", encoding="utf-8") as rules:
            rules.write(f"host all all {trusted} trust\n")
        with open(self.folder.parent / f"{self.folder.name}.log", "w", encoding="utf-8") as log:
            self.process = subprocess.Popen([*prefix, *as_owner, "setpriv", "--pdeathsig", "QUIT", programs() / "postgres", "-D", data],
                                            stdout=log, stderr=log)
        end = time.monotonic() + self.LIMIT_S
        while subprocess.run(["pg_isready", "-q", "-h", self.folder, "-p", str(port)], check=False).returncode != 0:
            if time.monotonic() > end or self.process.poll() is not None:
                raise RuntimeError("the server does not start")
            time.sleep(0.1)

    def local_address(self):
        """By the socket."""
        return f"postgresql://{OWNER}@/{OWNER}?host={self.folder}&port={self.port}"

    def rows(self, statement):
        """The rows of an answer, as lines. Asked by the socket."""
        return subprocess.run(["psql", "-XAtd", self.local_address(), "-c", statement], capture_output=True, text=True,
                              check=True).stdout.splitlines()

    def stop(self):
        """Ends it at once, and in such a way that it removes its shared memory."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGQUIT)
        self.process.wait()
