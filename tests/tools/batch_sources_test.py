"""tools/batch_sources puts sources together where their own names are not equal, or can be made so."""
import shutil
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
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def batches(self, sources, most=10):
        """By the name of each source that is in a batch: the batch's."""
        for name, text in sources.items():
            (self.folder / name).write_text(text)
        paths = [str(self.folder / name) for name in sources if name.endswith(".cpp")]
        lists = self.folder / "lists"
        lists.write_text("\t".join([str(self.folder / "batches"), *paths]) + "\n")
        words = [sys.executable, TOOL, "--most", str(most), "--lists", lists, "--headers", self.folder]
        lines = subprocess.run(words, check=True, capture_output=True, text=True).stdout.splitlines()
        return {Path(file).name: Path(batch).name
                for batch, *files in (line.split("\t") for line in lines) for file in files}

    def text(self, batch="batch_0.cpp"):
        return (self.folder / "batches" / batch).read_text()

    def together(self, sources):
        return len(self.batches(sources)) == sum(name.endswith(".cpp") for name in sources)

    def test_puts_sources_together(self):
        batches = self.batches({"a.cpp": unnamed("int one() {", "}"), "b.cpp": unnamed("int two() {", "}")})
        self.assertEqual(batches, {"a.cpp": "batch_0.cpp", "b.cpp": "batch_0.cpp"})
        self.assertEqual([line for line in self.text().splitlines() if line.startswith("#")],
                         [f'#include "{self.folder / name}"' for name in ("a.cpp", "b.cpp")])

    def test_keeps_to_the_size_and_makes_batches_even(self):
        batches = self.batches({f"{i}.cpp": "" for i in range(6)}, most=4)
        self.assertEqual(batches, {f"{i}.cpp": f"batch_{i // 3}.cpp" for i in range(6)})

    def test_gives_the_second_of_two_equal_names_another(self):
        for line, name in (("constexpr double kLimit = 2;  // s", "kLimit"), ("struct Options {", "Options"),
                           ("using Names = int;", "Names"), ("std::string text(int a) {", "text"),
                           ("template <class T>\nvoid text(T a) {", "text"),
                           ("enum class Kind { A };", "Kind"),
                           ("constexpr double kA = 1, kLimit = 2;", "kLimit"),
                           ("constexpr Range kA{1, 2}, kLimit{2, 3};", "kLimit"),
                           ("constexpr double kA = 1,  // s\n    kLimit = 2;", "kLimit"),
                           ("enum Term {\n  kFirst = 1,  // of all\n  kLimit\n};", "kLimit")):
            self.assertTrue(self.together({"a.cpp": unnamed(line), "b.cpp": unnamed(line)}), line)
            second = self.text().index(str(self.folder / "b.cpp"))
            self.assertIn(f"\n#define {name} {name}_1\n", self.text()[:second], line)
            self.assertIn(f"\n#undef {name}\n", self.text()[second:], line)

    def test_reads_all_headers_before_a_name_becomes_another(self):
        line = unnamed("constexpr int kLimit = 2;")
        self.batches({"a.cpp": line, "b.cpp": "#include <vector>\n" + line})
        self.assertLess(self.text().index("#include <vector>"), self.text().index("#define"))

    def test_finds_the_headers_that_stand_beside_a_source(self):
        line = '#include "x.h"\n' + unnamed("constexpr int kLimit = 2;")
        self.batches({"x.h": "", "a.cpp": line, "b.cpp": line})
        self.assertIn(f'#include "{self.folder / "x.h"}"\n#include "{self.folder / "a.cpp"}"', self.text())

    def test_parts_names_that_are_more_than_a_sources_own(self):
        for line, more in (("int text(int a) {", "int other() { return answer.text(1); }"),
                           ("int text(int a) {", "int other() { return Answer::text(1); }"),
                           ("struct Case : testing::Test {};", "TEST_F(Case, DoesIt) {")):
            text = unnamed(line, "}", more, "}")
            self.assertFalse(self.together({"a.cpp": text, "b.cpp": text}), line)
        text = unnamed("TEST(Subject, DoesIt) {", "}")
        self.assertFalse(self.together({"a.cpp": text, "b.cpp": text}))

    def test_parts_functions_that_have_overloads_in_a_header(self):
        text = unnamed("int size(int a) {", "}")
        for header, together in (("int size(long a);", False), ("int length(long size);", True)):
            self.assertEqual(self.together({"x.h": header, "y.h": '#include "x.h"\n', "a.cpp": text,
                                            "b.cpp": '#include "y.h"\n' + text}), together, header)

    def test_renames_a_constant_that_a_header_of_another_source_has(self):
        text = unnamed("constexpr int kLimit = 2;")
        self.assertTrue(self.together({"x.h": "inline constexpr int kA = 1, kLimit = 3;\n", "a.cpp": text,
                                       "b.cpp": '#include "x.h"\n'}))
        self.assertIn("#define kLimit kLimit_0\n", self.text())

    def test_parts_where_a_header_is_included_on_a_condition(self):
        text = unnamed("constexpr int kLimit = 2;")
        self.assertFalse(self.together({"a.cpp": text, "b.cpp": "#if A\n#include <vector>\n#endif\n" + text}))

    def test_parts_equal_names_where_none_may_become_another(self):
        for name in ("a.cpp", "b.cpp"):
            (self.folder / name).write_text(unnamed("constexpr int kLimit = 2;"))
        words = [sys.executable, TOOL, "--most", "9", "--", "a.cpp", "b.cpp"]
        done = subprocess.run(words, cwd=self.folder, check=True, capture_output=True, text=True)
        self.assertEqual(done.stdout, "a.cpp\t0\nb.cpp\t1\n")

    def test_refuses_neither_lists_nor_files(self):
        done = subprocess.run([sys.executable, TOOL, "--most", "9"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("either --lists or files", done.stderr)

    def test_takes_the_values_of_a_scoped_enum_as_they_are(self):
        scoped = unnamed("enum class Term { kLimit };")
        self.batches({"a.cpp": scoped, "b.cpp": unnamed("constexpr int kLimit = 2;")})
        self.assertNotIn("#define", self.text())

    def test_takes_names_of_others_as_they_are(self):
        for line in ("using nlohmann::json;", "using namespace std::chrono_literals;"):
            self.assertTrue(self.together({"a.cpp": unnamed(line), "b.cpp": unnamed(line)}), line)
            self.assertNotIn("#define", self.text(), line)

    def test_takes_what_leaves_its_surroundings_alone(self):
        for line in ("using namespace std::chrono_literals;", "#if defined(__SANITIZE_ADDRESS__)\n#endif"):
            self.assertTrue(self.together({"a.cpp": line + "\n", "b.cpp": ""}), line)

    def test_leaves_alone_what_sets_up_its_surroundings(self):
        for line in ("#define WIDE 1", '#pragma GCC target("avx2")', '#include "lanes.inc"',
                     "using namespace std;"):
            batches = self.batches({"a.cpp": line + "\n", "b.cpp": "", "c.cpp": ""})
            self.assertEqual(sorted(batches), ["b.cpp", "c.cpp"], line)

    def test_a_batch_compiles_and_each_source_keeps_its_own(self):
        compiler = shutil.which("c++") or self.skipTest("no C++ compiler")
        parts = {f"{name}.cpp": unnamed(f"constexpr int kOwn = {value};", "int twice(int a) {",
                                        f"  return 2 * a + kOwn + {value};", "}") +
                 f"namespace warploom {{ int {name}() {{ return twice(kOwn); }} }}\n"
                 for name, value in (("one", 1), ("two", 10))}
        self.assertTrue(self.together(parts))
        main = self.folder / "main.cpp"
        main.write_text(self.text() + "int main() {\n"
                        "  return warploom::one() == 4 && warploom::two() == 40 ? 0 : 1;\n}\n")
        subprocess.run([compiler, "-std=c++20", main, "-o", self.folder / "main"], check=True)
        self.assertEqual(subprocess.run([self.folder / "main"]).returncode, 0)


if __name__ == "__main__":
    unittest.main()
