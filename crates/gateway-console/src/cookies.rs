//! Logins that need not be looked at again for a while.

use std::collections::HashMap;
use std::fmt::Write;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::Who;

/// The cookie's name.
const NAME: &str = "bowshot_console";
/// How many logins are remembered; beyond, each request is looked at anew.
const MOST: usize = 1_000;

/// Who has which cookie. A cookie is 256 random bits, so that nobody guesses one.
#[derive(Default)]
pub(crate) struct Cookies(Mutex<HashMap<String, (Who, Instant)>>);

impl Cookies {
    /// The value of the header `set-cookie` for somebody who was let in; `None` where there is no room or no randomness.
    pub(crate) fn issue(&self, who: &Who, time: Duration, secure: bool, now: Instant) -> Option<String> {
        let mut bytes = [0_u8; 32];
        getrandom::fill(&mut bytes).ok()?;
        let token = bytes.iter().fold(String::with_capacity(64), |mut text, byte| {
            // Writing into a text cannot fail.
            let _ = write!(text, "{byte:02x}");
            text
        });
        let mut known = self.0.lock();
        known.retain(|_, (_, expires)| *expires > now);
        if known.len() >= MOST {
            return None;
        }
        known.insert(token.clone(), (who.clone(), now.checked_add(time)?));
        let secure = if secure { "; Secure" } else { "" };
        Some(format!("{NAME}={token}; Path=/; HttpOnly; SameSite=Strict; Max-Age={}{secure}", time.as_secs()))
    }

    /// Who sends a header `cookie`, if it holds one of ours that is still good.
    pub(crate) fn find(&self, header: &str, now: Instant) -> Option<Who> {
        let ours = header.split(';').filter_map(|cookie| cookie.trim().strip_prefix(NAME)?.strip_prefix('='));
        let known = self.0.lock();
        ours.filter_map(|token| known.get(token)).find(|(_, expires)| *expires > now).map(|(who, _)| who.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    #[test]
    fn a_cookie_is_good_for_its_time_and_for_nobody_else() {
        let (cookies, now) = (Cookies::default(), Instant::now());
        let ann = Who { user: "ann".into(), sees_all: false };
        let header = cookies.issue(&ann, MINUTE, false, now).unwrap();
        assert!(header.ends_with("; Path=/; HttpOnly; SameSite=Strict; Max-Age=60"), "{header}");
        let cookie = header.split(';').next().unwrap();
        assert_eq!(cookie.len(), NAME.len() + 1 + 64);
        assert_eq!(cookies.find(&format!("theme=dark; {cookie}; a=b"), now), Some(ann));
        assert_eq!(cookies.find(cookie, now + MINUTE), None);
        for wrong in ["", "bowshot_console=", "bowshot_console=00", "bowshot_console", &cookie.replace('=', "=0")] {
            assert_eq!(cookies.find(wrong, now), None, "{wrong}");
        }
    }

    #[test]
    fn old_cookies_make_room_for_new_ones() {
        let (cookies, now) = (Cookies::default(), Instant::now());
        let ann = Who { user: "ann".into(), sees_all: false };
        for _ in 0..MOST {
            assert!(cookies.issue(&ann, MINUTE, true, now).unwrap().ends_with("; Secure"));
        }
        assert_eq!(cookies.issue(&ann, MINUTE, true, now), None);
        assert!(cookies.issue(&ann, MINUTE, true, now + MINUTE).is_some());
    }
}
