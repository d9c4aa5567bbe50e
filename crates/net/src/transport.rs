//! The bytes' way to the server and back: plain or inside TLS.

use std::io::{self, Read, Write};

use rustls::pki_types::CertificateDer;
use rustls::{ClientConnection, StreamOwned};

use crate::Socket;

/// What a session reads from and writes to.
pub enum Transport {
    /// As it is.
    Plain(Socket),
    /// Encrypted.
    Tls(Box<StreamOwned<ClientConnection, Socket>>),
}

impl Transport {
    /// The socket below.
    pub fn socket(&mut self) -> &mut Socket {
        match self {
            Transport::Plain(socket) => socket,
            Transport::Tls(stream) => &mut stream.sock,
        }
    }

    /// Whether what is sent is encrypted.
    pub fn is_encrypted(&self) -> bool {
        matches!(self, Transport::Tls(_))
    }

    /// The certificates that the server showed, its own first.
    pub fn certificates(&self) -> &[CertificateDer<'static>] {
        match self {
            Transport::Plain(_) => &[],
            Transport::Tls(stream) => stream.conn.peer_certificates().unwrap_or_default(),
        }
    }

    /// The protocol that both sides agreed to speak inside TLS.
    pub fn protocol(&self) -> Option<&[u8]> {
        match self {
            Transport::Plain(_) => None,
            Transport::Tls(stream) => stream.conn.alpn_protocol(),
        }
    }

    /// Says goodbye on the TLS layer and closes. Never waits.
    pub fn close(&mut self) {
        if let Transport::Tls(stream) = self {
            stream.conn.send_close_notify();
            // The server does not need to hear it.
            let _ = stream.conn.write_tls(&mut stream.sock);
        }
        self.socket().shutdown();
    }
}

impl Read for Transport {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        match self {
            Transport::Plain(socket) => socket.read(bytes),
            Transport::Tls(stream) => stream.read(bytes),
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
