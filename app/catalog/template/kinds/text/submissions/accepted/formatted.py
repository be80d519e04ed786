def print_report(rows):
    for i, row in enumerate(rows):
        print(f"row {i} mean {row.mean():.5f} max {row.max():.5f}")
