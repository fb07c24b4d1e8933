"""Shapes seen often are measured once, by one process, and remembered."""
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from warploom.refined import RefinedTable  # noqa: E402

A, B, C, D = [(n, 64, 64, 4, 3, 1) for n in (16, 32, 64, 128)]


class FakeTable:
    """Asks for A, B and C in turn; at m = 7 for no more once B beat A."""

    def pick(self, m, n, k):
        return A

    def next_to_time(self, m, n, k, timed):
        if m == 7 and len(timed) == 2:
            return None
        return (A, B, C, D)[len(timed)]


class Refined(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "choices.json"
        self.asked = []

    def table(self, times, identity="kernel"):
        def measure(config, shape):
            self.asked.append((config, shape))
            if times[config] is None:
                raise RuntimeError("out of resources")
            return times[config]
        return RefinedTable(FakeTable(), self.path, {"kernel": identity}, measure, after=2)

    def test_the_best_of_the_top_is_taken_after_so_many_calls(self):
        table = self.table({A: 10.0, B: 9.0, C: 8.0})
        self.assertEqual([table.pick(1, 2, 3) for _ in range(4)], [A, A, C, C])
        self.assertEqual(self.asked, [(A, (1, 2, 3)), (B, (1, 2, 3)), (C, (1, 2, 3))])
        self.assertEqual(table.pick(1, 2, 4), A)

    def test_another_process_reads_the_choice(self):
        first = self.table({A: 10.0, B: 9.0, C: 8.0})
        for _ in range(3):
            first.pick(1, 2, 3)
        second = self.table({A: 1.0, B: 9.0, C: 8.0})
        self.assertEqual([second.pick(1, 2, 3) for _ in range(3)], [A, A, C])
        self.assertEqual((first.measured, second.measured), (1, 0))
        other = self.table({A: 1.0, B: 9.0, C: 8.0}, identity="another kernel")
        self.assertEqual([other.pick(1, 2, 3) for _ in range(3)], [A, A, A])

    def test_the_first_pick_stays_within_the_noise_and_refusals_lose(self):
        near = self.table({A: 10.05, B: 10.0, C: None})
        self.assertEqual([near.pick(5, 5, 5) for _ in range(3)], [A, A, A])
        refused = self.table({A: None, B: 10.0, C: None})
        self.assertEqual([refused.pick(6, 6, 6) for _ in range(3)], [A, A, B])
        nothing = self.table({A: None, B: None, C: None})
        self.assertEqual([nothing.pick(8, 8, 8) for _ in range(3)], [A, A, A])

    def test_what_is_not_worth_a_timing_is_not_measured(self):
        table = self.table({A: 10.0, B: 9.0, C: 8.0})
        self.assertEqual([table.pick(7, 7, 7) for _ in range(3)], [A, A, B])
        self.assertEqual([config for config, _ in self.asked], [A, B])


if __name__ == "__main__":
    unittest.main()
