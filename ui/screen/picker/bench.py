#!/usr/bin/env python3
"""Compares the program with nnn in a folder of 100,000 entries, each on a terminal of 200x60.

Prints medians of interleaved runs: milliseconds from the start to the first sorted names, and from a key to what
it draws first. Only the ratios count. Run it from the root of the repository; it needs Go and nnn.
"""
import fcntl, os, pty, select, signal, statistics, struct, subprocess, tempfile, termios, time

RUNS = int(os.environ.get("RUNS", "7"))
NOWHERE = ["--upload-url=http://127.0.0.1:9", "--base-url=http://127.0.0.1:9", "--delivery-url=http://127.0.0.1:9"]
NAMES = [b"IMG_%06d" % n for n in range(1, 13)]


def run(argv, folder, home):
    pid, fd = pty.fork()
    if pid == 0:
        os.chdir(folder)
        os.environ.update(TERM="xterm-256color", PWD=folder, MEDIADESK_HOME=home, MEDIADESK_PRIVATE_KEY="private_bench")
        os.execvp(argv[0], argv)
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 60, 200, 0, 0))
    begin, seen = time.monotonic(), b""
    while not all(n in seen for n in NAMES):
        if not select.select([fd], [], [], 30)[0]:
            raise SystemExit(f"{argv[0]} shows no sorted names")
        seen += os.read(fd, 1 << 16)
    first = time.monotonic() - begin
    while select.select([fd], [], [], 1)[0]:
        os.read(fd, 1 << 16)
    keys = []
    for _ in range(20):
        begin = time.monotonic()
        os.write(fd, b"j")
        select.select([fd], [], [], 1)
        keys.append(time.monotonic() - begin)
        while select.select([fd], [], [], 0.2)[0]:  # the preview, drawn later
            os.read(fd, 1 << 16)
    os.kill(pid, signal.SIGKILL)
    os.close(fd)
    os.waitpid(pid, 0)
    return first * 1000, statistics.median(keys) * 1000


with tempfile.TemporaryDirectory() as work:
    ours, folder, home = work + "/mediadesk", work + "/many", work + "/home"
    subprocess.run(["go", "build", "-o", ours, "."], check=True)
    os.mkdir(folder)
    for n in range(1, 100_001):
        open(f"{folder}/IMG_{n:06d} holiday.jpg", "w").close()
    programs = {"ours": [ours, *NOWHERE], "nnn": ["nnn"]}
    figures = {name: [] for name in programs}
    for _ in range(RUNS):
        for name, argv in programs.items():
            figures[name].append(run(argv, folder, home))
    for at, what in enumerate(("first sorted names", "a key")):
        a, b = (statistics.median(f[at] for f in figures[name]) for name in programs)
        print(f"{what:20} ours {a:6.1f} ms, nnn {b:6.1f} ms: {a / b:.2f}")
