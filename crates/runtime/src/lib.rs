//! Waits for asynchronous drivers from the threads that read: with a cancel and a time limit.
