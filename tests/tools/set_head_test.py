"""tools/set_head changes the head of a framed file and nothing else."""
import importlib.machinery
import importlib.util
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from repository import ROOT

TOOL = ROOT / "tools" / "set_head"
FILES = ROOT / "tests" / "formats" / "files"


def set_head():
    loader = importlib.machinery.SourceFileLoader("set_head", str(TOOL))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("set_head", loader))
    loader.exec_module(module)
    return module


class SetHead(unittest.TestCase):
    def test_has_the_checksum_of_the_specification(self):
        known = {b"": 0xEF46DB3751D8E999, b"a": 0xD24EC4F1A98C6E5B, b"abc": 0x44BC2CF5AD770999}
        for data, wanted in known.items():
            self.assertEqual(set_head().xxh64(data), wanted)
        for path in FILES.glob("correction-*.wlc"):  # as the program writes it, longer than a block
            data = path.read_bytes()
            self.assertEqual(set_head().xxh64(data[:-8]).to_bytes(8, "little"), data[-8:])

    def test_makes_of_an_older_file_what_the_program_writes_today(self):
        old, new = (FILES / f"correction-1.{minor}.wlc" for minor in (0, 1))
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "old.wlc"
            file.write_bytes(old.read_bytes())
            words = ['version="1.1"', 'gpus=["h200_sxm","h100_sxm"]']
            subprocess.run([sys.executable, TOOL, file, *words], check=True)
            self.assertEqual(file.read_bytes(), new.read_bytes())

    def test_refuses_a_damaged_file(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "damaged.wlc"
            damaged = (FILES / "correction-1.1.wlc").read_bytes()[:-9] + b"x" + bytes(8)
            file.write_bytes(damaged)
            command = [sys.executable, TOOL, file, "rows=1"]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("checksum", done.stderr)
            self.assertEqual(file.read_bytes(), damaged)


if __name__ == "__main__":
    unittest.main()
