//! What sources with a wire protocol of their own stand on: sockets with deadlines that another thread can end, names
//! to addresses, TLS from none at all to a verified name, and the buffer in front of the socket, with what
//! `bowshot-cells` knows of the values in it.
//!
//! There is no protocol of any database in this crate.

mod address;
mod buffer;
mod gather;
mod interrupt;
mod lost;
mod socket;
mod tls;
mod transport;

pub use address::{Address, Host};
/// The bytes that decoders read, and memory for what they write.
pub use bowshot_cells::{Cells, NULL, SLACK, TOGETHER, Together, collect, load, stride, texts, with_room};

pub use buffer::{Buffer, read_once};
pub use gather::Gather;
pub use interrupt::{EndQuery, Interrupt};
pub use lost::lost;
/// The socket that an interruption ends.
pub use socket2::Socket as RawSocket;

pub use socket::{Keepalive, Socket};
pub use tls::{OptionNames, TlsClient, TlsOptions, TlsVersion, Verify};
pub use transport::Transport;
