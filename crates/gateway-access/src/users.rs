//! The users that are configured.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::fmt;
use std::hash::BuildHasher;
use std::sync::Arc;

use bowshot_core::{Error, ErrorKind, Result};

use crate::identity::{Identity, LONGEST_NAME, is_name};
use crate::password::PasswordHash;
use crate::rights::Rights;

/// A user as the configuration names it.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct UserEntry {
    /// The user's name.
    pub name: String,
    /// The password's argon2id hash, made with [`hash`](crate::hash); `None` for users who only come with a JSON Web Token.
    pub password_hash: Option<String>,
    /// What the user may read and write, as [`Rights`] has it; none: everything.
    pub rules: Vec<String>,
}

impl fmt::Debug for UserEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UserEntry")
            .field("name", &self.name)
            .field("password_hash", &self.password_hash.as_ref().map(|_| "…"))
            .field("rules", &self.rules)
            .finish()
    }
}

/// All users. None at all make an open gateway.
pub struct Users {
    by_name: HashMap<Arc<str>, User>,
    /// A decoy for each password: what strangers are measured against. Which one a stranger gets depends on the name alone,
    /// so that the costs of strangers are spread as those of users are.
    decoys: Vec<PasswordHash>,
    spread: RandomState,
}

struct User {
    name: Arc<str>,
    password: Option<PasswordHash>,
    rights: Arc<Rights>,
}

/// Why a password did not let its user in. For the log alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    UnknownUser,
    NoPassword,
    WrongPassword,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Failure::UnknownUser => "there is no such user",
            Failure::NoPassword => "the user has no password",
            Failure::WrongPassword => "the password is wrong",
        })
    }
}

impl Users {
    /// Nobody: an open gateway.
    pub fn none() -> Self {
        Users { by_name: HashMap::new(), decoys: Vec::new(), spread: RandomState::new() }
    }

    /// The users of a configuration.
    ///
    /// # Errors
    /// Of kind [`Config`](ErrorKind::Config), naming the user and never the password: a name that is empty, too long, has
    /// control characters or appears twice; a name with a colon, which a login by password cannot carry; a hash that is not
    /// argon2id's; a rule that is not understood.
    pub fn new(entries: &[UserEntry]) -> Result<Self> {
        let mut users = Users::none();
        for entry in entries {
            let user = User::new(entry)
                .map_err(|error| reworded(&error, format!("the user {:?}: {}", entry.name, error.message())))?;
            if let Some(password) = &user.password {
                users.decoys.push(password.decoy()?);
            }
            if users.by_name.insert(Arc::clone(&user.name), user).is_some() {
                return Err(Error::new(ErrorKind::Config, format!("the user {:?} is configured twice", entry.name)));
            }
        }
        Ok(users)
    }

    /// Whether nobody is configured.
    pub fn is_empty(&self) -> bool {
        self.by_name.is_empty()
    }

    /// How many users there are.
    pub fn len(&self) -> usize {
        self.by_name.len()
    }

    /// The user of this name, whose name was proven otherwise than by a password.
    pub(crate) fn proven(&self, name: &str) -> Option<Identity> {
        self.by_name.get(name).map(User::identity)
    }

    /// Checks a password. One hash is verified, whether there is such a user or not.
    pub(crate) fn check(&self, name: &str, password: &str) -> Result<Identity, Failure> {
        let user = self.by_name.get(name);
        let real = user.and_then(|user| user.password.as_ref());
        let fits = real.or_else(|| self.decoy(name)).is_some_and(|hash| hash.verify(password));
        match (user, real) {
            (None, _) => Err(Failure::UnknownUser),
            (Some(_), None) => Err(Failure::NoPassword),
            (Some(_), Some(_)) if !fits => Err(Failure::WrongPassword),
            (Some(user), Some(_)) => Ok(user.identity()),
        }
    }

    fn decoy(&self, name: &str) -> Option<&PasswordHash> {
        let decoys = u64::try_from(self.decoys.len()).ok()?;
        let at = self.spread.hash_one(name).checked_rem(decoys)?;
        self.decoys.get(usize::try_from(at).ok()?)
    }
}

impl User {
    fn new(entry: &UserEntry) -> Result<Self> {
        if !is_name(&entry.name) {
            let message = format!("a name has 1 to {LONGEST_NAME} bytes and no control characters");
            return Err(Error::new(ErrorKind::Config, message));
        }
        if entry.name.contains(':') && entry.password_hash.is_some() {
            return Err(Error::new(ErrorKind::Config, "a login by password cannot carry a name with a colon")
                .with_hint("choose a name without one"));
        }
        Ok(User {
            name: entry.name.as_str().into(),
            password: entry.password_hash.as_deref().map(PasswordHash::parse).transpose()?,
            rights: Arc::new(Rights::parse(&entry.rules)?),
        })
    }

    fn identity(&self) -> Identity {
        Identity::new(Arc::clone(&self.name), Arc::clone(&self.rights))
    }
}

fn reworded(error: &Error, message: String) -> Error {
    let reworded = Error::new(error.kind(), message);
    match error.hint() {
        Some(hint) => reworded.with_hint(hint),
        None => reworded,
    }
}

impl fmt::Debug for Users {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut names: Vec<_> = self.by_name.keys().collect();
        names.sort();
        f.debug_tuple("Users").field(&names).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::password::tests::{VERIFIED, cheap};
    use crate::rights::TablePath;

    fn entry(name: &str, password: &str) -> UserEntry {
        UserEntry { name: name.into(), password_hash: Some(cheap(password)), rules: Vec::new() }
    }

    #[test]
    fn each_user_has_one_password_and_the_own_rules() {
        let mut ada = entry("ada", "one");
        ada.rules = vec!["allow shop".into()];
        let users = Users::new(&[ada, entry("bob", "two")]).unwrap();
        let ada = users.check("ada", "one").unwrap();
        assert_eq!(ada.user(), "ada");
        assert!(!ada.rights().may_read(&TablePath::new("hr", "a", "b")));
        assert!(users.check("bob", "two").unwrap().rights().may_read(&TablePath::new("hr", "a", "b")));
        assert_eq!(users.check("ada", "two").unwrap_err(), Failure::WrongPassword);
        assert_eq!(users.check("ADA", "one").unwrap_err(), Failure::UnknownUser);
    }

    #[test]
    fn one_hash_is_verified_whether_there_is_such_a_user_or_not() {
        let silent = UserEntry { name: "token-only".into(), ..UserEntry::default() };
        let users = Users::new(&[entry("ada", "one"), entry("bob", "two"), silent]).unwrap();
        for (name, password) in [("ada", "one"), ("ada", "wrong"), ("nobody", "one"), ("", ""), ("token-only", "one")] {
            let before = VERIFIED.get();
            let _ = users.check(name, password);
            assert_eq!(VERIFIED.get() - before, 1, "{name}");
        }
    }

    #[test]
    fn no_password_lets_a_stranger_in_not_even_another_users() {
        let users = Users::new(&[entry("ada", "one")]).unwrap();
        for name in ["bob", "", "ada ", "Ada", "root", "anonymous"] {
            assert_eq!(users.check(name, "one").unwrap_err(), Failure::UnknownUser);
        }
        let silent = UserEntry { name: "token-only".into(), ..UserEntry::default() };
        let users = Users::new(&[silent]).unwrap();
        assert_eq!(users.check("token-only", "").unwrap_err(), Failure::NoPassword);
    }

    #[test]
    fn mistakes_name_the_user_and_not_the_password() {
        let plain = UserEntry { name: "ada".into(), password_hash: Some("hunter2".into()), rules: Vec::new() };
        let mut ruled = entry("ada", "one");
        ruled.rules = vec!["permit *".into()];
        for entries in [vec![plain], vec![entry("ada", "hunter2"), entry("ada", "two")], vec![ruled]] {
            let error = Users::new(&entries).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Config);
            assert!(error.message().contains("\"ada\""), "{error}");
            assert!(!format!("{error:?}{entries:?}").contains("hunter2"));
        }
        for name in ["", "a\nb", "a:b", &"a".repeat(257)] {
            assert_eq!(Users::new(&[entry(name, "one")]).unwrap_err().kind(), ErrorKind::Config);
        }
    }

    #[test]
    fn what_debug_shows_holds_no_hash() {
        let entry = entry("ada", "one");
        let users = Users::new(std::slice::from_ref(&entry)).unwrap();
        let shown = format!("{entry:?} {users:?} {:?}", users.by_name["ada"].password);
        assert!(shown.contains("ada") && !shown.contains("argon2"), "{shown}");
    }
}
