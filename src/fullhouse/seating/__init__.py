"""Where people sit: layouts and their versions, zones, seats, what a show makes of them, and who is placed where."""
