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
DEVICES = {"H200": "NVIDIA H200", "H100-SXM": "NVIDIA H100 80GB HBM3", "H200-NVL": "NVIDIA H200 NVL",
           "L40S": "NVIDIA L40S", "A100-SXM": "NVIDIA A100-SXM4-80GB"}


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
    dtype = re.search(r"dtype=(\w+?)(?:,|_down|\.json)", file["name"])
    if file["kernel"] in ("fused_moe", "fused_moe_down"):
        more = {}
        if isinstance(engine, engine_loaders.Sglang):
            more = {"by_columns": "per_channel_quant=True" in file["name"],
                    "second": file["kernel"] == "fused_moe_down"}
        return engine.experts(int(sizes["E"]), int(sizes["N"]), dtype and dtype.group(1), *block, **more)
    if file["kernel"] == "block_int8_product":
        return engine.int8_product(int(sizes["N"]), int(sizes["K"]), *block)
    if file["kernel"] == "lora_chunked":
        kind, k, rank, slices = re.match(r"lora_(\w+),K=(\d+),R=(\d+),S=(\d+),", file["name"]).groups()
        return engine.adapter_file(kind, int(k), int(rank), int(slices))
    if file["kernel"] == "lora":
        words = r"_((?:FUSED_MOE_LORA_W\d+_)?(?:SHRINK|EXPAND))(?:_(TRUE|FALSE))?\.json$"
        kind = re.search(words, file["name"])
        return engine.adapter_file(kind.group(1).lower(), kind.group(2) and kind.group(2) == "TRUE")
    if file["kernel"] == "block_fp8_product":
        return engine.product(int(sizes["N"]), int(sizes["K"]), *block)
    if file["kernel"] == "state_update":
        return engine.state_update(int(sizes["headdim"]), int(sizes["dstate"]), dtype.group(1))
    return None


def nested(rows):
    """{"1/2": row} as the file has it: {"1": {"2": row}}; keys of one level are numbers there."""
    if all("/" not in keys for keys in rows):
        return {int(key): row["config"] for key, row in rows.items()}
    whole = {}
    for keys, row in rows.items():
        *above, last = keys.split("/")
        place = whole
        for key in above:
            place = place.setdefault(key, {})
        place[last] = row["config"]
    return whole


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


def nearest(level, key):
    """As vLLM 0.33 and SGLang 0.5.23 take a row: the key itself, else the nearest, the first of two."""
    return level.get(str(key)) or level[min(level, key=lambda known: abs(int(known) - key))]


def adapter_row(rows, max_loras, slices, tokens, k, n, width=None):
    """Transcribed from vLLM 0.33's get_lora_op_configs; KeyError where it would have one."""
    rows = nearest(rows, max_loras)[str(slices)]
    for key in (tokens, k, n) + (() if width is None else (width,)):
        rows = nearest(rows, key)
    return rows


@unittest.skipUnless(PROGRAM, "WARPLOOM_PROGRAM names no program")
class Transcribed(unittest.TestCase):
    """The look-ups of the engines' loaders, written down here, on files that are written now."""

    def written(self, engine, gpu, kernel, *model):
        with tempfile.TemporaryDirectory() as folder:
            files = asked("--gpu", gpu, "--engine", engine, "--write", folder, *model)
            found = {file["name"]: json.loads(Path(file["written"]).read_text())
                     for file in files if file["kernel"] == kernel and file["written"]}
            told = {file["name"]: file for file in files}
        self.assertTrue(found, kernel)
        return found, told

    def test_adapters_of_vllm(self):
        model = ("--model", "Qwen/Qwen3-30B-A3B", "--lora-rank", "32", "--max-loras", "4")
        files, told = self.written("vllm", "L40S", "lora", *model)
        for name, rows in files.items():
            self.assertFalse(told[name]["kernel_was_timed"])
            width = 768 if "FUSED_MOE" in name else None
            for slices in range(1, 9):
                for tokens in (1, 100, 9000):
                    row = adapter_row(rows, 5, slices, tokens, 2048, 32, width)
                    self.assertLessEqual({"block_m", "block_n", "block_k", "num_warps", "num_stages"},
                                         row.keys())

    def test_states_of_vllm(self):
        """vLLM 0.33's _try_get_optimal_ssm_config_cached takes the nearest key and these two words of it."""
        files = asked("--gpu", "L40S", "--engine", "vllm", "--model", "nemotron-h-56b-base-8k")
        (rows,) = (nested(file["rows"]) for file in files if file["kernel"] == "state_update")
        for pairs in (1, 100, 10**6):
            row = rows[min(rows, key=lambda key: abs(key - pairs))]
            self.assertEqual(row.keys(), {"BLOCK_SIZE_M", "num_warps"})
            self.assertLessEqual(row["BLOCK_SIZE_M"], 64)

    def test_what_cannot_be_set_beside_the_default_says_why(self):
        model = ("--model", "Qwen/Qwen3-8B", "--quantization", "fp8")
        channel = [file for file in asked("--gpu", "H100-SXM", "--engine", "sglang", *model)
                   if file["kernel"] == "channel_fp8_product" and file["state"] == "missing"]
        self.assertTrue(channel)
        for file in channel:
            self.assertIn("CUTLASS", file["not_predicted"])
            self.assertFalse(file["written"])


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
        kernels = ("fused_moe", "fused_moe_down", "block_fp8_product", "state_update", "lora", "lora_chunked",
                   "block_int8_product")
        known = [file for file in files if file["kernel"] in kernels]
        self.assertTrue(known)
        bare = self.engine(name, DEVICES[gpu], None)
        for file in known:
            # A second product without a file of its own takes the first one's.
            if file["kernel"] != "fused_moe_down":
                self.assertEqual(loaded(bare, file) is not None, file["state"] == "ships", file["name"])
        if (self.root / "new/package").exists():
            shutil.copytree(self.root / "new/package", self.root / "installed", dirs_exist_ok=True)
        engine, written = self.engine(name, DEVICES[gpu], str(self.root / "new")), 0
        for file in known:
            if not file["written"]:
                continue
            self.assertEqual(loaded(engine, file), nested(file["rows"]), file["name"])
            written += 1
        self.files, self.loader = known, engine
        return known, written

    def written(self, kernel):
        return [file for file in self.files if file["kernel"] == kernel and file["written"]]

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

    def test_vllm_loads_states(self):
        self.needs("vllm")
        known, _ = self.check("vllm", "L40S", "--model", "nemotron-h-56b-base-8k")
        (state,) = (file for file in known if file["kernel"] == "state_update")
        # A file without a row that leaves the default is not written: here it is, to see it would be read.
        (self.root / "states").mkdir()
        (self.root / "states" / state["name"]).write_text(json.dumps(nested(state["rows"])))
        engine = self.engine("vllm", DEVICES["L40S"], str(self.root / "states"))
        self.assertEqual(loaded(engine, state), nested(state["rows"]))

    def test_vllm_loads_adapters_and_every_launch_finds_a_row(self):
        self.needs("vllm")
        self.check("vllm", "L40S", "--model", "Qwen/Qwen3-30B-A3B", "--lora-rank", "32", "--max-loras", "2")
        self.assertTrue(self.written("lora"))
        for slices in range(1, 9):
            for tokens in (1, 127, 128, 5000):
                for kind in ("shrink", "expand"):
                    found = self.loader.adapter(kind, max_loras=3, batch=tokens, hidden_size=2048, rank=32,
                                                num_slices=slices, add_inputs=True)
                    needed = {"block_m", "block_n", "block_k", "num_warps", "num_stages", "num_ctas"}
                    more = {"split_k"} if kind == "shrink" else set()
                    self.assertLessEqual(needed | more, found.keys())

    def test_vllm_loads_experts_of_narrow_weights(self):
        self.needs("vllm")
        for scheme in ("int8_wo", "int4_wo"):
            self.check("vllm", "L40S", "--model", "Qwen/Qwen3-30B-A3B", "--quantization", scheme)

    def test_sglang_loads_int8_and_adapters(self):
        self.needs("sglang")
        self.check("sglang", "A100-SXM", "--model", "Qwen/Qwen3-30B-A3B", "--quantization", "int8",
                   "--lora-rank", "64")
        self.assertTrue(self.written("block_int8_product") or self.written("fused_moe"))
        self.assertTrue([file for file in self.files if file["kernel"] == "lora_chunked"])

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
