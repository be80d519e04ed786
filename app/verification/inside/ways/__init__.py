"""Other ways of computing the same: each file has a `call` that stands in place of the plain one."""
