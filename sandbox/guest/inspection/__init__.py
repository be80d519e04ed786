"""The inspector: examines and runs exported programs, in boxes that never hold a student's Python code.

`module` parses the bytes and refuses what must not be compiled. `executable` turns the module into a plain graph with
every call inlined, compiles it, runs it, and answers the host. `loops`, `dataflow` and `flops` read facts from the
graph, and `evidence` puts them together. `step_removal` removes steps of a loop from the module.

The program is hostile. It may crash this process or keep it busy, which then becomes the submission's verdict.
"""

from sandbox.guest.inspection.executable import run

__all__ = ["run"]
