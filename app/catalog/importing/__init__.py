"""Importers: each makes a package from a problem in another format.

To add a format:

1. Write one function from a path to an `ImportedPackage`. `package_writer.py` writes it, or `tested_function.py` if the
   source is a function with tests. Read data as data and programs as syntax trees (`program.py`). Never run the source,
   and never follow a link. If the source names no types, call its solution in a box (`observation.py`).
2. `notes.left_out` lists what does not map, `notes.todo` what the author must add. If no package can result, raise
   `ImportRefused` and say what would help.
3. Add it to `FORMATS` in `formats.py`, its mapping to `docs/authoring.md`, and a small source to
   `tests/cli/test_problem_import.py`, which judges its solutions.
"""
