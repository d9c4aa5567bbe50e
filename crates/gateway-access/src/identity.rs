//! Who asks, once that is proven.

use std::sync::Arc;
use std::time::SystemTime;

use crate::rights::Rights;

/// The longest name of a user, in bytes.
pub const LONGEST_NAME: usize = 256;

/// The user that an open gateway sees where no name was given.
pub const ANONYMOUS: &str = "anonymous";

/// A user whose name is proven, and what that user may read and write.
#[derive(Clone, Debug)]
pub struct Identity {
    user: Arc<str>,
    rights: Arc<Rights>,
    until: Option<SystemTime>,
}

impl Identity {
    pub(crate) fn new(user: Arc<str>, rights: Arc<Rights>) -> Self {
        Identity { user, rights, until: None }
    }

    pub(crate) fn with_until(mut self, until: SystemTime) -> Self {
        self.until = Some(until);
        self
    }

    /// The user's name.
    pub fn user(&self) -> &str {
        &self.user
    }

    /// What the user may read and write.
    pub fn rights(&self) -> &Rights {
        &self.rights
    }

    /// When the proof itself ends, as that of a JSON Web Token does.
    pub fn until(&self) -> Option<SystemTime> {
        self.until
    }

    pub(crate) fn shared_user(&self) -> Arc<str> {
        Arc::clone(&self.user)
    }
}

/// Whether a name can be a user's: neither empty nor overlong, and without control characters, which would forge lines of
/// a log.
pub(crate) fn is_name(name: &str) -> bool {
    !name.is_empty() && name.len() <= LONGEST_NAME && !name.chars().any(char::is_control)
}
