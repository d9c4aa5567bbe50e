//! What sources with a wire protocol of their own stand on: sockets with deadlines that another thread can end, names
//! to addresses, TLS from none at all to a verified name, the buffer in front of the socket, values of a column where
//! they lie in it, and memory for the arrays that they become.
//!
//! There is no protocol of any database in this crate.

mod address;
mod buffer;
mod cells;
mod lost;
mod room;
mod socket;
mod tls;
mod transport;

pub use address::{Address, Host};
pub use buffer::{Buffer, SLACK};
pub use cells::{Cells, NULL, load};
pub use lost::lost;
pub use room::{collect, with_room};
/// The socket that an interruption ends.
pub use socket2::Socket as RawSocket;

pub use socket::{Keepalive, Socket};
pub use tls::{OptionNames, TlsClient, TlsOptions, TlsVersion, Verify};
pub use transport::Transport;
