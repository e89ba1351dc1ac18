//! The bytes of a TCP connection, plain or encrypted, that one thread reads while others write.

use rustls::ClientConnection;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

const READ_BYTES: usize = 16 << 10;

/// A handle on the connection. Each write is whole: two WebSocket ends may share it without mixing their frames.
pub struct Bytes {
    tcp: Arc<TcpStream>,
    turn: Arc<Mutex<()>>,
    tls: Option<Arc<Mutex<ClientConnection>>>,
    /// What was read from TCP and not yet decrypted. Only the handle that reads has any.
    encrypted: Vec<u8>,
}

impl Bytes {
    /// Bytes over TCP, encrypted when there is a TLS session.
    pub fn new(tcp: TcpStream, tls: Option<ClientConnection>) -> Self {
        let tls = tls.map(|session| Arc::new(Mutex::new(session)));
        Self { tcp: Arc::new(tcp), turn: Arc::default(), tls, encrypted: Vec::new() }
    }

    /// A second handle.
    pub fn share(&self) -> Self {
        let tls = self.tls.as_ref().map(Arc::clone);
        Self { tcp: Arc::clone(&self.tcp), turn: Arc::clone(&self.turn), tls, encrypted: Vec::new() }
    }

    /// How long a read waits.
    pub fn set_patience(&self, patience: Option<Duration>) -> io::Result<()> {
        self.tcp.set_read_timeout(patience)
    }

    /// Ends the connection for all handles.
    pub fn cut(&self) {
        // It may have ended by itself.
        let _ = self.tcp.shutdown(Shutdown::Both);
    }
}

impl Read for Bytes {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let Some(tls) = &self.tls else { return (&*self.tcp).read(bytes) };
        loop {
            match lock(tls).reader().read(bytes) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                outcome => return outcome,
            }
            if self.encrypted.is_empty() {
                // Nothing is locked while this thread waits for the hub, so that others can write.
                self.encrypted.resize(READ_BYTES, 0);
                let count = (&*self.tcp).read(&mut self.encrypted);
                self.encrypted.truncate(*count.as_ref().unwrap_or(&0));
                count?;
            }
            let mut session = lock(tls);
            // Nothing to read here means that TCP has ended: the session is told so, and its reader says the rest.
            let used = session.read_tls(&mut &*self.encrypted)?;
            self.encrypted.drain(..used);
            session.process_new_packets().map_err(|error| io::Error::new(ErrorKind::InvalidData, error))?;
            write_encrypted(&mut session, &self.tcp)?;
        }
    }
}

impl Write for Bytes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(tls) = &self.tls else {
            (&*self.tcp).write_all(bytes)?;
            return Ok(bytes.len());
        };
        let mut session = lock(tls);
        let mut rest = bytes;
        while !rest.is_empty() {
            let taken = session.writer().write(rest)?;
            if taken == 0 {
                return Err(ErrorKind::WriteZero.into());
            }
            rest = &rest[taken..];
            write_encrypted(&mut session, &self.tcp)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn lock(tls: &Mutex<ClientConnection>) -> MutexGuard<'_, ClientConnection> {
    tls.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Sends what the session has ready, its own messages among them.
fn write_encrypted(session: &mut ClientConnection, mut tcp: &TcpStream) -> io::Result<()> {
    while session.wants_write() {
        session.write_tls(&mut tcp)?;
    }
    Ok(())
}
