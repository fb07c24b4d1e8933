"""tools/hardened names each guard that a program is built without, and what users run is built with all."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = r"""
#include <stdio.h>
#include <string.h>
int main(int count, char** words) {
  char text[16];
  strcpy(text, words[count - 1]);
  return printf("%s\n", text) < 0;
}
"""
GUARDS = "-O2 -fPIE -pie -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -w"
LINKED = "-Wl,-z,relro,-z,now,-z,noexecstack"
COMPILER = os.environ.get("CC") or shutil.which("cc")


def hardened(*paths):
    return subprocess.run(
        [sys.executable, ROOT / "tools/hardened", *paths], capture_output=True, text=True, check=False
    )


@unittest.skipUnless(COMPILER and shutil.which("readelf"), "no compiler or no readelf")
class Hardened(unittest.TestCase):
    def built(self, *more):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        source, program = Path(folder.name) / "one.c", Path(folder.name) / "one"
        source.write_text(SOURCE)
        words = [COMPILER, source, "-o", program, *GUARDS.split(), LINKED, *more]
        subprocess.run(words, check=True, capture_output=True)
        return program

    def test_one_with_every_guard_passes(self):
        ended = hardened(self.built())
        self.assertEqual((ended.returncode, ended.stderr), (0, ""), ended.stdout)

    def test_each_guard_that_is_missing_is_named(self):
        for words, named in (
            (["-no-pie", "-fno-pie"], "no PIE"),
            (["-Wl,-z,norelro"], "no RELRO"),
            (["-Wl,-z,lazy"], "no BIND_NOW"),
            (["-Wl,-z,execstack"], "executable"),
            (["-fno-stack-protector"], "not guarded"),
            (["-D_FORTIFY_SOURCE=0"], "not fortified"),
        ):
            ended = hardened(self.built(*words))
            self.assertEqual(ended.returncode, 1, words)
            self.assertIn(named, ended.stdout)
            self.assertEqual(ended.stdout.count(";"), 0, ended.stdout)

    def test_no_program_is_a_fault(self):
        self.assertNotEqual(hardened("/nonexistent").returncode, 0)
        self.assertEqual(hardened().returncode, 2)


class WhatUsersRun(unittest.TestCase):
    def test_is_built_with_them(self):
        presets = json.loads((ROOT / "CMakePresets.json").read_text())["configurePresets"]
        release = next(preset for preset in presets if preset["name"] == "release")
        self.assertEqual(release["cacheVariables"]["WARPLOOM_HARDENED"], "ON")
        wheel = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["scikit-build"]
        self.assertEqual(wheel["cmake"]["define"]["WARPLOOM_HARDENED"], "ON")


if __name__ == "__main__":
    unittest.main()
