"""tools/nightly goes on after a part that fails, says of each whether it passed, can be taken up again."""
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from repository import ROOT

# Each writes down that it was called; what stands in FAILING fails, what stands in MISSING is not here.
STAND_IN = """#!/bin/sh
echo "$(basename "$0") $*" >>"$CALLS"
case " $FAILING " in *" $(basename "$0") "*) exit 1 ;; esac
case " $MISSING " in *" $(basename "$0") "*) exit 77 ;; esac
"""
TOOLS = ("fuzz", "kill_writers", "flip_bytes", "web_load", "same_bytes", "sbom", "hardened")


class Nightly(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name) / "repository"
        self.programs = Path(folder.name) / "programs"
        self.calls = Path(folder.name) / "calls"
        (self.root / "tools").mkdir(parents=True)
        self.programs.mkdir()
        for name in ("nightly", "dependencies.sh"):
            shutil.copy(ROOT / "tools" / name, self.root / "tools" / name)
        for path in [self.root / "tools" / name for name in TOOLS] + [
            self.programs / name for name in ("cmake", "ctest", "clang++")
        ]:
            path.write_text(STAND_IN)
            path.chmod(0o755)
        (self.root / ".gitignore").write_text("/build/\n")
        self.git("init", "-q")
        self.commit()

    def git(self, *words):
        who = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *who, *words], cwd=self.root, check=True, capture_output=True)

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "one")

    def night(self, *words, failing="", missing=""):
        self.calls.write_text("")
        environment = {
            **os.environ,
            "PATH": f"{self.programs}:{os.environ['PATH']}",
            "CALLS": str(self.calls),
            "FAILING": failing,
            "MISSING": missing,
        }
        environment.pop("CLANGXX", None)
        return subprocess.run(
            [self.root / "tools/nightly", *words],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )

    def called(self):
        return [line.split()[0] for line in self.calls.read_text().splitlines()]

    def test_says_of_each_part_that_it_passed(self):
        night = self.night()
        self.assertEqual(night.returncode, 0, night.stdout + night.stderr)
        parts = "sanitizers threads fuzzing headers release kills flips load same_bytes materials".split()
        for part in parts:
            self.assertRegex(night.stdout, rf"(?m)^    {part} +passed, \d+ s$")

    def test_goes_on_after_parts_that_fail(self):
        # A tree that cannot be configured ends its part by `stop`; a tool that fails ends with 1.
        night = self.night(failing="cmake kill_writers")
        self.assertEqual(night.returncode, 1)
        self.assertIn("nightly: failed: sanitizers threads headers release kills\n", night.stderr)
        self.assertRegex(night.stdout, r"(?m)^    kills +FAILED, \d+ s$")
        self.assertRegex(night.stdout, r"(?m)^    materials +passed, \d+ s$")
        self.assertIn("web_load", self.called())

    def test_what_is_not_here_is_left_out_and_said(self):
        night = self.night("--only", "fuzzing", missing="fuzz")
        self.assertEqual(night.returncode, 0, night.stdout + night.stderr)
        self.assertRegex(night.stdout, r"fuzzing +left out: what it needs is not here")

    def test_tests_and_fuzzing_share_a_tree_of_clang(self):
        self.night("--only", "sanitizers")
        calls = self.calls.read_text()
        self.assertRegex(calls, r"--preset fuzz -DCMAKE_CXX_COMPILER=\S*clang\+\+ .*_GLIBCXX_ASSERTIONS")
        self.assertIn("ctest --test-dir build/fuzz", calls)
        self.assertIn("--label-exclude release-only", calls)

    def test_is_taken_up_where_it_ended(self):
        night = self.night("--only", "kills", "--only", "materials", failing="kill_writers")
        self.assertEqual(night.returncode, 1)
        night = self.night("--resume", "--only", "kills", "--only", "materials")
        self.assertEqual(night.returncode, 0, night.stdout + night.stderr)
        self.assertEqual(self.called(), ["kill_writers"])
        self.assertRegex(night.stdout, r"materials +passed before")

    def test_asks_again_what_passed_on_other_files_or_in_a_small_night(self):
        self.night("--short", "--only", "materials")
        self.night("--resume", "--only", "materials")
        self.assertEqual(self.called(), ["sbom"])
        (self.root / "new").write_text("")
        self.night("--resume", "--only", "materials")
        self.assertEqual(self.called(), ["sbom"], "files that are not committed")
        self.commit()
        self.night("--resume", "--only", "materials")
        self.assertEqual(self.called(), ["sbom"], "another commit")
        self.night("--resume", "--only", "materials")
        self.assertEqual(self.called(), [], "the same one")

    def test_refuses_words_that_it_does_not_know(self):
        for words in (["--all"], ["--only", "sleep"], ["--only"]):
            self.assertNotEqual(self.night(*words).returncode, 0, words)
            self.assertEqual(self.called(), [])


if __name__ == "__main__":
    unittest.main()
