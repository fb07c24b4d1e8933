"""tools/fit_steps finds the constants of the shipped files again, and those that made made-up steps."""
import csv
import gzip
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from repository import ROOT

TOOL = ROOT / "tools" / "fit_steps"
STEPS = ROOT / "data" / "steps"
H200 = STEPS / "vllm_0_24_h200.json"
MEMORY = 4.9167e6  # bytes a us, of the H200's record
LAYERS, WIDTH, LOGITS = 32, 4096, 128256  # of Llama-3.1-8B


def constants_of(path, rule):
    rules = {each["rule"]: each for each in json.loads(path.read_text())["rules"]}
    return {name: entry["value"] for name, entry in rules[rule]["constants"].items()}


class FitSteps(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def run_tool(self, *words):
        command = [sys.executable, str(TOOL), *map(str, words)]
        return subprocess.run(command, capture_output=True, text=True)

    def write_steps(self, launch, share, base, per_logit):
        """Decoding steps whose norms and sampling take what these constants say."""
        steps, kernels = [], []
        for requests in (1, 8, 64, 256):
            row = {"kind": "decode", "batch": f"{requests}x500"}
            steps.append({**row, "kernel_context_mean": 500})
            norm = launch + (4 * requests * WIDTH + WIDTH) * 2 / (share * MEMORY)
            sampling = base + per_logit * 1e-6 * requests * LOGITS
            for name, calls, us, in_graph in (("fused_add_rms_norm", LAYERS, norm * LAYERS, 1),
                                              ("_gumbel_sample_kernel", 1, sampling, 0)):
                kernels.append({**row, "kernel": name, "calls": calls, "us": us, "in_graph": in_graph})
        for name, rows in (("llama8b_steps.csv", steps), ("llama8b_kernels.csv.gz", kernels)):
            path = self.root / "loom_1_2_h200" / "steps" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            with (gzip.open if name.endswith(".gz") else open)(path, "wt", newline="") as file:
                out = csv.DictWriter(file, rows[0])
                out.writeheader()
                out.writerows(rows)

    def new_file(self, *fits):
        path = self.root / "new.json"
        result = self.run_tool(path, "--like", H200, "--engine", "sglang", "--release", "1.2",
                               "--gpu", "h200_sxm", "--steps", self.root, "--fit", *fits)
        return path, result

    def test_the_shipped_files_hold_what_the_recorded_steps_say(self):
        fitted = 0
        for path in sorted(STEPS.glob("*.json")):
            if any("fit" in rule for rule in json.loads(path.read_text())["rules"]):
                result = self.run_tool(path, "--check")
                self.assertEqual(result.returncode, 0, path.name + result.stdout + result.stderr)
                fitted += int(result.stdout.split()[0])
        self.assertGreaterEqual(fitted, 8)

    def test_a_constant_that_the_steps_deny_is_found_and_written_right(self):
        document = json.loads(H200.read_text())
        wrong = self.root / "wrong.json"
        for rule in document["rules"]:
            if rule["rule"] == "sampling":
                rule["constants"]["base"]["value"] = 60
        wrong.write_text(json.dumps(document))
        before = wrong.read_text()
        result = self.run_tool(wrong, "--check")
        self.assertEqual(result.returncode, 1)
        self.assertIn("sampling.base: 60 in the file, 47.8", result.stdout)
        self.assertEqual(wrong.read_text(), before, "--check writes nothing")
        self.assertEqual(self.run_tool(wrong).returncode, 0)
        self.assertEqual(constants_of(wrong, "sampling"), constants_of(H200, "sampling"))
        self.assertEqual(self.run_tool(wrong, "--check").returncode, 0)

    def test_a_new_file_holds_what_made_its_steps(self):
        self.write_steps(launch=3.2, share=0.75, base=80.0, per_logit=7.25)
        path, result = self.new_file("norms=loom_1_2_h200/llama8b", "sampling=loom_1_2_h200/llama8b")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(constants_of(path, "norms"), {"launch": 3.2, "share": 0.75})
        self.assertEqual(constants_of(path, "sampling"), {"base": 80.0, "per_logit": 7.25})
        document = json.loads(path.read_text())
        self.assertEqual((document["engine"], document["from_release"], document["gpus"]),
                         ("sglang", "1.2", ["h200_sxm"]))
        self.assertEqual([rule["rule"] for rule in document["rules"]], ["norms", "sampling"])
        norms = document["rules"][0]
        self.assertIn("loom_1_2_h200/llama8b", norms["constants"]["share"]["source"])
        self.assertLess(norms["interval"]["high"] - norms["interval"]["low"], 0.002)
        self.assertEqual(norms["sizes"][0]["high"], (4 * 256 * WIDTH + WIDTH) * 2)

    def test_what_no_fit_finds_says_where_it_was_taken_from(self):
        path, result = self.new_file("products=vllm_0_24_h200/llama8b")
        self.assertEqual(result.returncode, 0, result.stderr)
        constants = json.loads(path.read_text())["rules"][0]["constants"]
        self.assertTrue(constants["computing"]["source"].startswith("taken from vllm_0_24_h200.json"))
        self.assertTrue(constants["ends"]["source"].startswith("tools/fit_steps"))

    def test_nothing_is_fitted_on_what_judges(self):
        for judge in ("vllm_0_33_h200/llama8b", "vllm_0_24_h200/qwen14b"):
            path, result = self.new_file(f"sampling={judge}")
            self.assertEqual(result.returncode, 2)
            self.assertIn(f"{judge} only judges", result.stderr)
            self.assertFalse(path.exists())

    def test_what_it_does_not_know_is_named(self):
        for fit, part in (("sampling=vllm_0_24_h200/llama9b", "no steps of vllm_0_24_h200/llama9b"),
                          ("sampling=none/llama8b", "no folder none/steps"),
                          ("attention=vllm_0_24_h200/llama8b", "no fit of this rule"),
                          ("weaving=vllm_0_24_h200/llama8b", "expected RULE=SET/MODEL")):
            path, result = self.new_file(fit)
            self.assertEqual(result.returncode, 2, fit)
            self.assertIn(part, result.stderr)
            self.assertFalse(path.exists())


if __name__ == "__main__":
    unittest.main()
