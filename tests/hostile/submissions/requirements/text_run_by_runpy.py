# mechanism: runs a file that it has written
# verdict: requirement_not_met
# problem: product_by_hand
# message: runpy in line 9
import runpy
from pathlib import Path

Path('/tmp/written').write_text('def product(a, b): return a @ b')
product = runpy.run_path('/tmp/written')['product']
