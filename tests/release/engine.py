"""A platform under test: how its executable is started, and a dialogue with it."""

import fcntl
import os
import pathlib
import pty
import re
import selectors
import shlex
import shutil
import subprocess
import termios
import threading
import time

# Emulated processors are slow, and the machine may be busy.
PATIENCE = 180


class Fault(Exception):
    """What went wrong, in one line."""


class NotApplicable(Exception):
    """Why a check says nothing on this platform."""


class Platform:
    """An executable, the runner that it needs, and a folder for files."""

    def __init__(self, arguments, folder, known):
        self.name = arguments.name
        self.exe = pathlib.Path(arguments.exe).resolve()
        self.runner = shlex.split(arguments.runner)
        self.windows = arguments.windows
        self.folder = folder
        self.known = known

    def command(self, *words, exe=None):
        """The command line of the executable with arguments."""
        return [*self.runner, str(exe or self.exe), *map(str, words)]

    def engine(self, exe=None):
        """The command of the executable as an engine of `match`: emulators need a script around it."""
        exe = pathlib.Path(exe or self.exe)
        if self.windows or not self.runner:
            return str(exe)
        script = (
            exe.parent / f"{exe.name}-{self.name}.sh"
            if exe != self.exe
            else self.folder / "engine.sh"
        )
        script.write_text(f'#!/bin/sh\nexec {shlex.join(self.command(exe=exe))} "$@"\n')
        script.chmod(0o755)
        return str(script)

    def tool(self, *words, exe=None, expect=0, cwd=None, text=None):
        """Runs a subcommand to its end and returns what it printed on stdout."""
        done = subprocess.run(
            self.command(*words, exe=exe),
            input=text,
            capture_output=True,
            cwd=cwd or self.folder,
            timeout=4 * PATIENCE,
            check=False,
        )
        if done.returncode != expect:
            shown = (done.stderr or done.stdout).decode(errors="replace").strip().splitlines()
            raise Fault(
                f"{words[0]}: status {done.returncode}, expected {expect}: {' '.join(shown[-2:])}"
            )
        return done.stdout.decode(errors="replace").replace("\r\n", "\n")

    def same_as_reference(self, key, value):
        """Compares with the first platform, or becomes the reference."""
        if self.known.setdefault(key, value) != value:
            raise Fault(f"{key}: {value}, the reference has {self.known[key]}")

    def fresh(self, name):
        """An empty folder."""
        folder = self.folder / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        return folder


class Dialogue:
    """A running USI engine, spoken to over pipes."""

    def __init__(self, platform, exe=None, cwd=None, environment=None, preexec=None):
        self.process = subprocess.Popen(
            platform.command(exe=exe),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=cwd or platform.folder,
            env={**os.environ, **(environment or {})},
            bufsize=0,
            preexec_fn=preexec,
        )
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.process.stdout, selectors.EVENT_READ)
        self.rest = b""
        self.lines = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()

    def send(self, *lines, end="\n"):
        """Writes lines; bytes are sent as they are."""
        for line in lines:
            line = line if isinstance(line, bytes) else line.encode()
            self.process.stdin.write(line + end.encode())

    def until(self, start, patience=PATIENCE):
        """Reads up to the line that begins with `start`, and returns that line."""
        deadline = time.monotonic() + patience
        while True:
            line = self.line(deadline)
            if line is None:
                raise Fault(f"no {start!r} within {patience} s; last line: {self.lines[-1:]}")
            if line.startswith(start):
                return line

    def line(self, deadline):
        """The next line without its end; `None` at the deadline."""
        while b"\n" not in self.rest:
            if not self.selector.select(max(0, deadline - time.monotonic())):
                return None
            read = os.read(self.process.stdout.fileno(), 65536)
            if not read:
                raise Fault(
                    f"the output ended, status {self.process.wait()}; last line: {self.lines[-1:]}"
                )
            self.rest += read
        line, self.rest = self.rest.split(b"\n", 1)
        self.lines.append(line.decode(errors="replace").rstrip("\r"))
        return self.lines[-1]

    def ask(self, command, start):
        """Sends a command and waits for its answer."""
        self.send(command)
        return self.until(start)

    def ready(self):
        """The handshake."""
        self.ask("usi", "usiok")
        self.ask("isready", "readyok")

    def quit(self):
        """Ends the engine, which must leave with status 0."""
        self.send("quit")
        status = self.process.wait(PATIENCE)
        if status != 0:
            raise Fault(f"quit: status {status}")


class Terminal:
    """A command that runs in a terminal, as if a person had typed it."""

    def __init__(self, command, folder):
        self.own, its = pty.openpty()
        self.process = subprocess.Popen(
            list(map(str, command)),
            stdin=its,
            stdout=its,
            stderr=its,
            cwd=folder,
            env={**os.environ, "TERM": "xterm"},
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(its)
        self.shown = b""
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.reader.join(PATIENCE)
        os.close(self.own)

    def read(self):
        """Keeps what is shown, up to the end."""
        try:
            while part := os.read(self.own, 4096):
                self.shown += part
        except OSError:
            pass  # Linux reports the end so.

    def write(self, keys):
        """Presses keys."""
        os.write(self.own, keys)

    def wait(self):
        """The exit status."""
        return self.process.wait(PATIENCE)

    def text(self):
        """What was shown, without escape sequences. Steps to the right are blanks."""
        text = re.sub(rb"\x1b\[\d*C", b" ", self.shown)
        return re.sub(rb"\x1b\[[^@-~]*[@-~]", b"", text).decode(errors="replace")
