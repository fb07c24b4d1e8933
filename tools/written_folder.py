"""A folder of Python that a build writes: exactly these files."""


def write_folder(folder, files):
    """`files`: {name: text}. A file that has its text already keeps its time; what else is there goes."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.glob("*.py"):
        if path.name not in files:
            path.unlink()
    for name, text in files.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
