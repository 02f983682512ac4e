#!/usr/bin/env python3
"""Compares uploads of the program with curl, both to the program's own service.

Prints medians of interleaved runs: seconds for 2,000 small files (curl sends 16 at a time) and for one file of
300 MB. The program journals each upload before it sends it; curl does not. Only the ratios
count. Run it from the root of the repository; it needs Go and curl.
"""
import os, statistics, subprocess, tempfile, time

RUNS = int(os.environ.get("RUNS", "3"))
ADDRESS = "http://127.0.0.1:7997"
KEY = "private_bench"
SERVICE = [f"--{name}-url={ADDRESS}" for name in ("upload", "base", "delivery")]


def measure(argv, env):
    begin = time.monotonic()
    result = subprocess.run(argv, env=env, capture_output=True, text=True)
    if result.returncode != 0:
        raise SystemExit(f"{argv[0]} failed: {result.stderr[-500:]}")
    return time.monotonic() - begin


def curl(files, work):
    with open(work + "/curl.cfg", "w") as out:
        for i, file in enumerate(files):
            out.write("next\n" if i else "")
            out.write(f'url = "{ADDRESS}/api/v1/files/upload"\nuser = "{KEY}:"\nfail\nsilent\noutput = "/dev/null"\n')
            out.write(f'form = "file=@{file}"\nform = "fileName={os.path.basename(file)}"\n')
    return ["curl", "--parallel", "--parallel-max", "16", "-K", work + "/curl.cfg"]


with tempfile.TemporaryDirectory() as work:
    program = work + "/mediadesk"
    subprocess.run(["go", "build", "-o", program, "."], check=True)
    for folder, count, size in (("small", 2000, 20_000), ("large", 1, 300_000_000)):
        os.mkdir(f"{work}/{folder}")
        for n in range(count):
            with open(f"{work}/{folder}/{n:04d}.bin", "wb") as out:
                out.write(os.urandom(size))
    figures = {}
    for run in range(RUNS):
        for folder in "small", "large":
            for name in "ours", "curl":
                env = dict(os.environ, MEDIADESK_HOME=f"{work}/{run}-{folder}-{name}", MEDIADESK_PRIVATE_KEY=KEY)
                serve = subprocess.Popen(
                    [program, "serve", "--addr", ADDRESS.split("//")[1], "--data", env["MEDIADESK_HOME"] + "/library", "--json", "--log", "none", "--max-size", "300000000"],
                    env=env, stdout=subprocess.PIPE)
                serve.stdout.readline()
                sources = [f"{work}/{folder}/{name}" for name in sorted(os.listdir(f"{work}/{folder}"))]
                argv = [program, "upload", "-q", *SERVICE, f"{work}/{folder}"] if name == "ours" else curl(sources, work)
                figures.setdefault((folder, name), []).append(measure(argv, env))
                serve.terminate()
                serve.wait()
    for folder in "small", "large":
        ours, theirs = (statistics.median(figures[folder, name]) for name in ("ours", "curl"))
        print(f"{folder}: ours {ours:.2f} s, curl {theirs:.2f} s: {ours / theirs:.2f}")
