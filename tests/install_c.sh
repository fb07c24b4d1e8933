#!/usr/bin/env bash
# tests/install_c.sh BUILD CMAKE COMPILER SOURCE: installs the C library to a folder of its own, builds a
# program against it by pkg-config alone, and runs it.
set -euo pipefail
build=$1 cmake=$2 compiler=$3 source=$4
command -v pkg-config >/dev/null || { echo "pkg-config is not installed; skipped"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$cmake" --install "$build" --component c --prefix "$folder/installed" >/dev/null
moved=$folder/moved # what is installed may be moved
mv "$folder/installed" "$moved"
PKG_CONFIG_PATH=$(dirname "$(find "$moved" -name warploom.pc)")
export PKG_CONFIG_PATH
# shellcheck disable=SC2046
"$compiler" -std=c99 "$source" $(pkg-config --cflags --libs warploom) -o "$folder/program"
"$folder/program"
