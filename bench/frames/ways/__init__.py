"""The ways to read: each module needs its library, so that only a child process imports it."""
