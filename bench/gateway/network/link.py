"""Links: how fast, how far and how lossy, and the kernel's means to make one.

A client in a network namespace reaches the servers over two TUN devices. Linux' token bucket filter gives each
direction its rate; the program `relay.c` between the devices gives it delay and losses, for `netem` is not in every
kernel. Needs root.
"""

import contextlib
import os
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.paths import cache_folder

# From the block for benchmarks (RFC 2544): no network that anybody uses.
SERVER, CLIENT = "198.18.0.1", "198.18.0.2"

# What the namespaces' names begin with; the process that made one follows.
NAMESPACE = "bowshot-bench-"


@dataclass(frozen=True)
class Link:
    """A network as the paper on client protocols has them: its rate, its delay in each direction, its losses."""

    name: str
    megabits: int
    delay_ms: float
    loss: float
    # How long a packet waits at most for its turn, in milliseconds: the router's queue.
    queue_ms: int

    @property
    def described(self) -> str:
        """Returns the link in words."""
        lossy = f", {self.loss:.0%} of the packets lost" if self.loss else ""
        return f"{self.name}: {self.megabits} Mbit/s, {self.delay_ms:g} ms in each direction{lossy}"


# Raasveldt and Mühleisen, "Don't Hold My Data Hostage" (VLDB 2017), section 5; the loss is ours.
LAN = Link("lan", 1000, 0.3, 0.0, 20)
WAN = Link("wan", 100, 25.0, 0.01, 50)


@dataclass(frozen=True)
class Network:
    """A link that stands: what runs a program at its far end."""

    namespace: str

    def command(self, command: Sequence[str]) -> list[str]:
        """Returns the command that runs `command` as a client, beyond the link."""
        return ["ip", "netns", "exec", self.namespace, *command]


def obstacle() -> str | None:
    """Returns why there can be no links on this machine; None where there can."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    if not Path("/dev/net/tun").exists():
        return "this kernel has no /dev/net/tun"
    return None


@contextlib.contextmanager
def server_address() -> Iterator[str]:
    """Gives this machine the address that servers listen on, whatever link is up.

    Raises `RuntimeError` where the machine is in such a network already: its traffic would go astray.
    """
    _take_down_leftovers()
    if " 198.18." in _run("ip", "-4", "address") + _run("ip", "-4", "route"):
        raise RuntimeError("this machine has addresses of 198.18.0.0/15 already; see: ip address; ip route")
    _ip("address", "add", f"{SERVER}/32", "dev", "lo")
    try:
        yield SERVER
    finally:
        _ip("address", "delete", f"{SERVER}/32", "dev", "lo")


def _take_down_leftovers() -> None:
    """Takes down what runs that were killed left behind."""
    names = [line.split()[0] for line in _run("ip", "netns", "list").splitlines()]
    makers = {name: name.removeprefix(NAMESPACE) for name in names if name.startswith(NAMESPACE)}
    dead = [name for name, maker in makers.items() if not Path("/proc", maker).exists()]
    for name in dead:
        _ip("netns", "delete", name)
    if dead and len(dead) == len(makers) and f" {SERVER}/" in _run("ip", "-4", "address", "show", "dev", "lo"):
        _ip("address", "delete", f"{SERVER}/32", "dev", "lo")


@contextlib.contextmanager
def standing(link: Link) -> Iterator[Network]:
    """Builds a link, and takes it down at the end.

    Raises `RuntimeError` where the relay does not start and `CalledProcessError` where the kernel refuses.
    """
    near, far, namespace = f"bowshot{os.getpid()}n", f"bowshot{os.getpid()}f", f"{NAMESPACE}{os.getpid()}"
    with contextlib.ExitStack() as cleanup:
        _ip("netns", "add", namespace)
        cleanup.callback(_ip, "netns", "delete", namespace)
        cleanup.enter_context(_relay(link, near, far))
        _ip("link", "set", far, "netns", namespace)
        inside = ["ip", "-n", namespace]
        _run(*inside, "address", "add", f"{CLIENT}/32", "dev", far)
        _run(*inside, "link", "set", "lo", "up")
        _run(*inside, "link", "set", far, "up")
        _run(*inside, "route", "add", SERVER, "dev", far, "src", CLIENT)
        _ip("link", "set", near, "up")
        _ip("route", "add", CLIENT, "dev", near, "src", SERVER)
        for prefix, device in ((["tc"], near), (["tc", "-n", namespace], far)):
            _run(*prefix, "qdisc", "add", "dev", device, "root", "tbf", *_rate(link))
        yield Network(namespace)


@contextlib.contextmanager
def _relay(link: Link, near: str, far: str) -> Iterator[None]:
    # Whole segments only where none is lost: a lost segment would be a burst of lost packets.
    offload = "0" if link.loss else "1"
    delay, lost = str(round(link.delay_ms * 1000)), str(round(link.loss * 1_000_000))
    # A wire does not wait for the processor: the relay goes before everything else.
    command = ["nice", "-n", "-10", str(_compiled()), near, far, delay, lost, offload]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        if process.stdout.readline().strip() != "ready":
            raise RuntimeError(f"the relay ended with exit code {process.wait()}")
        try:
            yield
        finally:
            process.kill()


def _rate(link: Link) -> list[str]:
    # A bucket holds at least a segment of 64 KiB, and what a tick of the kernel's clock lets through.
    burst = max(64, link.megabits // 4)
    return ["rate", f"{link.megabits}mbit", "burst", f"{burst}kb", "latency", f"{link.queue_ms}ms"]


def _compiled() -> Path:
    source = Path(__file__).with_name("relay.c")
    program = cache_folder("bench") / "relay"
    if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
        _run("cc", "-O2", "-Wall", "-Wextra", "-o", str(program), str(source))
    return program


def _ip(*arguments: str) -> None:
    _run("ip", *arguments)


def _run(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} failed: {done.stderr.strip()}")
    return done.stdout
