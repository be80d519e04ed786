"""The environment with the frameworks, as the tests' boxes see it."""

from app.settings import ROOT
from sandbox.runtime import find_runtime

RUNTIME = find_runtime(ROOT / ".runtime")
