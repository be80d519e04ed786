"""For boxes that never hold a student's Python: looks into an exported program, and runs it.

How it works: `module` reads the bytes and refuses what is not to be compiled; `reading` makes a plain graph of it
with every call followed; `loops`, `passing`, `work` and `repetition` read facts from the graph, which `evidence` puts
together; `change` takes steps of a loop out of the module; `opened` compiles and runs it; `driver` answers the host.

The program is hostile. It may crash this process, or keep it busy: that is then the verdict on who sent it.
"""

from sandbox.guest.inspection.driver import run

__all__ = ["run"]
