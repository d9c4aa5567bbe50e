//! Who looks.

/// Who looks at statements, and whether they may be other users'.
///
/// ```
/// use bowshot_gateway_monitor::Viewer;
///
/// assert!(Viewer::all("root").sees("ann"));
/// assert!(!Viewer::own("bob").sees("ann"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Viewer {
    user: String,
    sees_all: bool,
}

impl Viewer {
    /// Somebody who sees everybody's statements.
    pub fn all(user: impl Into<String>) -> Self {
        Viewer { user: user.into(), sees_all: true }
    }

    /// Somebody who sees only his own.
    pub fn own(user: impl Into<String>) -> Self {
        Viewer { user: user.into(), sees_all: false }
    }

    /// Who it is.
    pub fn user(&self) -> &str {
        &self.user
    }

    /// Whether statements of `user` are to be seen.
    pub fn sees(&self, user: &str) -> bool {
        self.sees_all || self.user == user
    }
}
