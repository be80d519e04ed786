# mechanism: imports a module that it has written
# verdict: requirement_not_met
# problem: product_by_hand
# message: import of /tmp/written.py in line 10
import sys
from pathlib import Path

Path('/tmp/written.py').write_text('def product(a, b): return a @ b')
sys.path.append('/tmp')
from written import product
