"""The exercise of a new problem, as a package that passes its verification."""

from app.web.pages.author_edit import write_beginning

SLUG = "small_exercise"
EXERCISE = write_beginning("numpy")
