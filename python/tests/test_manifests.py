"""Every manifest of the fixtures through every door: the command line, the C interface, and Python where its
compiled part is built. One file, one answer; --gpu only where the file names none.

WARPLOOM_PROGRAM and WARPLOOM_LIBRARY name the built program and library.
"""

import json
import os
import subprocess
import sys
import unittest
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from c_interface import CInterface, Refused  # noqa: E402
from doors import ROOT, warploom  # noqa: E402

FIXTURES = sorted((ROOT / "tests/fixtures/manifests").iterdir())
NAMES_NO_GPU = {
    "dynamo_v1beta1.yaml", "leader_worker_set.yaml", "options.yaml", "production_stack_values.yaml",
}  # fmt: skip
RUN = {"predictor": "roofline", "random_input_len": 100, "random_output_len": 5, "requests": 6}
POOLS = ROOT / "tests/fixtures/manifests/dynamo_v1alpha1.yaml"


def options(fields):
    words = []
    for name, value in fields.items():
        words += ["--" + name.replace("_", "-"), str(value)]
    return words


class Manifests(unittest.TestCase):
    maxDiff = 2000

    def setUp(self):
        self.c = CInterface(os.environ["WARPLOOM_LIBRARY"])

    def run_program(self, command, fields, *more):
        words = [os.environ["WARPLOOM_PROGRAM"], command, *options(fields), *more]
        return subprocess.run(words, capture_output=True, text=True, check=False)

    def answers(self, command, fields):
        """What each door says."""
        done = self.run_program(command, fields, "--json")
        self.assertEqual(done.returncode, 0, done.stderr[-500:])
        yield "program", json.loads(done.stdout)
        yield "C", self.c.answer(command, fields)
        if warploom:
            yield "Python", getattr(warploom, command)(**fields).to_dict()

    def test_each_is_read_alike_without_a_gpu_where_it_names_one(self):
        self.assertGreater(len(FIXTURES), len(NAMES_NO_GPU))
        for file in FIXTURES:
            fields = {"manifest": str(file), **RUN}
            if file.name in NAMES_NO_GPU:
                fields["gpu"] = "H200"
            with self.subTest(file.name):
                said = dict(self.answers("simulate", fields))
                for door, answer in said.items():
                    self.assertTrue(answer == said["program"], f"{door} says something else")

    def test_one_that_names_no_gpu_is_refused_with_its_name(self):
        for name in NAMES_NO_GPU:
            fields = {"manifest": str(ROOT / "tests/fixtures/manifests" / name), **RUN}
            with self.subTest(name):
                done = self.run_program("simulate", fields)
                self.assertEqual(done.returncode, 2)
                self.assertIn(f"{name} names no GPU that is known, expected --gpu too", done.stderr)
                with self.assertRaisesRegex(Refused, f"{name} names no GPU that is known"):
                    self.c.answer("simulate", fields)

    def test_what_is_given_beside_it_rules(self):
        given = {"manifest": str(ROOT / "tests/fixtures/manifests/deployment.yaml"), **RUN, "details": True}
        plain = self.c.answer("simulate", given)
        more = {"gpu": "B200", "instances": 2, "max_num_seqs": 1}
        ruled = self.c.answer("simulate", {**given, **more})
        self.assertNotEqual(plain, ruled)
        alone = {"model": "Qwen/Qwen3-8B", "engine_version": "0.33.0", **RUN, "details": True, **more}
        self.assertEqual(ruled, self.c.answer("simulate", alone))

    def test_pools_are_those_of_the_file_and_what_is_given_of_one(self):
        given = {"manifest": str(POOLS), **RUN}
        plain = self.c.answer("simulate", given)
        ruled = self.c.answer(
            "simulate", {**given, "disaggregation": {"prefill": {"config": {"max_num_seqs": 1}}}}
        )
        self.assertNotEqual(plain, ruled)
        done = self.run_program("simulate", {**given, "prefill_max_num_seqs": 1}, "--json")
        self.assertEqual(json.loads(done.stdout), ruled)

    def test_pools_are_refused_where_a_request_has_none(self):
        fields = {"manifest": str(POOLS), "decode": "4x100", "predictor": "roofline"}
        done = self.run_program("step", fields)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--manifest: has pools for prompts and for tokens", done.stderr)
        with self.assertRaisesRegex(Refused, "has pools for prompts and for tokens"):
            self.c.answer("step", fields)

    def test_what_is_left_out_of_one_is_said_by_every_door(self):
        given = {"manifest": str(ROOT / "tests/fixtures/manifests/deployment.yaml"), **RUN}
        done = self.run_program("simulate", given)
        noted = [line for line in done.stderr.splitlines() if "left out" in line]
        self.assertEqual(len(noted), 1)
        words = noted[0].partition(": ")[2]
        said = []
        self.c.answer("simulate", given, said=said.append)
        self.assertEqual([line.partition(": ")[2] for line in said], [words])
        if not warploom:
            return
        step = {name: given[name] for name in ("manifest", "predictor")}
        for ask in (lambda: warploom.simulate(**given), lambda: warploom.step(decode="4x100", **step)):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                ask()
            self.assertEqual([str(each.message).partition(": ")[2] for each in caught], [words])
            self.assertIs(caught[0].category, warploom.AnswerNote)
            self.assertEqual(Path(caught[0].filename).name, "test_manifests.py")
        with warnings.catch_warnings():
            warnings.simplefilter("error", warploom.AnswerNote)
            with self.assertRaisesRegex(warploom.AnswerNote, "left out"):
                warploom.simulate(**given)

    def test_other_requests_take_one_too(self):
        file = str(ROOT / "tests/fixtures/manifests/deployment.yaml")
        loads = {"manifest": file, **RUN, "max_concurrencies": [1, 2]}
        self.assertEqual(len(self.c.answer("curve", loads)["points"]), 2)
        sizes = {"batch": 2, "input_tokens": 64, "output_tokens": 8}
        for command, batch in (("step", {"decode": "4x100"}), ("static", sizes)):
            said = dict(self.answers_of_batch(command, {"manifest": file, "predictor": "roofline", **batch}))
            for door, answer in said.items():
                self.assertTrue(answer == said["program"], f"{command}: {door} says something else")

    def answers_of_batch(self, command, fields):
        named = {"input_tokens": "input", "output_tokens": "output"}
        words = options({named.get(name, name): value for name, value in fields.items()})
        done = subprocess.run(
            [os.environ["WARPLOOM_PROGRAM"], command, *words, "--json"],
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stderr[-500:])
        yield "program", json.loads(done.stdout)
        yield "C", self.c.answer(command, fields)

    def test_help_says_what_may_stand_for_a_gpu(self):
        done = self.run_program("simulate", {}, "--help")
        self.assertIn("only a manifest may say it instead", " ".join(done.stdout.split()))


if __name__ == "__main__":
    unittest.main()
