"""Sources that run in boxes, beside the package's own code. The worker reads them as texts and never imports them."""
