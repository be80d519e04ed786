r"""The LaTeX of problem statements as Markdown, as far as it maps: text, lists, headings, emphasis; formulas stay.

What is left of commands outside formulas is named, for its author to write anew.
"""

import re

_COMMENT = re.compile(r"(?<!\\)%.*")
_MATH = re.compile(r"(\$\$.+?\$\$|\$.+?\$)", re.DOTALL)
_DISPLAY = re.compile(r"\\\[(.+?)\\\]", re.DOTALL)
_LEFT = re.compile(r"\\[a-zA-Z]+|\\(?:begin|end)\{\w+\*?\}")
_GROUP = r"\{((?:[^{}]|\{[^{}]*\})*)\}"
_RULES: tuple[tuple[str, str], ...] = (
    (rf"\\problemname{_GROUP}", ""),
    (rf"\\section\*?{_GROUP}", r"\n## \1\n"),
    (rf"\\subsection\*?{_GROUP}", r"\n### \1\n"),
    (rf"\\(?:emph|textit){_GROUP}", r"*\1*"),
    (rf"\\textbf{_GROUP}", r"**\1**"),
    (rf"\\texttt{_GROUP}", r"`\1`"),
    (r"\\verb(\W)(.+?)\1", r"`\2`"),
    (rf"\\href{_GROUP}{_GROUP}", r"[\2](\1)"),
    (rf"\\url{_GROUP}", r"<\1>"),
    (r"\\(?:begin|end)\{(?:itemize|enumerate|center|quote)\}(?:\[[^\]]*\])?", "\n"),
    (r"\n?[ \t]*\\item\s+", "\n- "),
    (r"\\(?:noindent|bigskip|medskip|smallskip|centering)\b", ""),
    (r"``|''", '"'),
    (r"---?", "–"),
    (r"~", " "),
    (r"\\\\", "\n"),
    (r"\\([%&_#{}])", r"\1"),
    (r"\n[ \t]+(?=[^-\s])", "\n"),
    (r"\n{3,}", "\n\n"),
)


def to_markdown(text: str) -> tuple[str, list[str]]:
    """The text, and the commands that were left in it."""
    text = _DISPLAY.sub(r"$$\1$$", _COMMENT.sub("", text))
    parts = _MATH.split(text)
    # Every other part is a formula.
    for index in range(0, len(parts), 2):
        for pattern, replacement in _RULES:
            parts[index] = re.sub(pattern, replacement, parts[index])
    left = sorted({found for part in parts[::2] for found in _LEFT.findall(part)})
    return "".join(parts).strip() + "\n", left


def title_of(text: str) -> str | None:
    plain = re.search(r"%%\s*plainproblemname:\s*(.+)", text)
    named = re.search(rf"\\problemname{_GROUP}", text)
    return plain[1].strip() if plain else named[1].strip() if named else None
