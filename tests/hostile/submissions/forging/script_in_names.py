# mechanism: markup and escapes in the names of types and functions that a traceback shows
# verdict: runtime_error
def standardise(x, eps):
    error = type("<b>\x1b[31m\u202eowned", (Exception,), {"__module__": "builtins"})
    exec(compile("def f(e):\n raise e('<i>')", "solution.py", "exec"), found := {})
    found["f"].__code__ = found["f"].__code__.replace(co_name="<script>\x1b[2J\ud800", co_firstlineno=1)
    found["f"](error)
