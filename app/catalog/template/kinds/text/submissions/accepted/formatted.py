def print_report(rows):
    for i, row in enumerate(rows):
        print(f"row {i} mean {row.mean():.6f} max {row.max():.6f}")
