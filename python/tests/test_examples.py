"""The examples run, and their notebooks say and do the same. PYTHONPATH holds the built package."""

import importlib.machinery
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NEEDS = {"calibrate_from_frame": ("pandas",)}


def tool(name):
    loader = importlib.machinery.SourceFileLoader(name, str(ROOT / "tools" / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    return module


def printed(words, folder):
    environment = {**os.environ, "MPLBACKEND": "Agg", "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        [sys.executable, *words], capture_output=True, text=True, check=False, cwd=folder, env=environment
    )


class Examples(unittest.TestCase):
    def test_scripts_and_notebooks_print_the_same(self):
        notebooks = sorted((ROOT / "examples/notebooks").glob("*.ipynb"))
        self.assertEqual(len(notebooks), 5)
        for path in notebooks:
            if not all(importlib.util.find_spec(module) for module in NEEDS.get(path.stem, ())):
                continue
            with self.subTest(path.stem):
                script = printed([str(ROOT / f"examples/python/{path.stem}.py")], ROOT)
                if "without training" in script.stderr or "no training libraries" in script.stderr:
                    continue
                self.assertEqual(script.returncode, 0, script.stderr[-2000:])
                self.assertTrue(script.stdout)
                cells = json.loads(path.read_text())["cells"]
                code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
                self.assertEqual(printed(["-c", code], path.parent).stdout, script.stdout)

    def test_the_mock_server_runs(self):
        done = printed([str(ROOT / "examples/python/mock_server.py")], ROOT)
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        self.assertIn("mean time to the first token", done.stdout)

    def test_notebooks_are_made_of_the_scripts(self):
        made = tool("make_notebooks").notebooks()
        for name, text in made.items():
            self.assertEqual(
                (ROOT / "examples/notebooks" / name).read_text(), text, "run tools/make_notebooks"
            )

    def test_a_changed_script_is_another_notebook(self):
        make = tool("make_notebooks")
        with tempfile.TemporaryDirectory() as folder:
            script = Path(folder) / "one.py"
            script.write_text(
                '"""About.\n\npython one.py\n"""\n\n# %% [markdown]\n# Words.\n\n# %%\nprint(1)\n'
            )
            first = make.notebook_of(script)
            kinds = [cell["cell_type"] for cell in first["cells"]]
            self.assertEqual(kinds, ["markdown", "markdown", "code"])
            self.assertEqual(first["cells"][1]["source"], ["Words."])
            self.assertEqual(first["cells"][2]["source"], ["print(1)"])
            self.assertIn("    python one.py", "".join(first["cells"][0]["source"]))
            script.write_text(script.read_text().replace("print(1)", "print(2)"))
            self.assertNotEqual(make.notebook_of(script), first)


if __name__ == "__main__":
    unittest.main()
