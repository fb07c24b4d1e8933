"""tools/capacity_accuracy compares the tokens that fit with the blocks that an engine logged."""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from repository import ROOT

# Every cache holds 1,000 tokens, and twice as many over two GPUs.
PROGRAM = """#!/usr/bin/env python3
import json, sys
open(sys.argv[0] + ".log", "a").write(" ".join(sys.argv[1:]) + "\\n")
print(json.dumps({"kv_cache_tokens": 1000 * int(sys.argv[sys.argv.index("--tp") + 1])}))
"""


class CapacityAccuracy(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.program = self.root / "program"
        self.program.write_text(PROGRAM)
        self.program.chmod(0o755)

    def record(self, name, blocks, **arguments):
        folder = self.root / "vllm_0_24_h200" / "steps"
        folder.mkdir(parents=True, exist_ok=True)
        document = {"engine_kwargs": arguments, "num_gpu_blocks": blocks, "block_size": 16}
        (folder / f"{name}_steps.json").write_text(json.dumps(document))

    def run_tool(self):
        command = [sys.executable, str(ROOT / "tools" / "capacity_accuracy"), "--json", "--warploom",
                   str(self.program), "--fixtures", str(self.root)]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def test_errors_and_arguments(self):
        self.record("llama8b", 50, gpu_memory_utilization=0.8, max_num_seqs=64, max_model_len=10000)
        self.record("llama8b_tp2", 100, tensor_parallel_size=2)
        result = self.run_tool()
        self.assertEqual(result.returncode, 0, result.stderr)
        errors = {row["record"]: row["error"] for row in json.loads(result.stdout)}
        self.assertAlmostEqual(errors["llama8b_steps"], 1000 / 800 - 1)
        self.assertAlmostEqual(errors["llama8b_tp2_steps"], 2000 / 1600 - 1)
        asked = Path(str(self.program) + ".log").read_text()
        self.assertIn("--gpu-memory-utilization 0.8 --max-num-seqs 64 --tp 1", asked)

    def test_nothing_to_judge_is_an_error(self):
        self.assertNotEqual(self.run_tool().returncode, 0)


if __name__ == "__main__":
    unittest.main()
