def print_report(rows):
    for i, row in enumerate(rows):
        print("row", i, "mean", row.mean(), "max", row.max())
