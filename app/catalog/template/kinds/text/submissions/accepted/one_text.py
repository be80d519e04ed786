def print_report(rows):
    lines = [f"row {i} mean {sum(row) / len(row):.8g} max {max(row):.8g}" for i, row in enumerate(rows)]
    print("\n".join(lines))
