"""What `warploom tune profile` runs, without a GPU: plans are read, and what is missing is said."""
import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from warploom import expert_rows, profile  # noqa: E402


class Plans(unittest.TestCase):
    def test_rows_of_one_shape_stand_together(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "plan.csv"
            path.write_text("bm,bn,bk,warps,stages,m,n,k\n64,64,32,4,3,9,8,7\n16,32,32,4,2,1,2,3\n"
                            "16,32,32,4,2,9,8,7\n")
            self.assertEqual(profile.read_plan(path), [((16, 32, 32, 4, 2), (1, 2, 3)),
                                                       ((16, 32, 32, 4, 2), (9, 8, 7)),
                                                       ((64, 64, 32, 4, 3), (9, 8, 7))])

    def test_says_what_is_missing(self):
        heard = io.StringIO()
        with mock.patch.object(profile, "what_is_missing", return_value="torch sees no GPU"):
            with contextlib.redirect_stderr(heard):
                status = profile.main(["--kind", "gemm", "--plan", "p", "--output", "o"])
        self.assertEqual(status, profile.NOTHING_TO_RUN_ON)
        self.assertIn("torch sees no GPU", heard.getvalue())

    def test_compiles_each_program_that_the_plan_needs(self):
        gemm = profile.parse(["--kind", "gemm", "--plan", "p", "--output", "o"])
        heads = profile.parse(["--kind", "attention", "--plan", "p", "--output", "o"])
        for shape in ((8, 256, 64), (8, 256, 63), (8, 255, 64), (8, 255, 63)):
            program = profile.program_of(gemm, shape)
            self.assertEqual(profile.program_of(gemm, profile.small_shape(gemm, *program)), program)
            self.assertEqual(profile.program_of(heads, shape), (False, False))

    def test_skewed_rows_sum_to_the_pairs_and_fall(self):
        self.assertEqual(expert_rows.skewed_rows(100, 4, 1.0), [48, 24, 16, 12])
        # As the tuner counts them: TileWork.CountsTheTilesOfUnevenExperts.
        self.assertEqual(expert_rows.skewed_rows(1024, 8, 2.0), [670, 168, 75, 41, 27, 19, 14, 10])
        for pairs, experts in ((1, 8), (7, 3), (4096, 128)):
            self.assertEqual(sum(expert_rows.skewed_rows(pairs, experts, 1.2)), pairs)


if __name__ == "__main__":
    unittest.main()
