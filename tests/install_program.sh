#!/usr/bin/env bash
# tests/install_program.sh BUILD CMAKE: installs the program to a folder of its own, moves that, and uses what
# is there: answers, judging, the page's server, the manual page and the completion of bash, zsh and fish.
set -euo pipefail
build=$1 cmake=$2
source=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$cmake" --install "$build" --component program --prefix "$folder/installed" >/dev/null
moved=$folder/moved  # what is installed may be moved
mv "$folder/installed" "$moved"
cd "$folder"
unset WARPLOOM_JUDGE WARPLOOM_PROGRAM WARPLOOM_PREDICTOR
program=$moved/bin/warploom

fail() {
  echo "error: $*" >&2
  exit 1
}
# expect TEXT WORDS...: what the words print holds the text
expect() {
  local text=$1 said
  shift
  said=$("$@") || fail "$* ended with $?"
  [[ "$said" == *"$text"* ]] || fail "$*: no '$text' in: ${said:0:300}"
}
# accepts NAME WORDS...: where the program NAME is there, the words say nothing
accepts() {
  command -v "$1" >/dev/null || { echo "$1 is not here: not asked"; return; }
  shift
  local said
  said=$("$@" 2>&1 >/dev/null) || true
  [[ -z "$said" ]] || fail "$*: ${said:0:600}"
}

expect '"tier": "measured"' "$program" predict gemm --gpu H100-SXM --m 64 --n 4096 --k 4096 --json
[[ ! -x "$moved/bin/warploom-judge" ]] || expect validate_kernels "$program" schema validate_kernels
if [[ -e "$moved/lib/warploom/libwarploom-http.so" ]]; then
  expect '"status"' python3 - "$program" <<'PYTHON'
import json, re, subprocess, sys, urllib.request
server = subprocess.Popen([sys.argv[1], "web", "--port", "0", "--no-browser"], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
try:
    for line in server.stdout:
        if found := re.search(r"http://\S+?:\d+", line):
            with urllib.request.urlopen(found[0] + "/", timeout=20) as answer:
                print(json.dumps({"status": answer.status}))
            break
finally:
    server.terminate()
PYTHON
fi

page=$moved/share/man/man1/warploom.1
expect 'warploom predict gemm' cat <(tr -d '\\' <"$page")
accepts groff groff -man -ww -T utf8 "$page"
accepts mandoc mandoc -T lint -W error "$page"
if command -v man >/dev/null; then expect 'EXIT STATUS' env MANPAGER=cat man -l "$page"; fi

completion=$moved/share/bash-completion/completions/warploom
# shellcheck disable=SC2016
completed='source "$0"; COMP_WORDS=(warploom sim) COMP_CWORD=1; _warploom; echo "${COMPREPLY[@]}"'
expect 'simulate' bash -c "$completed" "$completion"
accepts zsh python3 "$source/zsh_completion.py" "$moved"
accepts fish fish -n "$moved/share/fish/vendor_completions.d/warploom.fish"
if command -v fish >/dev/null; then
  expect '--kv-cache-dtype' env HOME="$folder" fish -c \
    "source $moved/share/fish/vendor_completions.d/warploom.fish
    complete -C 'warploom simulate --kv-cache-d'"
fi
echo "installed, moved and used"
