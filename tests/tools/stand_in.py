"""A test of a tool that runs a program: a script stands in for the program, in a folder of the test's own."""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from repository import ROOT


class StandInTest(unittest.TestCase):
    """`tool` names the tool, `stand_in` is the script's text; the script lies at self.program."""

    tool = ""
    stand_in = ""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.program = self.root / "warploom"
        # Started hundreds of times: by this Python itself, without what lies beside its own library.
        script = self.stand_in.replace("#!/usr/bin/env python3", f"#!{sys.executable} -IS", 1)
        self.program.write_text(script)
        self.program.chmod(0o755)

    def run_with(self, *words, program=None):
        command = [sys.executable, str(ROOT / "tools" / self.tool),
                   "--warploom", str(program or self.program), *words]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def answer(self, result):
        """The JSON that a run printed."""
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)
