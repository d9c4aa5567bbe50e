//! What the failure of a connection means.

use std::io;

use bowshot_core::{Error, ErrorKind};

use crate::tls::{OptionNames, refused};

/// What the failure of a connection means; `what` is what was under way: "the login".
pub fn lost(error: io::Error, what: &str, names: &OptionNames) -> Error {
    if let Some(tls) = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
        return refused(tls, names);
    }
    let message = match error.kind() {
        io::ErrorKind::TimedOut => {
            return Error::new(ErrorKind::Timeout, format!("the server did not answer in time during {what}"))
                .with_source(error);
        }
        io::ErrorKind::UnexpectedEof
        | io::ErrorKind::ConnectionReset
        | io::ErrorKind::ConnectionAborted
        | io::ErrorKind::NotConnected
        | io::ErrorKind::BrokenPipe => format!("the server closed the connection in the middle of {what}"),
        _ => format!("the connection to the server broke in the middle of {what}: {error}"),
    };
    Error::new(ErrorKind::ConnectionLost, message).with_source(error)
}
