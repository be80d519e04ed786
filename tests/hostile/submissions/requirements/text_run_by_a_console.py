# mechanism: gives a text to an interpreter
# verdict: requirement_not_met
# problem: product_by_hand
# message: code in line 7
import code

code.InteractiveInterpreter(globals()).runsource('product = lambda a, b: a @ b')
