"""A small made-up repository for the tests of tools/: files from a dict, removed at the end."""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent

LAYERS = {
    "modules": {"base": [], "kernels": ["base"], "app": ["kernels", "base"]},
    "rooms": {"base": ["internal"]},
    "restricted": {"kernels/store.h": ["kernels"]},
    "heavy": ["nlohmann/json.hpp", "sqlite3"],
}


class ToolTest(unittest.TestCase):
    """Runs one tool on a made-up repository and looks at its exit status and words."""

    tool = ""

    def run_tool(self, files):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for name, text in {"tools/layers.json": json.dumps(LAYERS), **files}.items():
                path = root / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return subprocess.run([sys.executable, str(ROOT / "tools" / self.tool), "--root", folder],
                                  capture_output=True, text=True, check=False)

    def assert_passes(self, files):
        result = self.run_tool(files)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def assert_fails(self, files, words):
        result = self.run_tool(files)
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertIn(words, result.stdout)
