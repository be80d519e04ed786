"""The exercise of a new problem, as a package that passes its verification."""

from app.catalog.new_package import write_template

SLUG = "small_exercise"
EXERCISE = write_template("New problem", "/schema/problem.json")
