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
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
ALONE = {"mock_server"}  # scripts that are no notebooks
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


def notebook_code(name):
    cells = json.loads((ROOT / f"examples/notebooks/{name}.ipynb").read_text())["cells"]
    return "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")


class Examples(unittest.TestCase):
    def test_scripts_and_notebooks_print_the_same(self):
        notebooks = sorted((ROOT / "examples/notebooks").glob("*.ipynb"))
        scripts = {path.stem for path in (ROOT / "examples/python").glob("*.py")}
        self.assertEqual({path.stem for path in notebooks} | ALONE, scripts, "an example that nothing runs")
        for path in notebooks:
            with self.subTest(path.stem):
                missing = [each for each in NEEDS.get(path.stem, ()) if not importlib.util.find_spec(each)]
                if missing:
                    self.skipTest(f"{', '.join(missing)} is not installed")
                script = printed([str(ROOT / f"examples/python/{path.stem}.py")], ROOT)
                if "without training" in script.stderr or "no training libraries" in script.stderr:
                    self.skipTest("built without training")
                self.assertEqual(script.returncode, 0, script.stderr[-2000:])
                self.assertTrue(script.stdout)
                code = notebook_code(path.stem)
                self.assertEqual(printed(["-c", code], path.parent).stdout, script.stdout)

    def test_what_needs_a_gpu_says_that_there_is_none(self):
        environment = {"CUDA_VISIBLE_DEVICES": ""}
        with mock.patch.dict(os.environ, environment):
            for words in (
                [str(ROOT / "examples/python/tune_triton.py")],
                ["-c", notebook_code("tune_triton")],
            ):
                done = printed(words, ROOT)
                self.assertEqual(done.returncode, 0, done.stderr[-2000:])
                self.assertIn("no GPU with torch and Triton: the kernel itself was not timed", done.stdout)
            live = printed([str(ROOT / "examples/triton_autotune.py")], ROOT)
        self.assertEqual(live.returncode, 77, live.stderr[-2000:])
        self.assertIn("nothing was run", live.stdout)

    def test_outside_the_repository_they_say_what_is_missing(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, variable in (
                ("compare_with_bench", "WARPLOOM_RUN"),
                ("calibrate_from_frame", "WARPLOOM_SWEEP"),
                ("tune_triton", "WARPLOOM_SAMPLES"),
            ):
                if all(importlib.util.find_spec(each) for each in NEEDS.get(name, ())):
                    done = printed([str(ROOT / f"examples/python/{name}.py")], folder)
                    self.assertIn(f"repository, or set {variable}", done.stderr)

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
