//! Bytes to the server and back, encrypted or not.

use std::io::{self, Read, Write};
use std::sync::Arc;

use bowshot_core::{Error, ErrorKind, Result};
use rustls::{ClientConnection, StreamOwned};

use crate::packet::{HEADER, Header, Kind};
use crate::socket::Socket;
use crate::tls::{Tls, refused};

/// Bytes to the server and back.
pub(crate) enum Transport {
    Plain(Socket),
    Tls(Box<StreamOwned<ClientConnection, Socket>>),
}

impl Transport {
    /// TLS before anything else is said (TDS 8.0).
    pub(crate) fn strict(mut socket: Socket, tls: &Tls) -> Result<Transport> {
        let mut connection = client(tls)?;
        while connection.is_handshaking() {
            connection.complete_io(&mut socket).map_err(|error| failed(&socket, error))?;
        }
        Ok(Transport::Tls(Box::new(StreamOwned::new(connection, socket))))
    }

    /// TLS after PRELOGIN: the handshake travels inside of TDS packets, what follows does not ([MS-TDS] 3.2.5.2).
    pub(crate) fn within_packets(mut socket: Socket, tls: &Tls) -> Result<Transport> {
        let mut connection = client(tls)?;
        loop {
            let mut message = vec![0; HEADER];
            while connection.wants_write() {
                connection.write_tls(&mut message).map_err(|error| failed(&socket, error))?;
            }
            if message.len() > HEADER {
                send_within(&mut socket, &mut message).map_err(|error| failed(&socket, error))?;
            }
            if !connection.is_handshaking() {
                return Ok(Transport::Tls(Box::new(StreamOwned::new(connection, socket))));
            }
            let payload = receive_within(&mut socket).map_err(|error| failed(&socket, error))?;
            let mut rest = payload.as_slice();
            while !rest.is_empty() {
                connection.read_tls(&mut rest).map_err(|error| failed(&socket, error))?;
                connection.process_new_packets().map_err(|error| refused(&error))?;
            }
        }
    }

    /// The connection without TLS, after a login that alone was encrypted.
    pub(crate) fn into_plain(self) -> Transport {
        match self {
            Transport::Tls(stream) => Transport::Plain(stream.into_parts().1),
            plain => plain,
        }
    }

    pub(crate) fn socket(&mut self) -> &mut Socket {
        match self {
            Transport::Plain(socket) => socket,
            Transport::Tls(stream) => &mut stream.sock,
        }
    }
}

fn client(tls: &Tls) -> Result<ClientConnection> {
    ClientConnection::new(Arc::clone(&tls.config), tls.name.clone()).map_err(|error| refused(&error))
}

fn failed(socket: &Socket, error: io::Error) -> Error {
    if socket.cancel().is_cancelled() {
        return Error::cancelled();
    }
    if let Some(error) = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
        return refused(error);
    }
    let kind = if error.kind() == io::ErrorKind::TimedOut { ErrorKind::Timeout } else { ErrorKind::Tls };
    Error::new(kind, format!("the TLS handshake failed: {error}"))
        .with_hint("SQL Server 2016 and later speak TLS 1.2; encrypt=strict needs SQL Server 2022 or Azure SQL")
        .with_source(error)
}

/// Sends a part of the handshake; `message` begins with room for the first header.
fn send_within(socket: &mut Socket, message: &mut [u8]) -> io::Result<()> {
    let length = u16::try_from(message.len()).map_err(|_| io::Error::other("the handshake is too long"))?;
    if let Some(header) = message.first_chunk_mut() {
        *header = Header { kind: Kind::PreLogin, last: true, length }.bytes(1);
    }
    socket.write_all(message)?;
    socket.flush()
}

/// What one packet holds.
fn receive_within(socket: &mut Socket) -> io::Result<Vec<u8>> {
    let mut header = [0; HEADER];
    socket.read_exact(&mut header)?;
    let [_, _, high, low, ..] = header;
    let length = usize::from(u16::from_be_bytes([high, low]));
    let wrong = || io::Error::new(io::ErrorKind::InvalidData, "an answer that is no TDS packet");
    let mut payload = vec![0; length.checked_sub(HEADER).filter(|length| *length > 0).ok_or_else(wrong)?];
    socket.read_exact(&mut payload)?;
    Ok(payload)
}

impl Read for Transport {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Transport::Plain(socket) => socket.read(buffer),
            Transport::Tls(stream) => stream.read(buffer),
        }
    }
}

impl Write for Transport {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Transport::Plain(socket) => socket.write(bytes),
            Transport::Tls(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Transport::Plain(socket) => socket.flush(),
            Transport::Tls(stream) => stream.flush(),
        }
    }
}
