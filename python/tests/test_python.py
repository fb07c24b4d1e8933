"""The Python side without a GPU: plans, resuming, and the look-up where libwarploom.so and a table exist.

Run by ctest; parts that need what this machine lacks say so and are skipped.
"""
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from warploom import anchors  # noqa: E402
from warploom.table import Table, find_library  # noqa: E402

try:
    import torch
except ImportError:
    torch = None


class Plan(unittest.TestCase):
    def test_space_has_the_legal_configurations(self):
        space = anchors.gemm_space()
        self.assertEqual(len(space), 320)
        self.assertIn((128, 128, 64, 8, 3), space)

    def test_anchors_are_whole_tiles(self):
        space = anchors.gemm_space()[::40]
        for (tile_m, tile_n, tile_k, _, _), (m, n, k) in anchors.gemm_anchors(space, 132):
            self.assertEqual((m % tile_m, n % tile_n, k % tile_k), (0, 0, 0))

    def test_narrow_rows_have_wide_and_narrow_stores(self):
        rows = anchors.narrow_rows(anchors.gemm_space()[::40], 132)
        self.assertTrue(all(anchors.is_narrow(k) for _, (_, _, k) in rows))
        self.assertEqual(2 * sum(anchors.is_narrow(n) for _, (_, n, _) in rows), len(rows))
        self.assertEqual(rows, sorted(set(rows)))

    def test_attention_anchors_ask_no_more_rows_than_keys(self):
        for _, (m, n, heads) in anchors.attention_anchors(anchors.attention_space()[::5], 132, 4):
            self.assertLessEqual(m, n)
            self.assertEqual(heads % 4, 0)


@unittest.skipIf(torch is None, "torch is not installed: profiling was not looked at")
class Resume(unittest.TestCase):
    def test_a_line_cut_short_is_dropped(self):
        from warploom import profiler
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "rows.csv"
            path.write_text(",".join(profiler.COLUMNS) + "\n16,32,32,4,2,64,64,64,3.1,3.0\n16,32,32,4,3,64,6")
            self.assertEqual(profiler.read_done(path), {(16, 32, 32, 4, 2, 64, 64, 64)})


class LookUp(unittest.TestCase):
    def setUp(self):
        try:
            find_library()
        except FileNotFoundError as error:
            self.skipTest(str(error))

    def test_a_missing_or_damaged_table_is_refused(self):
        with self.assertRaises(OSError):
            Table("/no/such/table.wlt")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "bad.wlt"
            path.write_bytes(b"not a table")
            with self.assertRaises(ValueError):
                Table(path)

    def test_experts_need_a_table_of_grouped_products(self):
        table = Table(Path(__file__).resolve().parents[2] / "tests/formats/files/tune_table-4.wlt")
        with self.assertRaisesRegex(ValueError, "expected a table of grouped_gemm"):
            table.experts(2048, 768, 8)


if __name__ == "__main__":
    unittest.main()
