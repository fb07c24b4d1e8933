"""What libwarploom-wheel.so must show: called by cmake/WarploomWheelLibrary.cmake.

Writes OUTPUT.map, a version script for the linker, and OUTPUT.rsp, which makes it take these symbols out of
archives. ASKING and REPLACED are lists with semicolons: objects that ask for symbols of C++, and objects whose
own functions a program replaces by others.
"""

import argparse
import re
import subprocess
from pathlib import Path

VERSION = "WARPLOOM_WHEEL"
# Names of C++, its runtime and the C libraries that are linked statically; none of glibc or Python.
OURS = re.compile(r"_Z|__cxa_(?!finalize|atexit|thread_atexit)|__gxx_|__dynamic_cast|__once_proxy|sqlite3_")
NOT_SHARED = re.compile(r"_ZGV|_ZTH|_ZTW")


def symbols(nm, option, files):
    said = subprocess.run([nm, option, *files], capture_output=True, text=True, check=True).stdout
    lines = (line.split() for line in said.splitlines())
    return {(words[-2], words[-1]) for words in lines if len(words) >= 2 and not words[-1].endswith(":")}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nm", required=True)
    parser.add_argument("--output", required=True)
    parser.add_argument("--asking", required=True)
    parser.add_argument("--replaced", required=True)
    request = parser.parse_args()
    asking, replaced = request.asking.split(";"), request.replaced.split(";")
    asked = {name for kind, name in symbols(request.nm, "--undefined-only", asking) if kind in "Uw"}
    # What these objects define themselves is theirs, but for what stands in archives of ours too.
    own = {name for kind, name in symbols(request.nm, "--defined-only", asking) if kind in "TDBRVWu"}
    given = {name for kind, name in symbols(request.nm, "--defined-only", replaced) if kind == "T"}
    wanted = sorted(name for name in (asked - own) | given if OURS.match(name) and not NOT_SHARED.match(name))
    lines = "".join(f"    {name};\n" for name in wanted)
    Path(request.output + ".map").write_text(f"{VERSION} {{\n  global:\n{lines}  local:\n    *;\n}};\n")
    Path(request.output + ".rsp").write_text("".join(f"-Wl,-u,{name}\n" for name in wanted))


if __name__ == "__main__":
    main()
