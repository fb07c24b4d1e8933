"""Modules and arrows of docs/architecture.md are those of tools/layers.json and of the CMake lists."""
import json
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from repository import ROOT

ROW = re.compile(r"^\| (\d+) \| `(\w+)` \| ([\w, -]+) \| (.+) \|$", re.MULTILINE)
DEPENDS = re.compile(r"warploom_module\(NAME (\w+)(?:\s+DEPENDS ([\w\s]*?))?(?=\s+[A-Z_]{4,}\b|\s*\))")


def arrows(page):
    """Module -> modules that it may include, as the page's table says."""
    return {name: [] if below == "-" else below.split(", ") for _, name, below, _ in ROW.findall(page)}


def declared(source):
    found = {}
    for cmake in sorted(source.rglob("CMakeLists.txt")):
        for name, below in DEPENDS.findall(cmake.read_text()):
            found[name] = below.split()
    return found


class Architecture(unittest.TestCase):
    def setUp(self):
        self.page = (ROOT / "docs" / "architecture.md").read_text()

    def run_tool(self, root, *options):
        command = [sys.executable, str(ROOT / "tools" / "architecture"), "--root", str(root), *options]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def test_the_arrows_are_those_of_the_layers(self):
        layers = json.loads((ROOT / "tools" / "layers.json").read_text())["modules"]
        self.assertEqual(arrows(self.page), layers)

    def test_every_module_that_is_built_uses_only_arrows_of_the_page(self):
        allowed, built = arrows(self.page), declared(ROOT / "src" / "warploom")
        self.assertGreater(len(built), 15)
        for name, below in built.items():
            self.assertIn(name, allowed)
            self.assertLessEqual(set(below), set(allowed[name]), name)

    def test_arrows_go_down(self):
        levels = {name: int(level) for level, name, _, _ in ROW.findall(self.page)}
        for name, below in arrows(self.page).items():
            self.assertTrue(all(levels[other] < levels[name] for other in below), name)

    def test_the_tables_are_as_the_tool_writes_them(self):
        result = self.run_tool(ROOT, "--check")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_a_page_that_differs_is_found_and_mended(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for name in ("docs/architecture.md", "tools/layers.json"):
                (root / name).parent.mkdir(exist_ok=True)
                shutil.copy(ROOT / name, root / name)
            page = root / "docs" / "architecture.md"
            self.assertEqual(self.run_tool(root).returncode, 0)
            right = page.read_text()
            fewer = right.replace("| hardware, base |", "| base |", 1)
            for wrong in (fewer, right.replace("| `kernels` |", "| `cores` |")):
                page.write_text(wrong)
                self.assertEqual(self.run_tool(root, "--check").returncode, 1)
                self.assertEqual(self.run_tool(root).returncode, 0)
                self.assertEqual(page.read_text(), right)


if __name__ == "__main__":
    unittest.main()
