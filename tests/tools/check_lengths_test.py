"""tools/check_lengths passes on a clean tree and fails on each kind of broken one."""
import unittest

from repository import ToolTest


def function_of(lines, head="int f(int a,\n      int b)"):
    return head + " {\n" + "  a += b;\n" * (lines - head.count("\n") - 2) + "}\n"


class CheckLengths(ToolTest):
    tool = "check_lengths"

    def test_passes_at_the_limits(self):
        self.assert_passes({
            "src/warploom/base/CMakeLists.txt": "",
            "src/warploom/base/README.md": "line\n" * 25,
            "README.md": "three short words\n" * 590 + "```\n" + "x" * 200 + "\n```\n| " + "x" * 200 + " |\n",
            "src/warploom/base/a.cpp": "// x\n" * 440 + function_of(60),
            "src/warploom/base/b.h": "struct Communicator {\n" + "  int x;\n" * 100 + "};\n",
            "tools/run": "#!/usr/bin/env bash\nf() {\n" + "  true\n" * 58 + "}\n",
        })

    def test_refuses_a_long_file(self):
        self.assert_fails({"src/warploom/base/a.cpp": "// x\n" * 501}, "501 lines, at most 500")

    def test_refuses_many_longish_files(self):
        files = {f"src/a{i}.h": "// x\n" * (301 if i < 2 else 10) for i in range(10)}
        self.assert_fails(files, "90th percentile of file lengths is 301")

    def test_refuses_long_functions_of_every_language(self):
        self.assert_fails({"src/a.cpp": function_of(61)}, "src/a.cpp:1: a function of 61 lines")
        nested = "namespace x {\n\n" + function_of(61) + "}\n"
        self.assert_fails({"src/a.cpp": nested}, "a.cpp:3: a function of 61")
        member = "class A {\n  void f() {\n" + "    x();\n" * 60 + "  }\n};\n"
        self.assert_fails({"src/a.h": member}, "a function of 62")
        self.assert_fails({"tools/a.py": "def f():\n" + "    x()\n" * 60}, "a function of 61")
        self.assert_fails({"tools/run": "#!/bin/bash\nf() {\n" + "  true\n" * 60 + "}\n"}, "a function of 62")

    def test_refuses_a_wide_line(self):
        self.assert_fails({"src/a.cpp": "// " + "x" * 108 + "\n"}, "a.cpp:1: 111 columns")

    def test_refuses_long_documents_and_modules_without_one(self):
        module = {"src/warploom/base/CMakeLists.txt": ""}
        self.assert_fails({**module, "src/warploom/base/README.md": "line\n" * 26}, "26 lines, at most 25")
        self.assert_fails({"README.md": "word\n" * 1801}, "1801 words, at most 1800")
        wide = {"src/warploom/base/README.md": "x" * 121 + "\n"}
        self.assert_fails({**module, **wide}, "README.md:1: 121 columns of prose, at most 120")
        self.assert_fails(module, "has no README.md")

    def test_refuses_banned_words_in_names(self):
        self.assert_fails({"src/string_utils.cpp": ""}, "banned word 'utils'")
        self.assert_fails({"src/a.h": "class Kv" "CacheManager {};\n"}, "has the banned word 'Manager'")
        self.assert_fails({"src/a.h": "namespace " "common {\n}\n"}, "'common'")
        self.assert_passes({"src/a.h": "// common words in remarks\nclass Utilization {};\n"})


if __name__ == "__main__":
    unittest.main()
