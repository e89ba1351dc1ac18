//! A network between a hub and its nats-server that can be cut, so that bytes stop in both directions and nothing is
//! closed, or break, so that the connections are closed and new ones work at once.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;

pub struct Network {
    port: u16,
    state: Arc<(Mutex<bool>, Condvar)>,
    /// The hub's ends of all connections.
    ends: Arc<Mutex<Vec<TcpStream>>>,
}

impl Network {
    /// An uncut network in front of a server's port.
    pub fn before(server: u16) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let state: Arc<(Mutex<bool>, Condvar)> = Arc::default();
        let ends: Arc<Mutex<Vec<TcpStream>>> = Arc::default();
        let (shared, connected) = (state.clone(), ends.clone());
        // The thread ends with the test's process.
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let Ok(server) = TcpStream::connect((Ipv4Addr::LOCALHOST, server)) else { continue };
                let _ = (client.set_nodelay(true), server.set_nodelay(true));
                let Ok(ends) = client.try_clone().and_then(|near| Ok((near, server.try_clone()?))) else { continue };
                connected.lock().unwrap_or_else(PoisonError::into_inner).extend(client.try_clone());
                let (there, back) = (shared.clone(), shared.clone());
                thread::spawn(move || pass(client, server, &there));
                thread::spawn(move || pass(ends.1, ends.0, &back));
            }
        });
        Self { port, state, ends }
    }

    /// The server's address behind this network.
    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// From now on no bytes pass.
    pub fn cut(&self) {
        self.set(true);
    }

    /// All bytes pass again, the delayed ones first.
    pub fn heal(&self) {
        self.set(false);
    }

    /// Closes the connections. New ones work at once.
    pub fn break_connections(&self) {
        for end in self.ends.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            let _ = end.shutdown(Shutdown::Both);
        }
    }

    fn set(&self, is_cut: bool) {
        *self.state.0.lock().unwrap_or_else(PoisonError::into_inner) = is_cut;
        self.state.1.notify_all();
    }
}

fn pass(mut from: TcpStream, mut to: TcpStream, state: &(Mutex<bool>, Condvar)) {
    let mut bytes = vec![0; 64 << 10];
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        let is_cut = state.0.lock().unwrap_or_else(PoisonError::into_inner);
        drop(state.1.wait_while(is_cut, |is_cut| *is_cut));
        if to.write_all(&bytes[..count]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Both);
}
