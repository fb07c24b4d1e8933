"""tools/check_habits passes on a clean tree and fails on each habit that is forbidden."""
import json
import unittest

from repository import LAYERS, ToolTest

SIX = "int a, int b, int c, const std::map<int, int>& d, std::function<int(int, int)> e, int f"
CLEAN = {
    "tools/layers.json": json.dumps({**LAYERS, "engine_names": ["serving/engines/"]}),
    "data/gpus/loom100.json": json.dumps({"name": "loom100_sxm", "aliases": ["LOOM100"]}),
    "src/warploom/base/a.h": f"// The time of a launch. It is part\n// of a step.\nint six({SIX});\n"
                             "inline constexpr double kShare = share_of(3, 4, 5);\n",
    "src/warploom/base/a.cpp": "void f() {\n  const auto points = geometric_points(limit, kFirst, kMost);\n"
                               "  g(1, 2, limit);  // \"loom100_sxm\" and h(64, 32, 8) are words here\n}\n",
    "src/warploom/base/a_test.cpp": 'EXPECT_EQ(points(64, 32, 8), gpu("loom100_sxm"));\n',
    "src/warploom/serving/engines/loom.cpp": "constexpr auto kName = name_of(Engine::Loom);\n",
    "tools/tool.py": '"""What it is. Of use to all."""\n',
}


class CheckHabits(ToolTest):
    tool = "check_habits"

    def broken(self, name, text, more=None):
        return {**CLEAN, **(more or {}), name: text}

    def allowing(self, kind, name, rule):
        return {"tools/habits.json": json.dumps({"allowed": {kind: {name: rule}}})}

    def test_passes_a_clean_tree(self):
        self.assert_passes(CLEAN)

    def test_refuses_comments_that_begin_with_of(self):
        for name, text in (("src/warploom/base/b.h", "int a;\n  // @ the kernel.\n"),
                           ("src/warploom/base/b.h", "int a;  // @ the kernel.\n"),
                           ("tests/cli/b_test.cpp", "/// @ the kernel.\n"),
                           ("tools/b.sh", "# @ the kernel.\n"), ("web/src/b.ts", "// @ the kernel.\n"),
                           ("tools/b", 'def f():\n    """@ the kernel."""\n')):
            self.assert_fails(self.broken(name, text.replace("@", "Of")), 'a comment that begins with "Of"')

    def test_refuses_the_name_of_an_engine_outside_its_files(self):
        self.assert_fails(self.broken("src/warploom/base/b.cpp", "\nif (name == name_of(Engine::Loom)) {}\n"),
                          "base/b.cpp:2: name_of(Engine::Loom), expected an EngineSpec")

    def test_refuses_the_name_of_a_gpu_in_any_spelling_of_its_record(self):
        for name in ("loom100_sxm", "Loom100"):
            self.assert_fails(self.broken("src/warploom/base/b.cpp", f'\n\nreturn gpu == "{name}";\n'),
                              f'base/b.cpp:3: the GPU "{name}"')

    def test_refuses_more_than_six_parameters(self):
        function = f"namespace a {{\nint seven({SIX}, int g);\n}}\n"
        self.assert_fails(self.broken("src/warploom/base/b.h", function), "base/b.h:2: seven() has 7")
        method = f"class A {{\n public:\n  A({SIX}, int g);\n}};\n"
        self.assert_fails(self.broken("src/warploom/base/b.h", method), "base/b.h:3: A() has 7 parameters")
        # A call has as many arguments as its function has parameters, and is judged there.
        call = "void f() {\n  h(a, b, c, d, e, g, i);\n}\n"
        self.assert_passes(self.broken("src/warploom/base/b.cpp", call))

    def test_refuses_numbers_without_names(self):
        for call in ("geometric_points(limit, 64, 32)", "f(0, 1, 2)", "clamp(x, -0.25F, 0.25F)",
                     "outer(inner(7, 8), a)"):
            self.assert_fails(self.broken("src/warploom/base/b.cpp", f"void f() {{\n  g = {call};\n}}\n"),
                              "numbers without names")
        for call in ("f(0, 1, n)", "f(limit, 64)", 'f("64", "32")', "std::pow(2, 3)"):
            self.assert_passes(self.broken("src/warploom/base/b.cpp", f"void f() {{\n  g = {call};\n}}\n"))

    def test_lets_files_stand_aside_so_often_and_with_a_reason(self):
        name, text = "src/warploom/base/b.cpp", "void f() {\n  g(64, 32);\n}\n"
        rule = {"times": 1, "why": "a plan is a table of numbers"}
        self.assert_passes(self.broken(name, text, self.allowing("numbers", name, rule)))
        twice = text.replace("g(64, 32);", "g(64, 32);\n  g(8, 6);")
        self.assert_fails(self.broken(name, twice, self.allowing("numbers", name, rule)), "(1 stand aside)")
        unsaid = self.allowing("numbers", name, {"times": 1})
        self.assert_fails(self.broken(name, text, unsaid), "has no reason")
        self.assert_passes(self.broken(name, "int a;\n", self.allowing("numbers", name, rule)))


if __name__ == "__main__":
    unittest.main()
