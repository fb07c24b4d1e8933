"""A wheel that is too large, slow to import or late with its first answer is refused, one within is not."""
import importlib.machinery
import importlib.util
import tempfile
import unittest
from pathlib import Path

from repository import ROOT


def load():
    loader = importlib.machinery.SourceFileLoader("check_wheel", str(ROOT / "tools" / "check_wheel"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_wheel", loader))
    loader.exec_module(module)
    return module


CHECK = load()


def problems(megabytes=24.0, ms=30.0, first=8.0):
    with tempfile.TemporaryDirectory() as folder:
        wheel = Path(folder) / f"warploom-0.1.0-{CHECK.TAG}.whl"
        with wheel.open("wb") as file:
            file.truncate(int(megabytes * 1e6))
        return list(CHECK.problems_of(wheel, [{"python": "3.12", "import": ms, "first": first}]))


class Limits(unittest.TestCase):
    def test_a_wheel_within_them_has_no_problem(self):
        self.assertEqual(problems(), [])
        self.assertEqual(problems(megabytes=25.0, ms=60.0, first=20.0), [])

    def test_each_is_told_with_what_was_wanted(self):
        for more, told in (
            ({"megabytes": 25.1}, "25.1 MB, expected 25 at most"),
            ({"ms": 61}, "takes 61 ms, expected 60 at most"),
            ({"first": 20.4}, "first simulation at 20.4 s, expected 20 at most"),
        ):
            with self.subTest(told):
                found = problems(**more)
                self.assertEqual(len(found), 1)
                self.assertIn(told, found[0])


if __name__ == "__main__":
    unittest.main()
