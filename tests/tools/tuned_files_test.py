"""What `tuned-files` writes is found and loaded by the engines' own code, where their wheels are given.

WARPLOOM_ENGINE_WHEELS: wheels of vLLM 0.33.0 and SGLang 0.5.23, parted by ":"; without them their loaders are
not looked at, and it says so."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from repository import ROOT

sys.path.insert(0, str(ROOT / "tools" / "tuned_files_truth"))
import engine_loaders

NAMES = ROOT / "tools" / "tuned_file_names"
PROGRAM = os.environ.get("WARPLOOM_PROGRAM")
WHEELS = {Path(wheel).name.split("-")[0]: wheel
          for wheel in os.environ.get("WARPLOOM_ENGINE_WHEELS", "").split(":") if wheel}
DEVICES = {"H200": "NVIDIA H200", "H100-SXM": "NVIDIA H100 80GB HBM3", "H200-NVL": "NVIDIA H200 NVL"}


def asked(*words):
    told = subprocess.run([PROGRAM, "tuned-files", *words, "--json"], capture_output=True, text=True)
    if told.returncode != 0:
        raise AssertionError(told.stderr)
    return json.loads(told.stdout)["files"]


def loaded(engine, file):
    """What the engine's code finds for the file's sizes; None where it takes its default."""
    sizes = dict(re.findall(r"(E|N|K|headdim|dstate)=(\d+)", file["name"]))
    shape = re.search(r"block_shape=\[(\d+), ?(\d+)\]", file["name"])
    block = [int(size) for size in shape.groups()] if shape else [0, 0]
    dtype = re.search(r"dtype=(\w+?)(?:,|\.json)", file["name"])
    if file["kernel"] == "fused_moe":
        return engine.experts(int(sizes["E"]), int(sizes["N"]), dtype and dtype.group(1), *block)
    if file["kernel"] == "block_fp8_product":
        return engine.product(int(sizes["N"]), int(sizes["K"]), *block)
    if file["kernel"] == "state_update":
        return engine.state_update(int(sizes["headdim"]), int(sizes["dstate"]), dtype.group(1))
    return None


class Names(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def names(self, *words):
        return subprocess.run([sys.executable, NAMES, *words], capture_output=True, text=True)

    def test_names_of_a_release_are_kept_by_folder_and_device(self):
        configs = self.root / "vllm/model_executor/layers/fused_moe/configs"
        configs.mkdir(parents=True)
        (self.root / "vllm/_version.py").write_text("__version__ = version = '9.9.9'\n")
        for name in ("E=8,N=2,device_name=NVIDIA_A,dtype=fp8_w8a8,block_shape=[128,128].json",
                     "E=8,N=2,device_name=NVIDIA_A.json", "other.json"):
            (configs / name).write_text("{}")
        out = self.root / "data"
        self.assertEqual(self.names(self.root, "--output", out).returncode, 0)
        document = json.loads((out / "vllm_9_9_9.json").read_text())
        self.assertEqual(document["engine_version"], "9.9.9")
        self.assertEqual(document["folders"], {
            "vllm/model_executor/layers/fused_moe/configs": {
                "NVIDIA_A": ["E=8,N=2,device_name=*,dtype=fp8_w8a8,block_shape=[128,128]",
                             "E=8,N=2,device_name=*"]}})
        self.assertEqual(self.names(self.root, "--output", out, "--check").returncode, 0)
        (configs / "E=9,N=2,device_name=NVIDIA_A.json").write_text("{}")
        self.assertEqual(self.names(self.root, "--output", out, "--check").returncode, 1)

    def test_what_is_no_release_is_refused(self):
        told = self.names(self.root, "--output", self.root)
        self.assertEqual(told.returncode, 1)
        self.assertIn("expected an unpacked wheel", told.stderr)

    @unittest.skipUnless(WHEELS, "WARPLOOM_ENGINE_WHEELS names no wheel: data/tuned_files stays unread")
    def test_the_data_are_the_wheels(self):
        for wheel in WHEELS.values():
            told = self.names(wheel, "--check")
            self.assertEqual(told.returncode, 0, told.stdout + told.stderr)


@unittest.skipUnless(PROGRAM and WHEELS, "WARPLOOM_ENGINE_WHEELS names no wheel: no engine's loader was run")
class Loaders(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def engine(self, name, device, user_folder):
        package = self.root / "installed"
        if not package.exists():
            engine_loaders.unpack(WHEELS[name], package)
        made = {"vllm": engine_loaders.Vllm, "sglang": engine_loaders.Sglang}[name]
        return made(package, device, user_folder)

    def check(self, name, gpu, *model):
        """Each file that ships is loaded from the package, each written one after it was put in its place."""
        files = asked("--gpu", gpu, "--engine", name, "--write", self.root / "new", *model)
        kernels = ("fused_moe", "block_fp8_product", "state_update")
        known = [file for file in files if file["kernel"] in kernels]
        self.assertTrue(known)
        bare = self.engine(name, DEVICES[gpu], None)
        for file in known:
            self.assertEqual(loaded(bare, file) is not None, file["state"] == "ships", file["name"])
        if (self.root / "new/package").exists():
            shutil.copytree(self.root / "new/package", self.root / "installed", dirs_exist_ok=True)
        engine, written = self.engine(name, DEVICES[gpu], str(self.root / "new")), 0
        for file in known:
            if not file["written"]:
                continue
            rows = {int(tokens): row["config"] for tokens, row in file["rows"].items()}
            self.assertEqual(loaded(engine, file), rows, file["name"])
            written += 1
        return known, written

    def needs(self, name):
        if name not in WHEELS:
            self.skipTest(f"no wheel of {name} is given")

    def test_vllm_loads_experts_and_products(self):
        self.needs("vllm")
        _, written = self.check("vllm", "H100-SXM", "--model", "Qwen/Qwen3-30B-A3B-FP8")
        self.assertGreaterEqual(written, 2)

    def test_vllm_loads_experts_by_the_familys_name(self):
        self.needs("vllm")
        _, written = self.check("vllm", "H200-NVL", "--model", "Qwen/Qwen3-30B-A3B", "--tp", "2")
        self.assertLessEqual(written, 1)

    def test_vllm_ships_what_is_said(self):
        self.needs("vllm")
        known, _ = self.check("vllm", "H200", "--model", "DeepSeek-V3", "--tp", "8")
        self.assertTrue(any(file["state"] == "ships" for file in known))

    def test_sglang_loads_experts_and_products(self):
        self.needs("sglang")
        _, written = self.check("sglang", "H100-SXM", "--model", "Qwen/Qwen3-30B-A3B-FP8", "--tp", "2")
        self.assertGreaterEqual(written, 2)

    def test_sglang_ships_what_is_said(self):
        self.needs("sglang")
        known, _ = self.check("sglang", "H200", "--model", "DeepSeek-V3", "--tp", "8")
        self.assertTrue(any(file["state"] == "ships" for file in known))


if __name__ == "__main__":
    unittest.main()
