"""tools/batch_sources puts sources together only where none of their own names is equal."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOL = Path(__file__).resolve().parents[2] / "tools" / "batch_sources"


def unnamed(*lines):
    body = "\n".join(lines)
    return f"namespace warploom {{\nnamespace {{\n\n{body}\n\n}}  // namespace\n}}  // namespace warploom\n"


class BatchSources(unittest.TestCase):
    def batches(self, sources, most=10):
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for name, text in sources.items():
                paths.append(str(Path(folder) / name))
                Path(paths[-1]).write_text(text)
            lines = subprocess.run([sys.executable, TOOL, "--most", str(most), *paths], check=True,
                                   capture_output=True, text=True).stdout.splitlines()
        return {Path(line.rsplit(" ", 1)[0]).name: line.rsplit(" ", 1)[1] for line in lines}

    def test_puts_sources_together(self):
        batches = self.batches({"a.cpp": unnamed("int one() {", "}"), "b.cpp": unnamed("int two() {", "}")})
        self.assertEqual(batches, {"a.cpp": "0", "b.cpp": "0"})

    def test_keeps_to_the_size(self):
        self.assertEqual(self.batches({f"{i}.cpp": "" for i in range(3)}, most=2),
                         {"0.cpp": "0", "1.cpp": "0", "2.cpp": "1"})

    def test_parts_equal_names(self):
        for line in ("constexpr double kLimit = 2;  // s", "struct Options {", "using Names = int;",
                     "std::string text(int a) {", "template <class T>\nvoid text(T a) {",
                     "enum class Kind { A };", "TEST(Subject, DoesIt) {"):
            batches = self.batches({"a.cpp": unnamed(line), "b.cpp": unnamed(line)})
            self.assertEqual(batches, {"a.cpp": "0", "b.cpp": "1"}, line)

    def test_parts_names_that_share_a_declaration(self):
        for line in ("constexpr double kA = 1, kLimit = 2;", "constexpr Range kA{1, 2}, kLimit{2, 3};",
                     "constexpr double kA = 1,  // s\n    kLimit = 2;"):
            batches = self.batches({"a.cpp": unnamed(line), "b.cpp": unnamed("constexpr int kLimit = 2;")})
            self.assertEqual(batches, {"a.cpp": "0", "b.cpp": "1"}, line)

    def test_parts_the_values_of_a_plain_enum(self):
        text = unnamed("enum Term {", "  kFirst = 1,  // of all", "  kLimit", "};")
        self.assertEqual(self.batches({"a.cpp": text, "b.cpp": unnamed("constexpr int kLimit = 2;")}),
                         {"a.cpp": "0", "b.cpp": "1"})
        scoped = unnamed("enum class Term { kLimit };")
        self.assertEqual(self.batches({"a.cpp": scoped, "b.cpp": unnamed("constexpr int kLimit = 2;")}),
                         {"a.cpp": "0", "b.cpp": "0"})

    def test_takes_what_leaves_its_surroundings_alone(self):
        for line in ("using namespace std::chrono_literals;", "#if defined(__SANITIZE_ADDRESS__)\n#endif"):
            batches = self.batches({"a.cpp": line + "\n", "b.cpp": ""})
            self.assertEqual(batches, {"a.cpp": "0", "b.cpp": "0"}, line)

    def test_parts_static_functions(self):
        text = "static int count(int a) {\n}\n"
        self.assertEqual(self.batches({"a.cpp": text, "b.cpp": text}), {"a.cpp": "0", "b.cpp": "1"})

    def test_leaves_alone_what_sets_up_its_surroundings(self):
        for line in ("#define WIDE 1", '#pragma GCC target("avx2")', '#include "lanes.inc"',
                     "using namespace std;"):
            self.assertEqual(self.batches({"a.cpp": line + "\n", "b.cpp": ""}), {"b.cpp": "0"}, line)


if __name__ == "__main__":
    unittest.main()
