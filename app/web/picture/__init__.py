"""What is wrong with an answer, drawn: SVG made here, with no script and no style of its own (`static/picture.css`)."""
