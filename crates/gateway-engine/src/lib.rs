//! The gateway's own engine.
