"""tools/judge_tiers trains without GPUs, onboards, and judges steps and runs by a program's answers."""
import csv
import json
import unittest

from stand_in import StandInTest

# Says of every run 10 % too much (tokens: right), of every step its own price; logs what it was asked.
PROGRAM = """#!/usr/bin/env python3
import json, pathlib, sys
words = sys.argv[1:]
here = pathlib.Path(sys.argv[0]).parent
with open(here / "log", "a") as log:
    log.write(" ".join(words) + "\\n")
def of(option):
    return words[words.index(option) + 1]
if words[0] == "import":
    pathlib.Path(of("--store")).write_text("rows")
elif words[0] == "train":
    if (here / "break_training").exists():
        sys.exit("out of memory")
    folder = pathlib.Path(of("--output"))
    folder.mkdir()
    after = words[words.index("--exclude-gpu") + 1 : words.index("--output")]
    (folder / "excluded_gpus.json").write_text(json.dumps({"gpus": sorted(after)}))
    (folder / "manifest.json").write_text("{}")
elif words[0] in ("calibrate-machine", "calibrate"):
    pathlib.Path(of("--output")).write_text("{}")
elif words[:2] == ["validate", "kernels"]:
    row = {"rows": 7, "mean_error": 0.1, "median_error": 0.05, "coverage": 0.8}
    print(json.dumps({"overall": row, "families": [{"family": "gemm", **row}]}))
elif words[:2] == ["validate", "serving"]:
    size = {"p10": 1.0, "p50": 1.1, "p90": 1.15}[of("--kernel-times")]
    if "--machine" in words:
        size -= 0.06
    figure = {"measured_ms": 20, "predicted_ms": 20 * size}
    mean = {"mean": figure}
    tokens = {"measured": 100, "predicted": 100}
    print(json.dumps({"metrics": {"ttft": mean, "tpot": mean}, "output_throughput": tokens}))
elif words[0] == "step":
    gpu = {"p10": 5, "p50": 6, "p90": 7}
    print(json.dumps({"gpu_ms": gpu, "hidden_ms": 0, "kernels": [{"label": "qkv_proj", "time_us": 3000}]}))
"""


class JudgeTiers(StandInTest):
    tool = "judge_tiers"
    stand_in = PROGRAM

    def setUp(self):
        super().setUp()
        self.data = self.root / "data"
        (self.data / "vllm_h200_runs").mkdir(parents=True)

    def judge(self, *options):
        return self.run_with("--work", str(self.root / "work"), "--data", str(self.data), *options)

    def found(self, *options):
        return self.answer(self.judge("--json", *options))

    def asked(self):
        return (self.root / "log").read_text().splitlines()

    def test_judges_runs_on_the_gpus_that_are_hidden_and_no_others(self):
        found = self.found("--hidden", "h200", "--tier", "a", "--only", "serving")["h200"]["a"]["serving"]
        row = found["figures"]["judged"]
        self.assertAlmostEqual(row["ttft"]["mean"], 0.1)
        self.assertEqual((row["ttft"]["inside"], row["throughput"]["mean"]), (1, 0))
        self.assertTrue(all("h200" in run["run"] for run in found["runs"]))
        self.assertGreater(len(found["runs"]), row["runs"])
        asked = self.asked()
        self.assertEqual(sum(words.startswith("import") for words in asked), 3)
        self.assertEqual(sum("--exclude-gpu h200_sxm --output" in words for words in asked), 1)
        self.assertTrue(all("without_h200" in words for words in asked if words.startswith("validate")))

    def test_goes_on_where_it_was_cut_off(self):
        (self.root / "break_training").write_text("")
        options = ["--hidden", "h100", "--tier", "a", "--only", "serving", "kernels"]
        self.assertIn("out of memory", self.judge(*options).stderr)
        (self.root / "break_training").unlink()
        self.found(*options)
        before = self.asked()
        self.found(*options)
        self.assertEqual(self.asked(), before, "all answers were there")
        self.assertEqual(sum(words.startswith("import") for words in before), 3)

    def test_a_predictor_that_knows_the_gpu_is_refused(self):
        self.found("--hidden", "h100", "--tier", "a", "--only", "kernels")
        note = self.root / "work" / "without_h100" / "excluded_gpus.json"
        note.write_text(json.dumps({"gpus": ["a100_sxm"]}))
        done = self.judge("--hidden", "h100", "--tier", "a", "--only", "kernels")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("must not know", done.stderr)

    def test_kernels_that_the_onboarding_timed_are_learned_before(self):
        found = self.found("--hidden", "h200", "--tier", "b", "--only", "serving")["h200"]["b"]
        self.assertIn("vllm_0_33_h200_onboarded", found)
        learned = [words for words in self.asked() if words.startswith("calibrate --gpu h200_sxm")]
        self.assertEqual(len(learned), 4)  # of two machines that were swept, each by two models
        self.assertIn("--predictor " + str(self.root / "work" / "without_h200"), learned[0])
        fits = [words for words in self.asked() if words.startswith("calibrate-machine")]
        fits = [words for words in fits if "h200_onboarded" in words]
        self.assertTrue(all("kernels_h200_vllm_0_33_h200_onboarded" in words for words in fits))
        self.assertEqual(len(fits), 2)

    def test_onboards_and_judges_models_that_were_not(self):
        found = self.found("--hidden", "h100", "--tier", "b", "--only", "serving", "steps")["h100"]["b"]
        self.assertEqual(sorted(found), ["all", "vllm_0_24_h100", "vllm_0_33_h100_b"])
        names = [run["run"] for run in found["all"]["serving"]["runs"]]
        self.assertTrue(names)
        self.assertFalse([name for name in names if "llama8bfp8" in name])
        after, before = (found["all"][key]["figures"]["judged"] for key in ("serving", "serving_before"))
        self.assertAlmostEqual(after["tpot"]["mean"], 0.04)
        self.assertAlmostEqual(before["tpot"]["mean"], 0.1)
        steps = found["vllm_0_24_h100"]["steps"]
        self.assertEqual(sorted(steps), ["all", "h100 qwen14b", "h100 qwen30b"])
        made = self.root / "work" / "onboarded" / "vllm_0_24_h100"
        self.assertEqual(json.loads((made / "run.json").read_text())["engine_kwargs"]["quantization"], "fp8")
        with open(made / "onboard_steps.csv", newline="") as file:
            first = next(csv.DictReader(file))
        self.assertAlmostEqual(float(first["core_ms"]), 11.8561 - 0.5673, 4)

    def test_an_unknown_set_is_refused(self):
        self.assertIn("expected h100_h200, h200, h100", self.judge("--hidden", "b300").stderr)

    def test_the_older_host_has_nothing_of_newer_versions(self):
        self.found("--hidden", "h100", "--tier", "a", "--only", "serving", "--host-profile", "older")
        profile = json.loads((self.root / "work" / "older_host.json").read_text())
        self.assertTrue(profile["engines"])
        self.assertFalse([entry for entry in profile["engines"] if "since" in entry])


if __name__ == "__main__":
    unittest.main()
