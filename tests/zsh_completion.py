"""tests/zsh_completion.py PREFIX: a zsh that a person could sit at completes what is installed at PREFIX.

Each line is typed as it stands, with a tab; what the shell must then have written follows. Ends with status 1
where it does not within a minute.
"""

import os
import pty
import select
import sys
import time

LINES = (("warploom simul", "simulate "), ("--kv-cache-d", "--kv-cache-dtype "))
PATIENCE_S = 60


def wait_for(terminal, text):
    said, until = "", time.monotonic() + PATIENCE_S
    while text not in said and time.monotonic() < until:
        if select.select([terminal], [], [], 1)[0]:
            said += os.read(terminal, 65536).decode(errors="replace")
    if text not in said:
        sys.exit(f"zsh wrote {said!r}, expected '{text}'")


def main():
    prefix = sys.argv[1]
    process, terminal = pty.fork()
    if process == 0:
        os.environ.update(TERM="dumb", PATH=f"{prefix}/bin:/usr/bin:/bin")
        os.execvp("zsh", ["zsh", "-f", "-i"])
    functions = f"fpath=({prefix}/share/zsh/site-functions $fpath)"
    ready = "print REA''DY"  # not what the terminal repeats of the line typed
    os.write(terminal, f"{functions}; autoload -Uz compinit; compinit -D -u; {ready}\n".encode())
    wait_for(terminal, "READY")
    for typed, completed in LINES:
        os.write(terminal, f"{typed}\t".encode())
        wait_for(terminal, completed)


if __name__ == "__main__":
    main()
