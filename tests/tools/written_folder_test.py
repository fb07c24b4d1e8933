"""What the build writes of the Python package: exactly the files, and types of what a build cannot answer."""
import ast
import importlib.machinery
import importlib.util
import os
import sys
import tempfile
import unittest
from pathlib import Path

from repository import ROOT

sys.path.insert(0, str(ROOT / "tools"))
from written_folder import write_folder  # noqa: E402

# Answers `tune_show` and can train nothing, as a build without the training libraries.
CORE = """
class Session:
    def answer(self, request, fields):
        if request == "train":
            raise NotImplementedError("train: not in this build")
        return '{"rows": 3, "kernel": "' + request + '"}'
"""


def load_tool(name):
    loader = importlib.machinery.SourceFileLoader(name, str(ROOT / "tools" / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


class WrittenFolder(unittest.TestCase):
    def test_holds_exactly_the_files_and_leaves_what_is_right(self):
        with tempfile.TemporaryDirectory() as folder:
            target = Path(folder) / "deep/requests"
            write_folder(target, {"a.py": "a", "b.py": "b"})
            os.utime(target / "a.py", (1, 1))
            write_folder(target, {"a.py": "a", "c.py": "c"})
            self.assertEqual(sorted(path.name for path in target.iterdir()), ["a.py", "c.py"])
            self.assertEqual((target / "a.py").stat().st_mtime, 1)
            write_folder(target, {"a.py": "new"})
            self.assertEqual((target / "a.py").read_text(), "new")

    def test_no_written_file_is_a_source(self):
        for part in ("requests", "documents"):
            self.assertFalse(list((ROOT / "python/warploom" / part).glob("*.py")), part)


class AnswerTypes(unittest.TestCase):
    def test_what_a_build_cannot_answer_has_a_module_without_keys(self):
        types = load_tool("make_answer_types")
        asked = [("", "train", {}), ("", "tune_show", {})]
        types.all_requests, types.reading_requests = (lambda: asked), (lambda: [])
        types.training_requests, types.varied_requests = (lambda: []), (lambda: [])
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "core.py").write_text(CORE)
            shapes, unable = types.seen_shapes(types.session_of(Path(folder) / "core.py"))
        self.assertEqual((set(shapes), unable), ({"tune_show"}, {"train"}))
        classes = [node.name for node in ast.parse(types.untyped_text("train")).body
                   if isinstance(node, ast.ClassDef)]
        self.assertEqual(classes, ["TrainFields"])
        self.assertIn("class TuneShowDocument(TypedDict):\n    rows: int\n    kernel: str\n",
                      types.module_text("tune_show", shapes["tune_show"], {}))


if __name__ == "__main__":
    unittest.main()
