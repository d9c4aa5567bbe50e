//! The values of options, as callers give them and get them back.

use std::str::FromStr;

use adbc_core::error::{Error as AdbcError, Result as AdbcResult, Status};
use adbc_core::options::OptionValue;
use bowshot_core::{Error, ErrorKind, Result};

use crate::error::to_adbc;

/// The value as text, whatever type it came in: driver managers of some languages know only strings.
pub(crate) fn text(key: &str, value: &OptionValue) -> Result<String> {
    Ok(match value {
        OptionValue::String(text) => text.clone(),
        OptionValue::Int(number) => number.to_string(),
        OptionValue::Double(number) => number.to_string(),
        OptionValue::Bytes(bytes) => String::from_utf8(bytes.clone())
            .map_err(|_| Error::new(ErrorKind::Config, format!("the option {key} is no text")))?,
        _ => return Err(Error::new(ErrorKind::Config, format!("the option {key} has a value of an unknown type"))),
    })
}

/// An option that there is not.
pub(crate) fn unknown(key: &str, level: &str) -> Error {
    Error::new(ErrorKind::Unsupported, format!("there is no option {key} of a {level}")).with_hint(
        "docs/adbc-driver.md lists all: uri, username and password of a database, the standard ones of ADBC, and bowshot.*",
    )
}

/// An option that was never set, or that there is not: in ADBC, nobody finds it.
pub(crate) fn absent(mut error: AdbcError) -> AdbcError {
    if error.status == Status::NotImplemented {
        error.status = Status::NotFound;
    }
    error
}

/// An option's value as a number.
pub(crate) fn number<T: FromStr>(key: &str, text: &str) -> AdbcResult<T> {
    let error = || to_adbc(&Error::new(ErrorKind::Config, format!("the option {key} is no number")));
    text.trim().parse().map_err(|_| error())
}
