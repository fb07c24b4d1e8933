"""tools/registry_share counts an engine's architectures that the program lists."""
import json
import unittest

from stand_in import StandInTest

PROGRAM = """#!/usr/bin/env python3
import json, sys
asked = json.load(open(sys.argv[2]))["architectures"][0]
sys.exit(f"warploom: {sys.argv[2]}: architecture {asked} is not known; supported: A, BForCausalLM, C")
"""


class RegistryShare(StandInTest):
    tool = "registry_share"
    stand_in = PROGRAM

    def names(self, text):
        path = self.root / "names.txt"
        path.write_text(text)
        return str(path)

    def test_counts_what_is_read_and_names_the_rest(self):
        result = self.run_with("--names", self.names("A\nBForCausalLM\nBFor\nD\n"), "--json")
        found = json.loads(result.stdout)
        self.assertEqual((found["names"], found["read"], found["share"]), (4, 2, 0.5))
        self.assertEqual(found["left_out"], ["BFor", "D"])
        self.assertEqual(result.returncode, 0)

    def test_a_share_that_is_too_small_fails(self):
        names = self.names("A\nD\n")
        self.assertEqual(self.run_with("--names", names, "--least", "0.5").returncode, 0)
        self.assertEqual(self.run_with("--names", names, "--least", "0.6").returncode, 1)

    def test_refuses_no_names_and_a_program_that_lists_none(self):
        self.assertIn("holds no name", self.run_with("--names", self.names("\n")).stderr)
        silent = self.root / "silent"
        silent.write_text("#!/bin/sh\necho nothing >&2\n")
        silent.chmod(0o755)
        self.assertIn("lists no architectures", self.run_with(program=silent).stderr)


if __name__ == "__main__":
    unittest.main()
