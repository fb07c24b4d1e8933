"""What `warploom moe-config --profile` runs, without a GPU: the second round, and going on after a kill."""
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from warploom import moe_profile  # noqa: E402

A, B, C, D = [(16, n, 128, 4, 3, 1) for n in (32, 64, 128, 256)]
USUAL = (64, 64, 32, 4, 3, 8)


def plan_text():
    rows = ["kind,key,tokens,bm,bn,bk,warps,stages,group"]
    rows += [",".join(map(str, ("search", 8, 8, *config))) for config in (A, B, C, D, USUAL)]
    rows += [",".join(map(str, ("default", 8, tokens, *USUAL))) for tokens in (6, 8, 12)]
    return "\n".join(rows) + "\n"


class MoeProfile(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        (Path(self.folder.name) / "plan.csv").write_text(plan_text())
        self.plan = moe_profile.read_plan(Path(self.folder.name) / "plan.csv")
        self.samples = Path(self.folder.name) / "samples.csv"

    def run_with(self, times, stop_after=None):
        asked = []

        def timed(layer, tokens, seed, configs, rounds):
            if stop_after is not None and len(asked) == stop_after:
                raise KeyboardInterrupt
            asked.append((tokens, seed, configs))
            return {config: times.get(config) for config in configs}
        with mock.patch.object(moe_profile, "timed", timed):
            try:
                complete = moe_profile.profile(None, self.plan, self.samples)
            except KeyboardInterrupt:
                complete = False
        return complete, asked

    def test_the_three_fastest_and_the_default_are_measured_again(self):
        complete, asked = self.run_with({A: 4.0, B: 1.0, C: 2.0, D: 3.0, USUAL: 9.0})
        self.assertTrue(complete)
        self.assertEqual(asked[0], (8, moe_profile.SEARCH_SEED, [A, B, C, D, USUAL]))
        self.assertEqual([(tokens, configs) for tokens, _, configs in asked[1:]],
                         [(tokens, [B, C, D, USUAL]) for tokens in (6, 8, 12)])
        self.assertTrue(all(seed == moe_profile.VERIFY_SEED for _, seed, _ in asked[1:]))

    def test_a_refused_configuration_is_noted_and_not_chosen(self):
        self.run_with({A: 4.0, B: None, C: 2.0, D: 3.0, USUAL: 9.0})
        samples = moe_profile.read_samples(self.samples)
        self.assertEqual(samples[8, B, moe_profile.SEARCH_SEED, 1], -1)
        self.assertNotIn((6, B, moe_profile.VERIFY_SEED, moe_profile.VERIFY_ROUNDS), samples)

    def test_goes_on_where_it_was_killed(self):
        times = {A: 4.0, B: 1.0, C: 2.0, D: 3.0, USUAL: 9.0}
        self.assertFalse(self.run_with(times, stop_after=2)[0])
        with open(self.samples, "a") as file:
            file.write("12,16,64")  # a line cut short
        complete, asked = self.run_with(times)
        self.assertTrue(complete)
        self.assertEqual([tokens for tokens, _, _ in asked], [8, 12])
        self.assertEqual(self.run_with(times), (True, []))


if __name__ == "__main__":
    unittest.main()
