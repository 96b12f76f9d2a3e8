"""What tests and the processes that they start both know. Light: such a process may be started to be killed at once."""

SECRET_KEY = "a key for tests that is long enough to be one"
PUBLIC_URL = "http://testserver"
