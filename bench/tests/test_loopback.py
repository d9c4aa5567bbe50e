"""Loopback without pacing, and as it was before."""

import os
import socket
from pathlib import Path

import pytest

from bench import loopback


def accepted() -> str:
    """Returns the congestion control of a connection that a server on 127.0.0.1 accepts."""
    with socket.create_server(("127.0.0.1", 0)) as listener, socket.create_connection(listener.getsockname()):
        connection, _ = listener.accept()
        with connection:
            name = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16)
    return name.rstrip(b"\0").decode()


def test_what_is_said_is_in_force_and_goes_again() -> None:
    before = accepted()
    with loopback.unpaced() as control:
        assert accepted() == control
    assert accepted() == before


@pytest.mark.skipif(os.geteuid() != 0, reason="root alone may change routes")
def test_a_machine_that_paces_does_not_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    setting = tmp_path / "tcp_congestion_control"
    setting.write_text("reno\n")
    monkeypatch.setattr(loopback, "CONTROL", setting)
    route, before = loopback._ip(*loopback.ROUTE), accepted()
    with loopback.unpaced() as control:
        assert (control, accepted()) == ("cubic", "cubic")
    assert (loopback._ip(*loopback.ROUTE), accepted()) == (route, before)


def test_nothing_changes_where_nobody_wants_it() -> None:
    before = accepted()
    with loopback.unpaced(wanted=False) as control:
        assert control == loopback.congestion_control()
        assert accepted() == before
