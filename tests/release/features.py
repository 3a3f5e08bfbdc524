"""The checks of what platforms do differently: memory, signals, paths, line ends, encodings."""

import ctypes
import pathlib
import shutil
import time

from engine import PATIENCE, Dialogue, Fault, Terminal
from tools import digest, expect_move, games, play

# With a blank, a wide blank, kanji whose second byte in CP932 is a backslash, and one outside CP932.
FOLDER = "雷鳥 ソ表　𠮷"
PR_SET_THP_DISABLE = 41


def large_pages(platform):
    """Tables of 256 MB with large pages, and without where the system refuses them."""
    with Dialogue(platform) as engine:
        search_with_large_table(engine)
        figure = None if platform.windows or platform.runner else huge_kilobytes(engine.process.pid)
        engine.quit()
    if platform.windows:
        return "ok (the engine asks for none on Windows)"
    with Dialogue(platform, preexec=refuse_large_pages) as engine:
        search_with_large_table(engine)
        without = None if figure is None else huge_kilobytes(engine.process.pid)
        engine.quit()
    if figure is None:
        return "ok (an emulator does not show them)"
    if without:
        raise Fault(f"{without} kB on large pages although they are refused")
    return f"ok {figure // 1024} MB" if figure else "ok (the system gives none)"


def search_with_large_table(engine):
    """A short search in a table of 256 MB."""
    engine.ask("usi", "usiok")
    engine.send("setoption name USI_Hash value 256", "setoption name USI_OwnBook value false")
    engine.ask("isready", "readyok")
    engine.send("position startpos")
    expect_move(engine.ask("go nodes 2000", "bestmove"))


def huge_kilobytes(pid):
    """Memory of a process on large pages in kB."""
    for line in pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("AnonHugePages:"):
            return int(line.split()[1])
    return 0


def refuse_large_pages():
    """Called in the child before it starts the engine."""
    ctypes.CDLL(None).prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0)


def ctrl_c(platform):
    """Games that were interrupted in a terminal and resumed are those of an undisturbed run."""
    whole = platform.folder / "undisturbed"
    play(platform, whole, "--games", 40)
    out = platform.folder / "interrupted"
    with Terminal(platform.command(*games(out), "--games", 40), platform.folder) as terminal:
        wait_for_games(terminal, out)
        terminal.write(b"\x03")
        status = terminal.wait()
    if status not in (1, 130):
        raise Fault(f"status {status} after Ctrl-C: {terminal.text()[-200:]}")
    if digest(out) == digest(whole):
        raise Fault("the run had ended before Ctrl-C")
    play(platform, out, "--games", 40, "--resume")
    if digest(out) != digest(whole):
        raise Fault(f"resumed: {digest(out)}, undisturbed: {digest(whole)}")


def wait_for_games(terminal, out):
    """Returns when the first games are written."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and terminal.process.poll() is None:
        if any(path.stat().st_size > 0 for path in out.glob("*.pack*")):
            return
        time.sleep(0.05)
    raise Fault(f"no games before Ctrl-C: {terminal.text()[-200:]}")


def paths(platform):
    """The executable, its network, games and records in folders with blanks and Japanese letters."""
    folder = platform.fresh(FOLDER)
    exe = folder / f"将棋 engine{platform.exe.suffix}"
    shutil.copy2(platform.exe, exe)
    for library in platform.exe.parent.glob("*.dll"):
        shutil.copy2(library, folder)
    network = folder / "評価 関数" / "nn.bin"
    network.parent.mkdir()
    platform.tool("net", "random", "halfkp_256x2-32-32", network, exe=exe)
    with Dialogue(platform, exe=exe, cwd=folder) as engine:
        engine.ask("usi", "usiok")
        engine.send("setoption name USI_OwnBook value false")
        engine.send(f"setoption name EvalFile value {network.relative_to(folder)}")
        engine.ask("isready", "readyok")
        engine.send("position startpos")
        expect_move(engine.ask("go nodes 1000", "bestmove"))
        engine.quit()
        errors = [line for line in engine.lines if "error" in line]
        if errors or not any(network.name in line for line in engine.lines):
            raise Fault(f"network in {network.parent.name}: {errors or engine.lines[-5:]}")
    record = folder / "棋譜 一.usi"
    record.write_text("startpos moves 7g7f 3c3d 2g2f\n", encoding="utf-8")
    for name in ["棋譜 二.kif", "棋譜 三.csa", "棋譜 四.jkf"]:
        platform.tool("convert", record, "--out", folder / name, exe=exe)
        record = folder / name
    command = f"cmd={platform.engine(exe)}"
    platform.tool(
        "match",
        "--engine",
        f"{command},name=a",
        "--engine",
        f"{command},name=b",
        "--each",
        "nodes=50,option.USI_Hash=1,option.Threads=1",
        "--games",
        2,
        "--out",
        folder / "対局 一",
        exe=exe,
    )


def cr_lf(platform):
    """Line ends of Windows, in the dialogue and in files."""
    with Dialogue(platform) as engine:
        engine.send("usi", "isready", "position startpos moves 7g7f", "go nodes 500", end="\r\n")
        expect_move(engine.until("bestmove"))
        engine.send("quit", end="\r\n")
        if engine.process.wait(PATIENCE) != 0:
            raise Fault("quit with CR LF is not understood")
        errors = [line for line in engine.lines if "error" in line]
        if errors:
            raise Fault(errors[0])
    problems = platform.folder / "problems-crlf.txt"
    problems.write_bytes(b"4k4/9/4P4/9/9/9/9/9/4K4 b G 1\r\n")
    if "G*5b" not in platform.tool("mate", problems, "--hash", 16):
        raise Fault("a file of problems with CR LF")


def cp932(platform):
    """Old encodings of Japanese Windows: a file name from a GUI, and a record."""
    folder = platform.fresh("評価ソ表")
    network = folder / "nn.bin"
    platform.tool("net", "random", "halfkp_256x2-32-32", network)
    with Dialogue(platform) as engine:
        engine.ask("usi", "usiok")
        engine.send("setoption name USI_OwnBook value false")
        engine.send(f"setoption name EvalFile value {folder.name}/nn.bin".encode("cp932"))
        engine.ask("isready", "readyok")
        errors = [line for line in engine.lines if "error" in line]
        engine.send(b"\x81\xff\x80 \xfd\xfe")
        engine.ask("isready", "readyok")
        engine.quit()
        if errors:
            raise Fault(f"a file name in CP932: {errors[0]}")
    if platform.windows:
        console(platform)
    record = platform.folder / "old.kif"
    lines = [
        "手合割：平手",
        "先手：先手の表",
        "手数----指手---------消費時間--",
        "   1 ７六歩(77)   ( 0:01/00:00:01)",
        "   2 ３四歩(33)   ( 0:01/00:00:01)",
        "   3 投了",
    ]
    record.write_bytes("\r\n".join([*lines, ""]).encode("cp932"))
    written = platform.folder / "new.csa"
    platform.tool("convert", record, "--out", written)
    text = written.read_text(encoding="utf-8")
    if "N+先手の表" not in text or "-3334FU" not in text:
        raise Fault(f"a record in CP932: {text!r}")


def console(platform):
    """A console with code page 932 shows kanji."""
    problems = platform.folder / "problem.txt"
    problems.write_text("4k4/9/4P4/9/9/9/9/9/4K4 b G 1\n")
    command = f"chcp 932 >nul & {platform.exe} mate --lang ja --hash 16 problem.txt"
    with Terminal([*platform.runner, "cmd", "/c", command], platform.folder) as terminal:
        terminal.wait()
    if "詰み" not in terminal.text():
        raise Fault(f"a console with code page 932 shows {terminal.text()[-200:]!r}")


def kernels(platform):
    """The kernels of the network that the engine chose for the CPU: none with AVX on an old one."""
    with Dialogue(platform) as engine:
        chosen = engine.ask("compiler", "Raicho").rsplit("networks by ", 1)[-1]
        engine.quit()
    if platform.name == "nehalem" and "avx" in chosen:
        raise Fault(f"{chosen} on a CPU without AVX")
    return f"ok {chosen}"
