//! The driver as programs in Rust call it.

#[cfg(test)]
mod calls;
