"""Network namespaces for tests: a server's, and one for each of some machines, which a cable joins to it. Only root may make them."""

import os
import shutil
import subprocess
import uuid


def run(*command):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)


def reason_to_skip():
    """Why this machine has no such networks, or None."""
    if not shutil.which("ip"):
        return "iproute2 is not installed; scripts/setup fleet installs it"
    if os.geteuid() != 0:
        return "only root may make network namespaces"
    with_name = f"wt-{uuid.uuid4().hex[:6]}"
    made = run("ip", "netns", "add", with_name)
    run("ip", "netns", "delete", with_name)
    return None if made.returncode == 0 else f"network namespaces are not allowed: {made.stderr.strip()}"


class Networks:
    """The server has the address 10.77.N.1 in the network of machine N, which has 10.77.N.2."""

    def __init__(self, machines):
        self.name = f"wt-{uuid.uuid4().hex[:6]}"
        self.machines = machines
        self.required("ip", "netns", "add", self.server)
        for number in range(1, machines + 1):
            machine = self.machine(number)
            self.required("ip", "netns", "add", machine)
            self.required("ip", "-n", self.server, "link", "add", f"m{number}", "type", "veth", "peer", "name", "uplink", "netns", machine)
            self.required("ip", "-n", self.server, "address", "add", f"10.77.{number}.1/24", "dev", f"m{number}")
            self.required("ip", "-n", machine, "address", "add", f"10.77.{number}.2/24", "dev", "uplink")
            self.required("ip", "-n", self.server, "link", "set", f"m{number}", "up")
            for device in ("uplink", "lo"):
                self.required("ip", "-n", machine, "link", "set", device, "up")

    @property
    def server(self):
        return f"{self.name}-s"

    def machine(self, number):
        return f"{self.name}-{number}"

    @staticmethod
    def required(*command):
        done = run(*command)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(map(str, command))}: {done.stderr}")

    def cut(self, number):
        """Loses all packets in silence: both ends send them to an address that no card has. Nobody is told."""
        for namespace, device, other in ((self.server, f"m{number}", 2), (self.machine(number), "uplink", 1)):
            self.required("ip", "-n", namespace, "neighbour", "replace", f"10.77.{number}.{other}", "lladdr", "02:00:00:00:00:99",
                          "dev", device, "nud", "permanent")

    def join(self, number):
        for namespace, device, other in ((self.server, f"m{number}", 2), (self.machine(number), "uplink", 1)):
            self.required("ip", "-n", namespace, "neighbour", "delete", f"10.77.{number}.{other}", "dev", device)

    def remove(self):
        for namespace in [self.server, *map(self.machine, range(1, self.machines + 1))]:
            run("ip", "netns", "delete", namespace)
