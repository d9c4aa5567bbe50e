//! Who may ask the gateway for what: users, logins, sessions, rights, tickets.
//!
//! Plain data structures that many threads may call at the same time; no gRPC, no clock of their own. A service reads the
//! header `authorization` and the peer's address, asks [`Access`], and turns a [`Refusal`] into a status:
//!
//! ```
//! use bowshot_gateway_access::{Access, Claim, Login, LoginLimits, Now, SessionLimits, TablePath, Tickets, Users};
//!
//! let login = Login::new(Users::none(), None, LoginLimits::default())?; // nobody is configured: an open gateway
//! let access = Access::new(login, SessionLimits::default(), Tickets::random()?)?;
//! let now = Now::read();
//!
//! // Handshake: the answer's header is token.header().
//! let (token, _) = access.handshake(Some("Basic YWRhOnNlY3JldA=="), None, now)?;
//!
//! // GetFlightInfo: may the user read these tables? Then a ticket for each endpoint.
//! let session = access.call(Some(&token.header()), None, now)?;
//! session.identity().rights().check(&[TablePath::new("shop", "public", "orders")])?;
//! let expires = now.wall + std::time::Duration::from_secs(600);
//! let claim = Claim { query: [1; 16], endpoint: 0, user: session.user().into(), expires };
//! let ticket = access.tickets().seal(&claim);
//!
//! // DoGet, perhaps from another process with another session of the same user.
//! let claim = access.tickets().open(&ticket, now.wall)?;
//! access.admit(&claim.user, session.identity())?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod access;
mod attempts;
mod basic;
mod gate;
mod identity;
mod jwt;
mod login;
mod now;
mod options;
mod password;
mod pattern;
mod peer;
mod random;
mod refusal;
mod rights;
mod session;
mod sessions;
mod tickets;
mod token;
mod users;

pub use access::Access;
pub use attempts::Rate;
pub use basic::{Authorization, LONGEST_HEADER};
pub use identity::{ANONYMOUS, Identity, LONGEST_NAME};
pub use jwt::{Jwt, JwtConfig, JwtKey, KeySet, LONGEST_KEY_SET};
pub use login::{Login, LoginLimits};
pub use now::Now;
pub use options::{OptionError, OptionValue, SessionOptions};
pub use password::{hash, verify};
pub use random::bytes as random_bytes;
pub use refusal::{Refusal, RefusalKind};
pub use rights::{Rights, TablePath};
pub use session::{Session, SessionId};
pub use sessions::{SessionLimits, Sessions};
pub use tickets::{Claim, Handle, TicketError, Tickets, admit};
pub use token::Token;
pub use users::{UserEntry, Users};
