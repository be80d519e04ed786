"""A cohort of made-up students: programs of about 60 lines for one exercise, and disguised copies of some.

Every original is a choice among several ways to write each of its functions, with its own order, its own names, and
small habits. So two originals share much by chance, as the programs of a course do.
"""

import ast
import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

# The ways to write each function. {…} are the numbers and habits of one student.
WAYS: dict[str, tuple[str, ...]] = {
    "read_rows": (
        """
def read_rows(text):
    rows = []
    for line in text.splitlines():
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        rows.append([float(cell) for cell in line.split(",")])
    return rows
""",
        """
def read_rows(text):
    lines = [line for line in text.split("\\n") if line.strip()]
    return [[float(cell) for cell in line.split(",")] for line in lines if line[0] != "#"]
""",
        """
def read_rows(text):
    result = []
    for raw in text.splitlines():
        if raw.strip() == "":
            continue
        if raw[0] == "#":
            continue
        cells = raw.split(",")
        values = list(map(float, cells))
        result.append(values)
    return result
""",
        """
def read_rows(text):
    kept = filter(lambda line: line.strip() and not line.startswith("#"), text.splitlines())
    table = []
    for line in kept:
        row = []
        for cell in line.split(","):
            row.append(float(cell.strip()))
        table.append(row)
    return table
""",
    ),
    "standardise": (
        """
def standardise(rows):
    x = np.array(rows, dtype=float)
    mean = x.mean(axis=0)
    spread = x.std(axis=0)
    spread[spread == 0] = 1.0
    return (x - mean) / spread
""",
        """
def standardise(rows):
    columns = list(zip(*rows))
    scaled = []
    for column in columns:
        mean = sum(column) / len(column)
        variance = sum((value - mean) ** 2 for value in column) / len(column)
        deviation = math.sqrt(variance) or 1.0
        scaled.append([(value - mean) / deviation for value in column])
    return np.array(scaled).T
""",
        """
def standardise(rows):
    x = np.asarray(rows)
    centred = x - np.mean(x, axis=0, keepdims=True)
    norm = np.sqrt(np.mean(centred ** 2, axis=0)) + {tiny}
    return centred / norm
""",
        """
def standardise(rows):
    x = np.stack([np.array(row) for row in rows])
    for j in range(x.shape[1]):
        column = x[:, j]
        s = column.std()
        x[:, j] = column - column.mean()
        if s > 0:
            x[:, j] /= s
    return x
""",
    ),
    "sigmoid": (
        """
def sigmoid(z):
    return 1.0 / (1.0 + np.exp(-z))
""",
        """
def sigmoid(z):
    z = np.clip(z, -{big}, {big})
    e = np.exp(-z)
    return 1 / (1 + e)
""",
        """
def sigmoid(z):
    positive = z >= 0
    out = np.empty_like(z)
    out[positive] = 1 / (1 + np.exp(-z[positive]))
    small = np.exp(z[~positive])
    out[~positive] = small / (1 + small)
    return out
""",
        """
def sigmoid(z):
    return np.where(z > 0, 1 / (1 + np.exp(-np.abs(z))), np.exp(-np.abs(z)) / (1 + np.exp(-np.abs(z))))
""",
        """
def sigmoid(z):
    return 0.5 * (np.tanh(z / 2) + 1)
""",
    ),
    "loss": (
        """
def loss(w, x, y):
    p = sigmoid(x @ w)
    return -np.mean(y * np.log(p + {tiny}) + (1 - y) * np.log(1 - p + {tiny}))
""",
        """
def loss(w, x, y):
    total = 0.0
    for row, label in zip(x, y):
        p = sigmoid(np.dot(row, w))
        if label == 1:
            total -= math.log(p + {tiny})
        else:
            total -= math.log(1 - p + {tiny})
    return total / len(y)
""",
        """
def loss(w, x, y):
    z = x.dot(w)
    return np.mean(np.logaddexp(0, z) - y * z)
""",
        """
def loss(w, x, y):
    p = np.clip(sigmoid(np.matmul(x, w)), {tiny}, 1 - {tiny})
    positive = y * np.log(p)
    negative = (1 - y) * np.log(1 - p)
    return -(positive + negative).sum() / y.shape[0]
""",
    ),
    "gradient": (
        """
def gradient(w, x, y, decay):
    error = sigmoid(x @ w) - y
    return x.T @ error / len(y) + decay * w
""",
        """
def gradient(w, x, y, decay):
    g = np.zeros_like(w)
    for i in range(len(y)):
        difference = sigmoid(np.dot(x[i], w)) - y[i]
        for j in range(len(w)):
            g[j] += difference * x[i, j]
    g = g / len(y)
    return g + decay * w
""",
        """
def gradient(w, x, y, decay):
    p = sigmoid(x.dot(w))
    g = np.einsum("ij,i->j", x, p - y)
    g /= x.shape[0]
    g += w * decay
    return g
""",
        """
def gradient(w, x, y, decay):
    residual = (sigmoid(np.matmul(x, w)) - y)[:, None]
    return np.mean(residual * x, axis=0) + decay * w
""",
    ),
    "batches": (
        """
def batches(x, y, size, rng):
    order = rng.permutation(len(y))
    for start in range(0, len(y), size):
        chosen = order[start:start + size]
        yield x[chosen], y[chosen]
""",
        """
def batches(x, y, size, rng):
    indices = np.arange(x.shape[0])
    rng.shuffle(indices)
    count = math.ceil(len(indices) / size)
    result = []
    for k in range(count):
        part = indices[k * size:(k + 1) * size]
        result.append((x[part], y[part]))
    return result
""",
        """
def batches(x, y, size, rng):
    shuffled = rng.permutation(x.shape[0])
    begin = 0
    while begin < len(shuffled):
        take = shuffled[begin:begin + size]
        yield x[take], y[take]
        begin += size
""",
        """
def batches(x, y, size, rng):
    order = rng.permutation(y.size)
    parts = np.array_split(order, max(1, y.size // size))
    return [(x[part], y[part]) for part in parts]
""",
    ),
    "train": (
        """
def train(x, y, rate={rate}, epochs={epochs}, size={size}, decay={decay}):
    rng = np.random.default_rng({seed})
    w = np.zeros(x.shape[1])
    velocity = np.zeros_like(w)
    for epoch in range(epochs):
        for xb, yb in batches(x, y, size, rng):
            velocity = {momentum} * velocity - rate * gradient(w, xb, yb, decay)
            w = w + velocity
    return w
""",
        """
def train(x, y, rate={rate}, epochs={epochs}, size={size}, decay={decay}):
    rng = np.random.default_rng({seed})
    w = rng.normal(0, {tiny}, x.shape[1])
    history = []
    for epoch in range(epochs):
        for xb, yb in batches(x, y, size, rng):
            w -= rate * gradient(w, xb, yb, decay)
        history.append(loss(w, x, y))
        if len(history) > 1 and abs(history[-1] - history[-2]) < {tiny}:
            break
    return w
""",
        """
def train(x, y, rate={rate}, epochs={epochs}, size={size}, decay={decay}):
    rng = np.random.default_rng({seed})
    weights = np.zeros(x.shape[1])
    best, best_loss = weights.copy(), np.inf
    step = rate
    for epoch in range(epochs):
        for inputs, labels in batches(x, y, size, rng):
            weights = weights - step * gradient(weights, inputs, labels, decay)
        now = loss(weights, x, y)
        if now < best_loss:
            best, best_loss = weights.copy(), now
        else:
            step *= 0.5
    return best
""",
        """
def train(x, y, rate={rate}, epochs={epochs}, size={size}, decay={decay}):
    rng = np.random.default_rng({seed})
    w = np.zeros(x.shape[1])
    m = np.zeros_like(w)
    v = np.zeros_like(w)
    t = 0
    while t < epochs:
        t += 1
        for xb, yb in batches(x, y, size, rng):
            g = gradient(w, xb, yb, decay)
            m = {momentum} * m + (1 - {momentum}) * g
            v = 0.999 * v + 0.001 * g ** 2
            w = w - rate * m / (np.sqrt(v) + {tiny})
    return w
""",
    ),
    "predict": (
        """
def predict(w, x):
    return (sigmoid(x @ w) > 0.5).astype(int)
""",
        """
def predict(w, x):
    labels = []
    for row in x:
        score = np.dot(row, w)
        labels.append(1 if score > 0 else 0)
    return np.array(labels)
""",
        """
def predict(w, x):
    z = x.dot(w)
    answer = np.zeros(len(x), dtype=int)
    answer[z > 0] = 1
    return answer
""",
        """
def predict(w, x):
    p = sigmoid(np.matmul(x, w))
    return np.where(p >= 0.5, 1, 0)
""",
    ),
    "solve": (
        """
def solve(text, fraction):
    rows = read_rows(text)
    x = standardise([row[:-1] for row in rows])
    y = np.array([row[-1] for row in rows])
    cut = int(len(y) * fraction)
    w = train(x[:cut], y[:cut])
    return np.mean(predict(w, x[cut:]) == y[cut:])
""",
        """
def solve(text, fraction):
    data = np.array(read_rows(text))
    x, y = standardise(data[:, :-1]), data[:, -1]
    x = np.hstack([x, np.ones((len(x), 1))])
    split = round(fraction * len(x))
    w = train(x[:split], y[:split])
    answer = predict(w, x[split:])
    return (answer == y[split:]).sum() / len(answer)
""",
        """
def solve(text, fraction):
    features, labels = [], []
    for row in read_rows(text):
        features.append(row[:-1])
        labels.append(row[-1])
    x = standardise(features)
    y = np.array(labels)
    n = int(fraction * x.shape[0])
    train_x, test_x = x[:n], x[n:]
    train_y, test_y = y[:n], y[n:]
    w = train(train_x, train_y)
    right = [p == t for p, t in zip(predict(w, test_x), test_y)]
    return sum(right) / len(right)
""",
    ),
}
LITTLE: dict[str, Sequence[object]] = {
    "tiny": (1e-12, 1e-9, 1e-8, 1e-10, 1e-7, 1e-6),
    "big": (30, 50, 500, 100, 40),
    "rate": (0.1, 0.05, 0.01, 0.5, 0.2),
    "epochs": (20, 50, 100, 200, 30),
    "size": (16, 32, 64, 10, 8),
    "decay": (0.0, 0.01, 0.001, 1e-4),
    "seed": (0, 1, 42, 7, 123),
    "momentum": (0.9, 0.8, 0.95, 0.5),
}
SPARE_NAMES = ("alpha", "beta", "count", "data", "elem", "first", "group", "head", "item", "job", "key", "left", "mid")


def write_original(rng: random.Random) -> str:
    """Return a program: each function in one of its ways, where a habit of the student shows."""
    habits = {name: rng.choice(values) for name, values in LITTLE.items()}
    functions = [rng.choice(ways).format(**habits).strip() for ways in WAYS.values()]
    tree = ast.parse("\n".join(["import math\nimport numpy as np", *functions]))
    _rewrite(tree, rng, share=0.35)
    _rename(tree, rng)
    return ast.unparse(ast.fix_missing_locations(tree))


def disguise(program: str, kind: str, rng: random.Random) -> str:
    """Return a copy. Each kind does what the kinds before it do, too."""
    steps: dict[str, Callable[[ast.Module, random.Random], object]] = {
        "renamed": _rename,
        "reordered": _reorder,
        "inserted": _insert,
        "rewritten": _rewrite,
    }
    tree = ast.parse(program)
    for name, step in steps.items():
        step(tree, rng)
        if name == kind:
            break
    return ast.unparse(ast.fix_missing_locations(tree))


def _rename(tree: ast.Module, rng: random.Random) -> None:
    """Give every own name but that of `solve` another one."""
    bound = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    bound |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    bound |= {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)} - {"solve"}
    names = sorted(bound)
    new = rng.sample([f"{word}{number}" for word in SPARE_NAMES for number in range(20)], len(names))
    renamed = dict(zip(names, new, strict=True))
    for node in ast.walk(tree):
        for field in ("id", "arg", "name"):
            if getattr(node, field, None) in renamed and not isinstance(node, ast.keyword | ast.alias):
                setattr(node, field, renamed[getattr(node, field)])


def _reorder(tree: ast.Module, rng: random.Random) -> None:
    """Shuffle the functions, swap neighbours that assign and do not use each other's names, and swap operands."""
    head = [node for node in tree.body if not isinstance(node, ast.FunctionDef)]
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    rng.shuffle(functions)
    tree.body = [*head, *functions]
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Mult) and rng.random() < 0.7:
            node.left, node.right = node.right, node.left
        for one in range(len(body := getattr(node, "body", None) or []) - 1 if isinstance(node, ast.stmt) else 0):
            if _are_apart(*body[one : one + 2]) and rng.random() < 0.7:
                body[one], body[one + 1] = body[one + 1], body[one]


def _are_apart(one: ast.stmt, other: ast.stmt) -> bool:
    if not (isinstance(one, ast.Assign) and isinstance(other, ast.Assign)):
        return False
    names = [{node.id for node in ast.walk(each) if isinstance(node, ast.Name)} for each in (one, other)]
    return not names[0] & names[1] - {"np", "math"}


def _insert(tree: ast.Module, rng: random.Random) -> None:
    """Insert statements that do nothing: about one for each five that are there."""
    idle = (
        "_unused = {} * 2 + 1",
        "assert {} is not None",
        "print({})",
        "_log = [{}]",
        "if False:\n    print({}, 'x')",
    )
    for function in [node for node in tree.body if isinstance(node, ast.FunctionDef)]:
        for node in [function, *ast.walk(function)]:
            if isinstance(node, ast.FunctionDef | ast.For | ast.While) and rng.random() < 0.8:
                name = rng.choice([arg.arg for arg in function.args.args])
                node.body.insert(rng.randrange(len(node.body)), ast.parse(rng.choice(idle).format(name)).body[0])


def _rewrite(tree: ast.Module, rng: random.Random, share: float = 0.7) -> None:
    _Rewriter(rng, share).visit(tree)


@dataclass
class _Rewriter(ast.NodeTransformer):
    """Writes loops, updates, comparisons and results in another way: this share of them."""

    rng: random.Random
    share: float
    names: int = 0

    def _new_name(self) -> str:
        self.names += 1
        return f"helper_{self.names}"

    def visit_For(self, node: ast.For) -> Any:
        """Write `for i in range(n)` as `while`, and other loops with an index."""
        self.generic_visit(node)
        has_continue = any(isinstance(each, ast.Continue) for each in ast.walk(node))
        if has_continue or self.rng.random() > self.share:
            return node
        items, number = self._new_name(), self._new_name()
        text = f"{items} = list({ast.unparse(node.iter)})\n{number} = 0\nwhile {number} < len({items}):\n"
        text += f"    {ast.unparse(node.target)} = {items}[{number}]\n    {number} += 1"
        loop = ast.parse(text).body
        loop[-1].body += node.body  # type: ignore[attr-defined]
        return loop

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        if self.rng.random() > self.share:
            return node
        target = re.sub(r"^\((.*)\)$", r"\1", ast.unparse(node.target))
        value = ast.BinOp(ast.parse(target, mode="eval").body, node.op, node.value)
        return ast.Assign([node.target], value)

    def visit_Compare(self, node: ast.Compare) -> Any:
        self.generic_visit(node)
        turned = {ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE}
        operator = turned.get(type(node.ops[0]))
        if operator is None or self.rng.random() > self.share:
            return node
        return ast.Compare(node.comparators[0], [operator()], [node.left])

    def visit_Return(self, node: ast.Return) -> Any:
        self.generic_visit(node)
        if node.value is None or self.rng.random() > self.share:
            return node
        name = self._new_name()
        return [ast.Assign([ast.Name(name, ast.Store())], node.value), ast.Return(ast.Name(name, ast.Load()))]

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        """Write a division by a number as a product, a square as a product, and x - y as x + -y, some of them."""
        self.generic_visit(node)
        if self.rng.random() > self.share:
            return node
        if isinstance(node.op, ast.Pow) and isinstance(node.right, ast.Constant) and node.right.value == 2:
            return ast.Call(ast.parse("np.square", mode="eval").body, [node.left], [])
        if isinstance(node.op, ast.Sub):
            return ast.BinOp(node.left, ast.Add(), ast.UnaryOp(ast.USub(), node.right))
        return node
