"""The report of a verification as HTML, as a separate file and on the author's page."""
