//! A user as it is configured.

use super::layers::Origin;

/// Somebody who may log in.
pub(crate) struct User {
    pub(crate) name: String,
    /// The password's hash; `None` for who only comes with a JSON Web Token.
    pub(crate) password_hash: Option<String>,
    /// What the user may read; none: everything.
    pub(crate) rules: Vec<String>,
    pub(crate) origin: Origin,
}

/// Without the hash.
impl std::fmt::Debug for User {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("User").field("name", &self.name).field("rules", &self.rules).finish_non_exhaustive()
    }
}
