"""The small exercise that a new problem begins with, as a package that passes its verification."""

from app.web.pages.author_edit import write_beginning

SLUG = "small_exercise"
EXERCISE = write_beginning("numpy")
