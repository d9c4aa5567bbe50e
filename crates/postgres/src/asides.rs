//! What a server may say between any two messages, whatever it is asked: notices, its parameters, notifications (PostgreSQL
//! manual, "Asynchronous Operations" of the message flow).
//!
//! Whoever reads messages gets them from [`Session`](crate::connect::Session), whose buffer nobody else sees, and it passes these
//! over: no phase can forget that they may come.

use std::collections::BTreeMap;

use bowshot_core::{Cancel, Error, ErrorKind, Notice, Result, Severity};

use crate::error::Fields;
use crate::message::{Body, is_aside, tag};

/// Parameters that a server may report; a real one has about fifteen.
const MOST_PARAMETERS: usize = 100;

/// How many bytes of one message are looked at: what people read of it lies in front, and the rest need not be kept.
pub(crate) const MOST_LOOKED_AT: usize = 64 << 10;

/// The encoding in which all text has to come.
const ENCODING: &str = "client_encoding";

/// Takes what comes in between.
pub(crate) struct Asides {
    /// Whose notices they are.
    cancel: Cancel,
    parameters: BTreeMap<String, String>,
    /// Text came as UTF-8, and no longer does.
    is_encoding_lost: bool,
}

impl Asides {
    pub(crate) fn new(cancel: &Cancel) -> Self {
        Asides { cancel: cancel.clone(), parameters: BTreeMap::new(), is_encoding_lost: false }
    }

    /// From now on they belong to this work.
    pub(crate) fn follow(&mut self, cancel: &Cancel) {
        self.cancel = cancel.clone();
    }

    /// What the server reports of itself.
    pub(crate) fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters.get(name).map(String::as_str)
    }

    /// How many parameters are kept.
    #[cfg(test)]
    pub(crate) fn count(&self) -> usize {
        self.parameters.len()
    }

    /// Takes a message whose body may be cut off.
    pub(crate) fn take(&mut self, tag: u8, body: &[u8]) {
        debug_assert!(is_aside(tag));
        match tag {
            tag::NOTICE => self.cancel.notices().add(notice(body)),
            tag::NOTIFICATION => self.cancel.notices().add(notification(body)),
            _ => self.record_parameter(body),
        }
    }

    /// An error where the server no longer sends text as UTF-8: what came before the change was announced may be in any encoding.
    pub(crate) fn check_encoding(&self) -> Result<()> {
        if !self.is_encoding_lost {
            return Ok(());
        }
        let encoding = self.parameter(ENCODING).unwrap_or_default();
        let message = format!("the query changed client_encoding to {encoding}, so that its text would be read wrong");
        Err(Error::new(ErrorKind::Unsupported, message).with_hint("leave SET client_encoding out: text comes as UTF-8"))
    }

    fn record_parameter(&mut self, body: &[u8]) {
        let mut body = Body(body);
        if let (Some(name), Some(value)) = (body.text(), body.text()) {
            let (name, value) = (String::from_utf8_lossy(name), String::from_utf8_lossy(value));
            if name == ENCODING {
                // A server that never said UTF-8 has its own words.
                self.is_encoding_lost =
                    !is_utf8(&value) && (self.is_encoding_lost || self.parameter(ENCODING).is_some_and(is_utf8));
            }
            if self.parameters.len() < MOST_PARAMETERS || self.parameters.contains_key(name.as_ref()) {
                self.parameters.insert(name.into_owned(), value.into_owned());
            }
        }
    }
}

/// Servers write the name in several ways; UNICODE is PostgreSQL's own old one.
fn is_utf8(encoding: &str) -> bool {
    let letters = encoding.bytes().filter(u8::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase());
    matches!(&letters.collect::<Vec<_>>()[..], b"utf8" | b"unicode")
}

/// What a NoticeResponse says.
fn notice(body: &[u8]) -> Notice {
    let fields = Fields::read(body);
    // DEBUG1 to DEBUG5; localized where an old server has no other field.
    let severity = match fields.severity.as_str() {
        "WARNING" => Severity::Warning,
        "INFO" => Severity::Info,
        "LOG" => Severity::Log,
        debug if debug.starts_with("DEBUG") => Severity::Debug,
        _ => Severity::Notice,
    };
    let with = |text: String| Some(text).filter(|text| !text.is_empty());
    let mut notice = Notice::new(severity, fields.message);
    if let Some(code) = with(fields.sqlstate) {
        notice = notice.with_code(code);
    }
    if let Some(detail) = with(fields.detail) {
        notice = notice.with_detail(detail);
    }
    match with(fields.hint) {
        Some(hint) => notice.with_hint(hint),
        None => notice,
    }
}

/// What a NotificationResponse says, to a session that listens.
fn notification(body: &[u8]) -> Notice {
    let mut body = Body(body);
    let _process = body.i32();
    let mut text = || String::from_utf8_lossy(body.text_or_rest()).into_owned();
    let channel = text();
    let notice = Notice::new(Severity::Info, format!("notification on channel \"{channel}\""));
    match text() {
        payload if payload.is_empty() => notice,
        payload => notice.with_detail(payload),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(tag: u8, body: &[u8]) -> Vec<Notice> {
        let mut asides = Asides::new(&Cancel::new());
        asides.take(tag, body);
        asides.cancel.notices().all()
    }

    #[test]
    fn a_notice_is_taken_whole_or_cut_anywhere() {
        let body = b"SWARNUNG\0VWARNING\0C01000\0Mold\0Dof 1999\0Hrenew it\0Wwhere\0\0";
        let [notice] = &taken(tag::NOTICE, body)[..] else { panic!() };
        assert_eq!(notice.to_string(), "WARNING: old (of 1999) (code 01000); renew it");
        let [notice] = &taken(tag::NOTICE, &body[..27])[..] else { panic!() };
        assert_eq!(notice.to_string(), "WARNING: o (code 01000)");
        for end in 0..body.len() {
            assert_eq!(taken(tag::NOTICE, &body[..end]).len(), 1);
            assert_eq!(taken(tag::NOTIFICATION, &body[..end]).len(), 1);
            assert_eq!(taken(tag::PARAMETER, &body[..end]).len(), 0);
        }
        let [notice] = &taken(tag::NOTIFICATION, b"\0\0\0\x07news\0all is well\0")[..] else { panic!() };
        assert_eq!(notice.to_string(), "INFO: notification on channel \"news\" (all is well)");
        let levels = [("DEBUG5", Severity::Debug), ("LOG", Severity::Log), ("INFO", Severity::Info)];
        for (name, severity) in levels {
            assert_eq!(taken(tag::NOTICE, format!("V{name}\0Mx\0\0").as_bytes())[0].severity(), severity);
        }
    }

    #[test]
    fn another_encoding_is_an_error() {
        let mut asides = Asides::new(&Cancel::new());
        for (encoding, is_right) in
            [("UTF8", true), ("utf-8", true), ("UNICODE", true), ("LATIN1", false), ("UTF8", true)]
        {
            asides.take(tag::PARAMETER, format!("client_encoding\0{encoding}\0").as_bytes());
            assert_eq!(asides.check_encoding().is_ok(), is_right, "{encoding}");
        }
    }
}
