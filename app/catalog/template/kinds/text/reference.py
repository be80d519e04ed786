def print_report(rows):
    for i, row in enumerate(rows):
        print("row", i, "mean", round(row.mean(), 6), "max", round(row.max(), 6))
