"""Lists what is installed."""

import importlib.metadata
import json

print(json.dumps({found.metadata["Name"]: found.version for found in importlib.metadata.distributions()}))
