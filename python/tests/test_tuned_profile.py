"""What `warploom tuned-files --profile` runs, without a GPU: reading plans, going on after a kill."""
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from warploom import tuned_profile  # noqa: E402

PRODUCT = ("block_fp8_product", 1, 0, 0, 4096, 4096, 128, 128, "plain")
EXPERTS = ("fused_moe", 1, 128, 8, 768, 2048, 128, 128, "plain")
A, B = (16, 64, 128, 4, 3, 32, 1), (64, 128, 128, 4, 2, 32, 1)
GPU = "NVIDIA H100 80GB HBM3"


def plan_text():
    rows = [",".join(tuned_profile.PLANNED)]
    rows += [",".join(map(str, tuned_profile.planned_row(sizes, tokens, config)))
             for sizes in (PRODUCT, EXPERTS) for tokens in (1, 6) for config in (A, B)]
    return "\n".join(rows) + "\n"


class TunedProfile(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        plan = Path(self.folder.name) / "plan.csv"
        plan.write_text(plan_text())
        self.plan, self.times = tuned_profile.read_plan(plan), Path(self.folder.name) / "times.csv"
        self.asked = []

    def profile(self, us, stop_after=None, seconds=100):
        def timed(subject, tokens, configs):
            if stop_after is not None and len(self.asked) == stop_after:
                raise KeyboardInterrupt
            self.asked.append((subject, tokens, configs))
            return {config: us.get(config) for config in configs}
        try:
            return tuned_profile.profile(self.plan, self.times, GPU, seconds, lambda sizes: sizes, timed)
        except KeyboardInterrupt:
            return False

    def test_a_plan_is_by_kernel_and_tokens(self):
        self.assertEqual(list(self.plan), [PRODUCT, EXPERTS])
        self.assertEqual(self.plan[EXPERTS], {1: [A, B], 6: [A, B]})

    def test_all_configurations_of_a_token_count_are_timed_together(self):
        self.assertTrue(self.profile({A: 2.0, B: 3.0}))
        self.assertEqual(self.asked, [(sizes, tokens, [A, B]) for sizes in (PRODUCT, EXPERTS)
                                      for tokens in (1, 6)])
        self.assertEqual(len(tuned_profile.read_done(self.times)), 8)

    def test_a_refused_configuration_is_noted(self):
        self.profile({A: 2.0, B: None})
        rows = [line.split(",") for line in self.times.read_text().splitlines()[1:]]
        self.assertEqual({row[-2] for row in rows if row[9] == "64"}, {"-1"})
        self.assertEqual({row[-1] for row in rows}, {GPU})

    def test_goes_on_where_it_was_killed(self):
        us = {A: 2.0, B: 3.0}
        self.assertFalse(self.profile(us, stop_after=3))
        with open(self.times, "a") as file:
            file.write("fused_moe,1,128")  # a line cut short
        self.asked.clear()
        self.assertTrue(self.profile(us))
        self.assertEqual(self.asked, [(EXPERTS, 6, [A, B])])
        text = self.times.read_text()
        self.assertEqual(len(text.splitlines()), 9)
        self.assertTrue(text.endswith("\n"))

    def test_times_with_other_columns_are_not_gone_on_with(self):
        self.times.write_text("kernel,tokens,median_us\n")
        with self.assertRaisesRegex(ValueError, "times.csv: has other columns"):
            self.profile({A: 2.0, B: 3.0})

    def test_slices_of_adapters_are_the_widest_and_the_others(self):
        from warploom.engine_adapters import widths_of
        self.assertEqual(widths_of(4096, 6144, 3), [4096, 1024, 1024])
        self.assertEqual(widths_of(14336, 28672, 2), [14336, 14336])
        self.assertEqual(widths_of(4096, 4096, 1), [4096])

    def test_stops_when_time_is_up(self):
        self.assertFalse(self.profile({A: 2.0, B: 3.0}, seconds=-1))
        self.assertEqual(self.asked, [])
        self.assertTrue(self.profile({A: 2.0, B: 3.0}))

    def test_one_token_count_of_each_kind_is_compiled(self):
        self.assertEqual(tuned_profile.token_kinds([1, 6, 10, 16, 64]), [1, 8, 16])
        self.assertEqual(tuned_profile.token_kinds([32, 4096]), [16])


if __name__ == "__main__":
    unittest.main()
