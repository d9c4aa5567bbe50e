//! Passwords, kept as argon2id hashes in the PHC string format.
//!
//! argon2id is [RFC 9106](https://www.rfc-editor.org/rfc/rfc9106); the text form is the
//! [PHC string format](https://github.com/P-H-C/phc-string-format/blob/master/phc-sf-spec.md).

use std::fmt;

use argon2::password_hash::phc::{self, Output, Salt};
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use argon2::{Argon2, Params};
use bowshot_core::{Error, ErrorKind, Result};

use crate::random;

/// A shorter hash could be met by chance.
const SHORTEST_OUTPUT: usize = 16;

/// One login must not take the memory of all others.
const MOST_MEMORY_KIB: u32 = 1 << 20;

/// Makes the text that is configured in place of a password: argon2id, a random salt, 19 MiB of memory, two passes, as OWASP
/// recommends.
///
/// # Errors
/// Of kind [`Config`](ErrorKind::Config): the password is empty.
///
/// ```
/// let phc = bowshot_gateway_access::hash("correct horse")?;
/// assert!(phc.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"));
/// assert!(bowshot_gateway_access::verify("correct horse", &phc));
/// assert!(!bowshot_gateway_access::verify("correct horse ", &phc));
/// # Ok::<(), bowshot_core::Error>(())
/// ```
pub fn hash(password: &str) -> Result<String> {
    if password.is_empty() {
        return Err(Error::new(ErrorKind::Config, "the password is empty").with_hint("choose one that is not"));
    }
    hash_with(password, Params::DEFAULT)
}

fn hash_with(password: &str, params: Params) -> Result<String> {
    let argon2 = Argon2::new(argon2::Algorithm::Argon2id, argon2::Version::V0x13, params);
    match argon2.hash_password(password.as_bytes()) {
        Ok(hash) => Ok(hash.to_string()),
        Err(error) => Err(Error::new(ErrorKind::Internal, format!("the password could not be hashed: {error}"))),
    }
}

/// Whether it is the password that the hash was made of. All of the hash is compared, in constant time.
///
/// What is no argon2id hash fits no password.
pub fn verify(password: &str, phc: &str) -> bool {
    PasswordHash::parse(phc).is_ok_and(|hash| hash.verify(password))
}

/// A hash that is known to be in order.
#[derive(Clone)]
pub(crate) struct PasswordHash(phc::PasswordHash);

impl PasswordHash {
    /// Reads the text form. What is refused is never repeated in the error: it may be a password.
    pub(crate) fn parse(phc: &str) -> Result<Self> {
        let refused = |why: &str| {
            Err(Error::new(ErrorKind::Config, format!("the password hash {why}"))
                .with_hint("make one with argon2id, as in $argon2id$v=19$m=19456,t=2,p=1$SALT$HASH"))
        };
        let Ok(hash) = phc::PasswordHash::new(phc) else { return refused("is not in the PHC string format") };
        if hash.algorithm.as_str() != "argon2id" {
            return refused("is of another algorithm than argon2id");
        }
        let Ok(params) = Params::try_from(&hash) else { return refused("has parameters that argon2id does not know") };
        if params.m_cost() > MOST_MEMORY_KIB {
            return refused("asks for more than 1 GiB of memory at each login");
        }
        if hash.salt.is_none() || hash.hash.as_ref().is_none_or(|output| output.len() < SHORTEST_OUTPUT) {
            return refused("is cut short");
        }
        Ok(PasswordHash(hash))
    }

    /// A hash that costs the same to verify, and that no password fits.
    pub(crate) fn decoy(&self) -> Result<Self> {
        let internal = |_| Error::new(ErrorKind::Internal, "a decoy of a password hash could not be made");
        let mut decoy = self.0.clone();
        decoy.salt = Some(Salt::new(&random::bytes::<16>()?).map_err(internal)?);
        let random = random::bytes::<{ Output::MAX_LENGTH }>()?;
        let output = random.get(..self.0.hash.as_ref().map_or(0, Output::len)).unwrap_or(&random);
        decoy.hash = Some(Output::new(output).map_err(internal)?);
        Ok(PasswordHash(decoy))
    }

    /// Whether it is the password. Costs what the hash's own parameters ask for, whatever comes out.
    pub(crate) fn verify(&self, password: &str) -> bool {
        #[cfg(test)]
        tests::VERIFIED.with(|count| count.set(count.get() + 1));
        Argon2::default().verify_password(password.as_bytes(), &self.0).is_ok()
    }
}

impl fmt::Debug for PasswordHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PasswordHash(…)")
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::cell::Cell;

    use super::*;

    thread_local! {
        /// How many passwords this thread has verified: what an observer with a clock could see.
        pub(crate) static VERIFIED: Cell<usize> = const { Cell::new(0) };
    }

    /// A hash that is quick to verify.
    pub(crate) fn cheap(password: &str) -> String {
        hash_with(password, Params::new(8, 1, 1, None).unwrap()).unwrap()
    }

    #[test]
    fn every_hash_of_a_password_has_a_salt_of_its_own() {
        let (one, other) = (cheap("secret"), cheap("secret"));
        assert_ne!(one, other);
        assert!(verify("secret", &one) && verify("secret", &other));
    }

    #[test]
    fn only_the_whole_password_fits() {
        let phc = cheap("secret");
        for wrong in ["", "s", "secre", "secrets", "Secret", "secret\0", " secret"] {
            assert!(!verify(wrong, &phc), "{wrong:?}");
        }
    }

    #[test]
    fn a_hash_that_differs_in_any_character_does_not_fit() {
        let phc = cheap("secret");
        let start = phc.rfind('$').unwrap() + 1;
        for at in start..phc.len() {
            let other = if phc.as_bytes()[at] == b'A' { "B" } else { "A" };
            let changed = format!("{}{other}{}", &phc[..at], &phc[at + 1..]);
            assert!(!verify("secret", &changed), "{at}");
        }
    }

    #[test]
    fn what_is_no_argon2id_hash_is_refused_without_repeating_it() {
        let good = cheap("secret");
        let cut = &good[..good.rfind('$').unwrap()];
        for bad in [
            "hunter2",
            "",
            "$",
            "$2b$12$abcdefghijklmnopqrstuv",
            cut,
            &format!("{cut}$AAAA"),
            &good.replace("argon2id", "argon2i"),
            &good.replace("m=8", "m=1048577"),
            &good.replace("m=8", "m=hunter2"),
        ] {
            let error = PasswordHash::parse(bad).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Config, "{bad}");
            assert!(!format!("{error:?}").contains("hunter2"));
            assert!(!verify("hunter2", bad));
        }
    }

    #[test]
    fn an_empty_password_is_not_hashed() {
        assert_eq!(hash("").unwrap_err().kind(), ErrorKind::Config);
    }

    #[test]
    fn a_decoy_costs_the_same_and_fits_nothing() {
        let real = PasswordHash::parse(&cheap("secret")).unwrap();
        let decoy = real.decoy().unwrap();
        assert_eq!(decoy.0.params, real.0.params);
        assert_eq!(decoy.0.version, real.0.version);
        assert_eq!(decoy.0.algorithm, real.0.algorithm);
        assert_eq!(decoy.0.hash.as_ref().unwrap().len(), real.0.hash.as_ref().unwrap().len());
        assert_ne!(decoy.0.salt, real.0.salt);
        assert!(!decoy.verify("secret") && !decoy.verify(""));
    }
}
