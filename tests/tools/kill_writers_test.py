"""tools/kill_writers, flip_bytes and web_load say what is wrong with the program, without a traceback."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def run(tool, program, *more):
    words = [sys.executable, ROOT / "tools" / tool, "--warploom", program, *more]
    return subprocess.run(words, capture_output=True, text=True, check=False)


class Tools(unittest.TestCase):
    def test_a_program_that_is_not_there_is_said(self):
        for tool in ("kill_writers", "flip_bytes", "web_load"):
            ended = run(tool, "/nonexistent/bin/warploom")
            self.assertEqual(ended.returncode, 1)
            self.assertNotIn("Traceback", ended.stderr)
            self.assertIn("/nonexistent/bin/warploom: no such file", ended.stderr)

    def test_a_command_that_does_not_run_is_said_with_its_words(self):
        with tempfile.TemporaryDirectory() as folder:
            build = Path(folder)
            (build / "bin").mkdir()
            (build / "lib").mkdir()
            # Stands in for the toolkit's library: opens a session and refuses every question.
            subprocess.run(
                ["cc", "-shared", "-x", "c", "-", "-o", build / "lib/libwarploom.so"],
                input=b"int warploom_open(void) { return 0; } int warploom_answer(void) { return 1; }"
                b"void warploom_close(void) {} void warploom_free_text(void) {}",
                check=True,
            )
            program = build / "bin/warploom"
            program.write_text("#!/bin/sh\necho 'warploom: needs another program' >&2\nexit 2\n")
            program.chmod(0o755)
            for tool in ("kill_writers", "flip_bytes"):
                ended = run(tool, program, "--only", "table")
                self.assertEqual(ended.returncode, 1)
                self.assertNotIn("Traceback", ended.stderr)
                self.assertIn("tune fit", ended.stderr)
                self.assertIn("status 2: warploom: needs another program", ended.stderr)


if __name__ == "__main__":
    unittest.main()
