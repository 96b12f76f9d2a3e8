"""Emails to people in a waiting room: that it opens soon, and that their turn has come while they are away."""
