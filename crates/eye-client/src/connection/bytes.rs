//! The bytes of a TCP connection, plain or encrypted; one thread reads while others write.

use rustls::ClientConnection;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

const READ_BYTES: usize = 16 << 10;

/// A handle of the connection. Writes are atomic: two WebSocket ends may share it without mixing their frames.
pub struct Bytes {
    tcp: Arc<TcpStream>,
    turn: Arc<Mutex<()>>,
    tls: Option<Arc<Mutex<ClientConnection>>>,
    /// Bytes read from TCP that are not decrypted yet. Only the reading handle has any.
    encrypted: Vec<u8>,
}

impl Bytes {
    /// Bytes over TCP, encrypted if there is a TLS session.
    pub fn new(tcp: TcpStream, tls: Option<ClientConnection>) -> Self {
        let tls = tls.map(|session| Arc::new(Mutex::new(session)));
        Self { tcp: Arc::new(tcp), turn: Arc::default(), tls, encrypted: Vec::new() }
    }

    /// A second handle.
    pub fn share(&self) -> Self {
        let tls = self.tls.as_ref().map(Arc::clone);
        Self { tcp: Arc::clone(&self.tcp), turn: Arc::clone(&self.turn), tls, encrypted: Vec::new() }
    }

    /// Sets how long a read waits.
    pub fn set_patience(&self, patience: Option<Duration>) -> io::Result<()> {
        self.tcp.set_read_timeout(patience)
    }

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
                // No lock is held while this thread waits for the hub, so that others can write.
                self.encrypted.resize(READ_BYTES, 0);
                let count = (&*self.tcp).read(&mut self.encrypted);
                self.encrypted.truncate(*count.as_ref().unwrap_or(&0));
                count?;
            }
            let mut session = lock(tls);
            // An empty buffer means that TCP has ended: the session learns this here, and its reader returns the
            // result.
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

/// Sends the session's pending data, including its own protocol messages.
fn write_encrypted(session: &mut ClientConnection, mut tcp: &TcpStream) -> io::Result<()> {
    while session.wants_write() {
        session.write_tls(&mut tcp)?;
    }
    Ok(())
}
