"""What each check of a verification found, in figures. What is to be done about it stands in the findings."""

from pydantic import BaseModel, ConfigDict, Field

from app.judging.result import Visibility
from app.judging.verdicts import Verdict


class Section(BaseModel):
    # An answer may be infinitely far away, and JSON has no word for that.
    model_config = ConfigDict(frozen=True, ser_json_inf_nan="strings")


class ReferenceRun(Section):
    """`order`: in which the cases were run. `agrees`: with the expected outputs, by the problem's own rules."""

    order: tuple[str, ...]
    agrees: bool


class ReferenceSection(Section):
    runs: tuple[ReferenceRun, ...]


class KnownResult(Section):
    """A solution of `submissions/`. `decisive`: the case that gave the verdict, None where all were accepted."""

    name: str
    file: str
    expected: Verdict
    verdict: Verdict
    decisive: str | None = None
    category: str | None = None
    wall_seconds: float


class KnownSection(Section):
    submissions: tuple[KnownResult, ...]


class TrivialAnswer(Section):
    """An answer that takes no thought. `rightly`: why it may pass, where the package says that it is right."""

    name: str
    meaning: str
    tried_on: tuple[str, ...]
    accepted_on: tuple[str, ...]
    rightly: str | None = None


class TrivialSection(Section):
    answers: tuple[TrivialAnswer, ...]


class KillRow(Section):
    """A wrong submission, and the cases that it failed and passed."""

    name: str
    verdict: Verdict
    failed: tuple[str, ...]
    passed: tuple[str, ...]


class KillCase(Section):
    """`mutants`: how many are known to fail here. `only_here`: wrong submissions that fail no other case."""

    name: str
    visibility: Visibility
    submissions: int
    mutants: int
    only_here: tuple[str, ...]


class KillMatrixSection(Section):
    cases: tuple[KillCase, ...]
    rows: tuple[KillRow, ...]


class CaseCost(Section):
    """CPU seconds of the slowest accepted solution: of its first call with the case in a process, and of the next one.

    `group`: the number of its shape, from 0.
    """

    case: str
    group: int
    first_seconds: float
    again_seconds: float

    @property
    def compile_seconds(self) -> float:
        return max(self.first_seconds - self.again_seconds, 0.0)


class ShapeCost(Section):
    """What a shape that cases share costs the slowest accepted solution, in CPU seconds.

    `label`: the shapes and dtypes of the arrays, and the values of static parameters, in which it differs from the
    problem's other shapes. `first_seconds`: of the first of its `cases`, in a process that has run other shapes.
    `further_seconds`: of each further one on average; where there is none, of the same one again.
    """

    label: str
    cases: tuple[str, ...]
    first_seconds: float
    further_seconds: float

    @property
    def cost_seconds(self) -> float:
        return max(self.first_seconds - self.further_seconds, 0.0)


class LimitsSection(Section):
    """`cases` and `shapes` are empty where a quick verification did not measure them."""

    wall_seconds: float
    slowest: str
    slowest_case: str
    slowest_seconds: float
    suggested_wall_seconds: float
    memory_mib: int
    largest_memory_mib: int
    suggested_memory_mib: int
    cases: tuple[CaseCost, ...]
    shapes: tuple[ShapeCost, ...] = ()


class LintSection(Section):
    rules: tuple[str, ...] = Field(description="what was looked at")


class Mistake(Section):
    name: str
    hint: str | None
    cases: tuple[str, ...] = Field(description="where its output is wrong")


class Confusion(Section):
    """Two known mistakes that can not be told apart, and the cases where both are wrong and agree."""

    first: str
    second: str
    cases: tuple[str, ...]


class MistakesSection(Section):
    mistakes: tuple[Mistake, ...]
    confusions: tuple[Confusion, ...]
