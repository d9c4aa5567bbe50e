//! The messages of Flight's session options, which arrow-flight has not yet
//! ([Flight.proto](https://github.com/apache/arrow/blob/main/format/Flight.proto)), and what they set.

use std::collections::HashMap;

use bowshot_gateway_access::{OptionError, OptionValue, SessionOptions};
use bowshot_gateway_wire::Codec;

use crate::caller::{CATALOG, COMPRESSION, ENDPOINTS};

/// `SetSessionOptionsRequest`.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct SetSessionOptionsRequest {
    #[prost(map = "string, message", tag = "1")]
    pub(crate) session_options: HashMap<String, SessionOptionValue>,
}

/// `SetSessionOptionsResult`: what could not be set.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct SetSessionOptionsResult {
    #[prost(map = "string, message", tag = "1")]
    pub(crate) errors: HashMap<String, SetError>,
}

/// `SetSessionOptionsResult.Error`.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct SetError {
    #[prost(enumeration = "ErrorValue", tag = "1")]
    pub(crate) value: i32,
}

/// `SetSessionOptionsResult.ErrorValue`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
#[repr(i32)]
pub(crate) enum ErrorValue {
    Unspecified = 0,
    InvalidName = 1,
    InvalidValue = 2,
    Error = 3,
}

/// `GetSessionOptionsResult`.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct GetSessionOptionsResult {
    #[prost(map = "string, message", tag = "1")]
    pub(crate) session_options: HashMap<String, SessionOptionValue>,
}

/// `SessionOptionValue`; without a value it asks to unset the option.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct SessionOptionValue {
    #[prost(oneof = "Held", tags = "1, 2, 3, 4, 5")]
    pub(crate) option_value: Option<Held>,
}

/// The value of an option.
#[derive(Clone, PartialEq, prost::Oneof)]
pub(crate) enum Held {
    #[prost(string, tag = "1")]
    String(String),
    #[prost(bool, tag = "2")]
    Bool(bool),
    #[prost(sfixed64, tag = "3")]
    I64(i64),
    #[prost(double, tag = "4")]
    F64(f64),
    #[prost(message, tag = "5")]
    Strings(StringList),
}

/// `SessionOptionValue.StringListValue`.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct StringList {
    #[prost(string, repeated, tag = "1")]
    pub(crate) values: Vec<String>,
}

/// Sets each option that can be set. One that this gateway does not know is an error of its own: a wish that nobody
/// fulfils must not look granted.
pub(crate) fn set(
    options: &mut SessionOptions,
    request: SetSessionOptionsRequest,
    is_source: impl Fn(&str) -> bool,
) -> SetSessionOptionsResult {
    let mut errors = HashMap::new();
    for (name, value) in request.session_options {
        let value = value.option_value.map(OptionValue::from);
        let set =
            check(&name, value.as_ref(), &is_source).and_then(|()| options.set(&name, value).map_err(ErrorValue::from));
        if let Err(error) = set {
            errors.insert(name, SetError { value: error.into() });
        }
    }
    SetSessionOptionsResult { errors }
}

/// All options of a session.
pub(crate) fn get(options: &SessionOptions) -> GetSessionOptionsResult {
    let held = |value: &OptionValue| SessionOptionValue { option_value: Some(value.clone().into()) };
    GetSessionOptionsResult {
        session_options: options.iter().map(|(name, value)| (name.to_owned(), held(value))).collect(),
    }
}

fn check(name: &str, value: Option<&OptionValue>, is_source: impl Fn(&str) -> bool) -> Result<(), ErrorValue> {
    let is_right = match (name, value) {
        (ENDPOINTS | COMPRESSION | CATALOG, None) => true,
        (ENDPOINTS, Some(OptionValue::I64(count))) => *count > 0,
        (ENDPOINTS, Some(OptionValue::String(text))) => text.parse::<u32>().is_ok_and(|count| count > 0),
        (COMPRESSION, Some(OptionValue::String(text))) => text == "auto" || text.parse::<Codec>().is_ok(),
        (CATALOG, Some(OptionValue::String(text))) => is_source(text),
        (ENDPOINTS | COMPRESSION | CATALOG, Some(_)) => false,
        _ => return Err(ErrorValue::InvalidName),
    };
    if is_right { Ok(()) } else { Err(ErrorValue::InvalidValue) }
}

impl From<Held> for OptionValue {
    fn from(held: Held) -> Self {
        match held {
            Held::String(text) => OptionValue::String(text),
            Held::Bool(flag) => OptionValue::Bool(flag),
            Held::I64(number) => OptionValue::I64(number),
            Held::F64(number) => OptionValue::F64(number),
            Held::Strings(list) => OptionValue::Strings(list.values),
        }
    }
}

impl From<OptionValue> for Held {
    fn from(value: OptionValue) -> Self {
        match value {
            OptionValue::String(text) => Held::String(text),
            OptionValue::Bool(flag) => Held::Bool(flag),
            OptionValue::I64(number) => Held::I64(number),
            OptionValue::F64(number) => Held::F64(number),
            OptionValue::Strings(values) => Held::Strings(StringList { values }),
        }
    }
}

impl From<OptionError> for ErrorValue {
    fn from(error: OptionError) -> Self {
        match error {
            OptionError::InvalidName => ErrorValue::InvalidName,
            OptionError::InvalidValue => ErrorValue::InvalidValue,
            OptionError::TooMany => ErrorValue::Error,
        }
    }
}

#[cfg(test)]
mod tests {
    use prost::Message;

    use super::*;

    #[test]
    fn options_are_set_checked_and_read_back() {
        let mut options = SessionOptions::default();
        let value = |held| SessionOptionValue { option_value: Some(held) };
        let request = SetSessionOptionsRequest {
            session_options: HashMap::from([
                (ENDPOINTS.into(), value(Held::I64(4))),
                (COMPRESSION.into(), value(Held::String("brotli".into()))),
                (CATALOG.into(), value(Held::String("shop".into()))),
                ("schema".into(), value(Held::String("public".into()))),
            ]),
        };
        let request = SetSessionOptionsRequest::decode(request.encode_to_vec().as_slice()).unwrap();
        let errors = set(&mut options, request, |name| name == "shop").errors;
        assert_eq!(errors.len(), 2, "{errors:?}");
        assert_eq!(errors[COMPRESSION].value(), ErrorValue::InvalidValue);
        assert_eq!(errors["schema"].value(), ErrorValue::InvalidName);
        let read = get(&options).session_options;
        assert_eq!(read.len(), 2);
        assert_eq!(read[ENDPOINTS].option_value, Some(Held::I64(4)));

        let unset = HashMap::from([(CATALOG.to_owned(), SessionOptionValue { option_value: None })]);
        let errors = set(&mut options, SetSessionOptionsRequest { session_options: unset }, |_| false).errors;
        assert!(errors.is_empty() && options.get(CATALOG).is_none());
    }

    #[test]
    fn the_bytes_are_those_of_flight() {
        // session_options { key: "a", value { int64_value: 1 } }, by hand from Flight.proto.
        let bytes = [0x0a, 14, 0x0a, 1, b'a', 0x12, 9, 0x19, 1, 0, 0, 0, 0, 0, 0, 0];
        let request = SetSessionOptionsRequest::decode(&bytes[..]).unwrap();
        assert_eq!(request.session_options["a"].option_value, Some(Held::I64(1)));
    }
}
