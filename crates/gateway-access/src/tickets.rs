//! Tickets and handles: what clients carry around and must not change.
//!
//! A ticket says which part of which query it stands for, whose it is and how long it holds; never the SQL, which would stand
//! in logs of proxies. It is signed and not encrypted, and means nothing without the gateway. It depends on no session: the
//! process that reads a partition need not be the one that asked the query.
//!
//! | bytes | what |
//! |---|---|
//! | 1 | version, 1 |
//! | 1 | kind: `T` a ticket, `H` a handle of a prepared statement |
//! | 16 | the query or statement |
//! | 4 | ticket: the endpoint, most significant byte first |
//! | 8 | ticket: seconds since 1970 at which it expires, most significant byte first |
//! | 1 to 256 | the user, UTF-8 |
//! | 32 | HMAC-SHA256 ([RFC 2104](https://www.rfc-editor.org/rfc/rfc2104)) of all bytes before |

use std::fmt;
use std::time::{Duration, SystemTime};

use bowshot_core::{Error, ErrorKind, Result};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::identity::{Identity, is_name};
use crate::now::unix_seconds;
use crate::random;
use crate::refusal::{Refusal, RefusalKind};

const VERSION: u8 = 1;
const TICKET: u8 = b'T';
const HANDLE: u8 = b'H';

/// The bytes of a signature.
const SIGNATURE: usize = 32;

/// Tickets are short. What is longer is not hashed at all.
const LONGEST: usize = 512;

/// What a ticket stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The query.
    pub query: [u8; 16],
    /// Which of its endpoints.
    pub endpoint: u32,
    /// Whose query it is.
    pub user: String,
    /// From when on it holds no more, in whole seconds: a ticket carries no fractions.
    pub expires: SystemTime,
}

/// What the handle of a prepared statement stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handle {
    /// The statement.
    pub statement: [u8; 16],
    /// Whose statement it is.
    pub user: String,
}

/// Why a ticket or a handle is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TicketError {
    /// It was never a ticket of this kind.
    Malformed,
    /// Its signature is not that of this gateway's key.
    Forged,
    /// It held until a while ago.
    Expired,
}

impl fmt::Display for TicketError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TicketError::Malformed => "the ticket is not one of this gateway",
            TicketError::Forged => "the ticket was changed, or is of another gateway or of one that has restarted",
            TicketError::Expired => "the ticket has expired",
        })
    }
}

impl std::error::Error for TicketError {}

impl From<TicketError> for Refusal {
    fn from(error: TicketError) -> Refusal {
        let (kind, hint) = match error {
            TicketError::Malformed => (RefusalKind::InvalidArgument, "send tickets and handles as they came"),
            TicketError::Forged => (RefusalKind::PermissionDenied, "run the query again"),
            TicketError::Expired => (RefusalKind::NotFound, "run the query again"),
        };
        Refusal::new(kind, error.to_string()).with_hint(hint)
    }
}

/// Signs and checks tickets and handles with one key of 256 bits.
///
/// ```
/// use std::time::{Duration, SystemTime};
/// use bowshot_gateway_access::{Claim, TicketError, Tickets};
///
/// let tickets = Tickets::random()?;
/// let expires = SystemTime::UNIX_EPOCH + Duration::from_secs(2_000_000_000);
/// let claim = Claim { query: [7; 16], endpoint: 3, user: "ada".into(), expires };
/// let ticket = tickets.seal(&claim);
/// assert_eq!(tickets.open(&ticket, expires - Duration::from_secs(1))?, claim);
/// assert_eq!(tickets.open(&ticket, expires), Err(TicketError::Expired));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Tickets {
    /// HMAC with its key taken in already.
    keyed: Hmac<Sha256>,
}

impl Tickets {
    /// A key that ends with this process: no ticket outlives a restart.
    ///
    /// # Errors
    /// The operating system gives no random bytes.
    pub fn random() -> Result<Self> {
        Self::with_key(&random::bytes::<32>()?)
    }

    /// A key that is configured, so that other processes and the gateway after a restart read the same tickets.
    ///
    /// # Errors
    /// Of kind [`Config`](ErrorKind::Config): the key has not 32 bytes, or all of them are equal.
    pub fn with_key(key: &[u8]) -> Result<Self> {
        let hint = "make one: openssl rand 32";
        if key.len() != 32 {
            let message = format!("the key of tickets has {} bytes and not 32", key.len());
            return Err(Error::new(ErrorKind::Config, message).with_hint(hint));
        }
        if key.windows(2).all(|pair| pair.first() == pair.last()) {
            return Err(Error::new(ErrorKind::Config, "the key of tickets is not random").with_hint(hint));
        }
        let keyed =
            Hmac::new_from_slice(key).map_err(|_| Error::new(ErrorKind::Internal, "HMAC refused a key of 32 bytes"))?;
        Ok(Tickets { keyed })
    }

    /// Makes a ticket.
    pub fn seal(&self, claim: &Claim) -> Vec<u8> {
        let mut bytes = vec![VERSION, TICKET];
        bytes.extend_from_slice(&claim.query);
        bytes.extend_from_slice(&claim.endpoint.to_be_bytes());
        bytes.extend_from_slice(&unix_seconds(claim.expires).to_be_bytes());
        bytes.extend_from_slice(claim.user.as_bytes());
        self.sign(bytes)
    }

    /// Reads a ticket. Whether its user is who asks is for [`admit`] to say.
    ///
    /// # Errors
    /// It is [no ticket](TicketError::Malformed), [not ours](TicketError::Forged) or [too old](TicketError::Expired).
    pub fn open(&self, ticket: &[u8], now: SystemTime) -> Result<Claim, TicketError> {
        let rest = self.verify(ticket, TICKET)?;
        let (query, rest) = take::<16>(rest)?;
        let (endpoint, rest) = take::<4>(rest)?;
        let (expires, user) = take::<8>(rest)?;
        let seconds = u64::from_be_bytes(expires);
        if unix_seconds(now) >= seconds {
            return Err(TicketError::Expired);
        }
        let expires = SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds)).ok_or(TicketError::Malformed)?;
        Ok(Claim { query, endpoint: u32::from_be_bytes(endpoint), user: name(user)?, expires })
    }

    /// Makes the handle of a prepared statement.
    pub fn seal_handle(&self, handle: &Handle) -> Vec<u8> {
        let mut bytes = vec![VERSION, HANDLE];
        bytes.extend_from_slice(&handle.statement);
        bytes.extend_from_slice(handle.user.as_bytes());
        self.sign(bytes)
    }

    /// Reads the handle of a prepared statement. A ticket is none.
    ///
    /// # Errors
    /// It is [no handle](TicketError::Malformed) or [not ours](TicketError::Forged).
    pub fn open_handle(&self, handle: &[u8]) -> Result<Handle, TicketError> {
        let (statement, user) = take::<16>(self.verify(handle, HANDLE)?)?;
        Ok(Handle { statement, user: name(user)? })
    }

    fn sign(&self, mut bytes: Vec<u8>) -> Vec<u8> {
        let mut mac = self.keyed.clone();
        mac.update(&bytes);
        bytes.extend_from_slice(&mac.finalize().into_bytes());
        bytes
    }

    /// What stands between the kind and the signature. Nothing of it is looked at before the signature is found right.
    fn verify<'a>(&self, bytes: &'a [u8], kind: u8) -> Result<&'a [u8], TicketError> {
        let signed = bytes.len().checked_sub(SIGNATURE).filter(|_| bytes.len() <= LONGEST);
        let (signed, signature) = signed.and_then(|at| bytes.split_at_checked(at)).ok_or(TicketError::Malformed)?;
        let Some(rest) = signed.strip_prefix(&[VERSION, kind]) else { return Err(TicketError::Malformed) };
        let mut mac = self.keyed.clone();
        mac.update(signed);
        mac.verify_slice(signature).map_err(|_| TicketError::Forged)?;
        Ok(rest)
    }
}

impl fmt::Debug for Tickets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tickets(…)")
    }
}

/// Lets only its owner have what a ticket or a handle stands for. In an open gateway, where anybody may be anybody, this
/// keeps nobody from anything.
///
/// # Errors
/// Of kind [`NotFound`](RefusalKind::NotFound), as if there were no such thing.
pub fn admit(owner: &str, identity: &Identity) -> Result<(), Refusal> {
    if owner == identity.user() {
        return Ok(());
    }
    Err(Refusal::new(RefusalKind::NotFound, "there is no such ticket or statement of this user")
        .with_hint("run the query again, as the same user")
        .with_cause(format!("{:?} came with what is {owner:?}'s", identity.user())))
}

fn take<const N: usize>(bytes: &[u8]) -> Result<([u8; N], &[u8]), TicketError> {
    bytes.split_first_chunk().map(|(taken, rest)| (*taken, rest)).ok_or(TicketError::Malformed)
}

fn name(bytes: &[u8]) -> Result<String, TicketError> {
    let name = std::str::from_utf8(bytes).ok().filter(|name| is_name(name));
    name.map(str::to_owned).ok_or(TicketError::Malformed)
}

#[cfg(test)]
mod tests;
