"""Pictures of wrong answers: server-side SVG without scripts, styled by `static/picture.css`."""
