"""Files and folders that documents name exist, and links lead somewhere. The notebook and decision records
without a page there name files of their day: links alone are followed."""
import re
import tempfile
import unittest
from pathlib import Path

from repository import ROOT

TICKED = re.compile(r"`([\w./-]+)`")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
FILE = re.compile(r"^(?!.*NAME)[\w-]+(/[\w.-]+)*\.(h|cpp|cu|cuh|py|md|cmake|inc)$")
FENCED = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)


def documents(root):
    pages = [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").glob("*.md")),
             *sorted((root / "docs").glob("accuracy/*.md")), *sorted(root.glob("src/warploom/**/README.md")),
             *sorted(root.glob("*/README.md")), *sorted(root.glob("data/*/README.md")),
             *(root / "docs/decisions" / page.name for page in sorted(root.glob("docs/notebook/[0-9]*.md")))]
    return [page for page in pages if page.exists()]


def records(root):
    docs = root / "docs"
    return [*sorted(docs.glob("decisions/*.md")), *sorted(docs.glob("notebook/*.md"))]


def known_places(root):
    """Every path that a document may name: from the root, from a module, or a file's bare name."""
    places = set()
    for path in root.rglob("*"):
        relative = path.relative_to(root)
        if relative.parts[0] in {"build", ".git"}:
            continue
        parts = relative.parts
        places.update("/".join(parts[i:]) for i in range(len(parts)))
    return places


def problems_of(root):
    places, problems = known_places(root), []
    for page in documents(root):
        text = FENCED.sub("", page.read_text())
        shown = page.relative_to(root)
        for name in TICKED.findall(text):
            folder = name.endswith("/") and name.count("/") > 1
            if (FILE.match(name) or folder) and name.rstrip("/") not in places:
                problems.append(f"{shown}: names `{name}`, which does not exist")
    for page in documents(root) + records(root):
        for target in LINK.findall(FENCED.sub("", page.read_text())):
            if "://" not in target and not (page.parent / target).exists():
                problems.append(f"{page.relative_to(root)}: links to {target}, which does not exist")
    return problems


class Documents(unittest.TestCase):
    def test_what_they_name_exists(self):
        self.assertEqual(problems_of(ROOT), [])

    def test_a_name_or_link_without_a_file_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "src/warploom/base/codec").mkdir(parents=True)
            (root / "src/warploom/base/codec/csv.h").write_text("")
            good = "`base/codec/csv.h` `csv.h` `base/codec/` [here](src/warploom) [there](https://x.y/z.md)"
            (root / "README.md").write_text(good)
            self.assertEqual(problems_of(root), [])
            for wrong in ("`base/csv.h`", "`base/tables/`", "[gone](docs/gone.md)", "`csvs.h`"):
                (root / "README.md").write_text(wrong)
                self.assertEqual(len(problems_of(root)), 1, wrong)
            (root / "README.md").write_text(good)
            (root / "docs/decisions").mkdir(parents=True)
            (root / "docs/decisions/0001-a.md").write_text("`of_its_day.h` [gone](../notebook/0001-a.md)")
            self.assertEqual(len(problems_of(root)), 1)


if __name__ == "__main__":
    unittest.main()
