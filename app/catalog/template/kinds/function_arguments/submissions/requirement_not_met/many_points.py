# Is right, but calls f a thousand times.


def integrate_function(f, a, b):
    n = 1000
    h = (b - a) / n
    values = [f(a + i * h) for i in range(n + 1)]
    return h / 3 * (values[0] + values[-1] + 4 * sum(values[1:-1:2]) + 2 * sum(values[2:-1:2]))
