"""Pictures of wrong answers: server-side SVG without scripts, styled by `static/picture.css`.

To add a picture, write a function from `Values` (`leaf.py`) or numbers to SVG, with `element` and `drawing` of
`svg.py`, which escape. `figure.py` chooses the picture. It draws what a sample case's report contains; add missing data
in `app/judging/report.py`, where hidden cases keep it back. Colour alone tells nothing: each cell and point has a
title, and the picture a label. Test it in `tests/web/test_picture.py` with real comparisons.
"""
