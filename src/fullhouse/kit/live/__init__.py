"""Live messages between processes and to browsers: the bus, broadcasts and streams."""
