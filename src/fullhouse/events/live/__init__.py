"""Live channels and streams of events: who may subscribe, and the messages that a change sends."""
