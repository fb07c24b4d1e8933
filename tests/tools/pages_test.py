"""Pages of figures hold what tools/measure wrote, of the predictor that ships; nothing typed or empty."""
import importlib.machinery
import importlib.util
import re
import unittest

from repository import ROOT

PAGES = [ROOT / "docs" / "accuracy.md", ROOT / "docs" / "performance.md",
         *sorted((ROOT / "docs" / "accuracy").glob("*.md"))]
BLOCK = re.compile(r"<!-- measured: ([\w-]+) -->\n(.*?)<!-- end -->", re.DOTALL)
MADE_WITH = re.compile(r"^\*Commit \w+.*, predictor (\w+), by `tools/measure`", re.MULTILINE)
UNMEASURED = re.compile(r"not yet measured|figures of this page were typed|\(typed, commit", re.IGNORECASE)


def load_measure():
    loader = importlib.machinery.SourceFileLoader("measure", str(ROOT / "tools" / "measure"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("measure", loader))
    loader.exec_module(module)
    return module


MEASURE = load_measure()


def problems_of(name, text, shipped):
    """What a page says that no run says, or that a run of another predictor said."""
    problems = [f"{name}: '{found}'" for found in UNMEASURED.findall(text)]
    blocks = BLOCK.findall(text)
    if not blocks:
        problems.append(f"{name}: no table of tools/measure")
    for table, block in blocks:
        made = MADE_WITH.search(block)
        if made is None:
            problems.append(f"{name}: table '{table}' was never written")
        elif made[1] != shipped:
            problems.append(f"{name}: table '{table}' is of predictor {made[1]}, {shipped} ships")
    return problems


class Pages(unittest.TestCase):
    def test_every_table_is_of_the_predictor_that_ships(self):
        shipped = MEASURE.predictor_hash()
        found = [problem for page in PAGES
                 for problem in problems_of(str(page.relative_to(ROOT)), page.read_text(), shipped)]
        self.assertEqual(found, [], "run tools/measure (--list names the tables, --only takes some)")

    def test_other_pages_promise_no_figures_that_nobody_measured(self):
        pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
        self.assertEqual([str(page) for page in pages if UNMEASURED.search(page.read_text())], [])

    def test_every_table_stands_on_one_page(self):
        named = [name for page in PAGES for name, _ in BLOCK.findall(page.read_text())]
        self.assertEqual(sorted(named), sorted(MEASURE.TABLES))

    def test_a_page_that_is_old_empty_or_typed_is_found(self):
        made = "*Commit abc, predictor {}, by `tools/measure`.*"
        block = "<!-- measured: static -->\n{}\n<!-- end -->\n"
        self.assertEqual(problems_of("page", block.format(made.format("new")), "new"), [])
        for text in (block.format(made.format("old")), block.format(""), "no block",
                     block.format(made.format("new")) + "*Not yet measured*",
                     block.format(made.format("new")) + "The figures of this page were typed"):
            self.assertEqual(len(problems_of("page", text, "new")), 1, text)


if __name__ == "__main__":
    unittest.main()
