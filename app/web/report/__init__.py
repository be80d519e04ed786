"""The report of a verification as HTML, for a file of its own and for the authors' page."""
