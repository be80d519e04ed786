"""Makes a package from a notebook. The notebook's programs are read as syntax trees, and run only in a box."""
