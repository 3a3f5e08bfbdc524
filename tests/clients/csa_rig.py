"""A local shogi-server and clients around it, for `csa_server.py` and `csa_day.py`."""
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

# The server listens on all addresses by itself.
BIND = """require 'socket'
class TCPServer
  alias_method :original_initialize, :initialize
  def initialize(*arguments)
    original_initialize('127.0.0.1', arguments.last)
  end
end
"""
# Rounds of floodgate, one a minute; the server is given this many.
ROUNDS = 240
MOVE = re.compile(r"^[+-]\d{4}[A-Z]{2}$")


class Fault(Exception):
    """Something that must not happen."""


def skip_reason(folder):
    """Why nothing can be run; None if all is there."""
    if not folder or not (Path(folder) / "shogi-server").exists():
        return "no shogi-server, expected --server FOLDER or SHOGI_SERVER"
    if shutil.which("ruby") is None:
        return "no ruby"
    return None


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """A shogi-server on a port of its own. It keeps its records in its own folder."""

    def __init__(self, folder, work, floodgate=()):
        self.work, self.port, self.floodgate, self.process = work, free_port(), list(floodgate), None
        shutil.copytree(folder, work / "server", ignore=shutil.ignore_patterns(".git", "2*"))
        rounds = [time.strftime("%a %H:%M\n", time.localtime(time.time() + 60 * minute)) for minute in range(ROUNDS)]
        settings = "set max_moves 256\nset least_time_per_move 0\n"
        for name in self.floodgate:
            (work / "server" / f"{name}.conf").write_text(settings + "".join(rounds))
        (work / "bind.rb").write_text(BIND)
        (work / "players").mkdir()
        self.log = open(work / "server.log", "w")
        self.start()

    def start(self):
        command = ["ruby", "-r", str(self.work / "bind.rb"), str(self.work / "server" / "shogi-server"),
                   "--least-time-per-move", "0", "--max-moves", "256", "--pid-file", str(self.work / "pid"),
                   "--player-log-dir", str(self.work / "players")]
        if self.floodgate:
            command += ["--floodgate-games", ",".join(self.floodgate)]
        self.process = subprocess.Popen(command + ["test", str(self.port)], cwd=self.work, stdout=self.log,
                                        stderr=self.log)
        for _ in range(300):
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                time.sleep(0.1)
        raise Fault(f"the server does not start, see {self.work}/server.log")

    def kill(self):
        self.process.kill()
        self.process.wait()

    def records(self):
        """The records of the server, by the id of the game."""
        return {path.stem: path for path in (self.work / "server").rglob("*.csa")}


def start_raicho(raicho, work, port, name, game, games, more=()):
    """A client; returns its folder and its process."""
    out = work / f"{name}.out"
    command = [raicho, "csa", "--host", f"127.0.0.1:{port}", "--id", name, "--game", game,
               "--out", str(out), *more]
    if games:
        command += ["--games", str(games)]
    log = open(work / f"{name}.log", "w")
    return out, subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL,
                                 env=dict(os.environ, RAICHO_CSA_PASSWORD=f"{name}trip"))


def start_bridge(engine, options, work, port, name, game, ponder):
    """The bridge of shogi-server with a USI engine. It plays one game a process, so a shell starts it again."""
    bridge = work / "server" / "bin" / "usiToCsa.rb"
    logs = work / f"{name}.bridge"
    logs.mkdir()
    command = (f"ruby {bridge} --host 127.0.0.1 --port {port} --id {name} --gamename {game} --password {name}trip"
               f" --hash 16 --options {','.join(options)} --log-dir {logs}{' --ponder' if ponder else ''} {engine}")
    log = open(work / f"{name}.log", "w")
    return subprocess.Popen(["sh", "-c", f"while sleep 1; do {command}; done"], cwd=work, stdout=log, stderr=log,
                            stdin=subprocess.DEVNULL, start_new_session=True)


def end_by_signal():
    """Makes SIGTERM an exception, so that no client or server is left behind."""
    def leave(*_):
        raise Fault("terminated")
    signal.signal(signal.SIGTERM, leave)


def end(process, with_group=False):
    if process.poll() is None:
        if with_group:
            os.killpg(process.pid, signal.SIGTERM)
        else:
            process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()


def journal(folder):
    path = folder / "games.jsonl"
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text().splitlines()]


def read_record(path):
    """Moves with time and comment `** …`, and the other words of a record (server's or ours)."""
    moves, rest = [], []
    for line in path.read_text(errors="replace").splitlines():
        if MOVE.match(line):
            moves.append({"move": line, "time": None, "comment": None})
        elif re.match(r"^T[\d.]+$", line) and moves and moves[-1]["time"] is None:
            moves[-1]["time"] = float(line[1:])
        elif line.startswith("'** ") and moves:
            moves[-1]["comment"] = line[4:].strip()
        else:
            rest.append(line)
    return moves, rest
