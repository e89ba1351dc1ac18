//! A small web site on loopback, plain or encrypted: each path has its headers and its text.
#![allow(clippy::unwrap_used, reason = "this is test code, although no function here is a test")]

use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

/// One answer: status line, headers, body.
pub struct Page {
    pub status: &'static str,
    pub headers: Vec<String>,
    pub body: String,
}

impl Page {
    /// An HTML document with headers.
    pub fn html(headers: &[&str], body: &str) -> Self {
        let headers = headers.iter().map(|header| (*header).to_owned()).chain(["content-type: text/html".into()]);
        Self { status: "200 OK", headers: headers.collect(), body: body.to_owned() }
    }

    pub fn to(place: &str) -> Self {
        Self { status: "302 Found", headers: vec![format!("location: {place}")], body: String::new() }
    }
}

/// Answers by the path and the head of the request.
pub type Answer = fn(path: &str, head: &str) -> Page;

/// A site that ends with the test's process.
pub struct Site {
    pub port: u16,
}

impl Site {
    pub fn open(answer: Answer) -> Self {
        Self::serve(answer, |tcp, answer| {
            let mut tcp = tcp;
            respond(&mut tcp, answer);
        })
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The same over TLS, with a self-signed certificate.
    pub fn open_encrypted(answer: Answer) -> Self {
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()));
        let cert = CertificateDer::from(made.cert.der().to_vec());
        let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![cert], key)
            .unwrap();
        let config = Arc::new(config);
        Self::serve(answer, move |tcp, answer| {
            let mut stream = StreamOwned::new(ServerConnection::new(config.clone()).unwrap(), tcp);
            respond(&mut stream, answer);
            stream.conn.send_close_notify();
            let _ = stream.flush();
        })
    }

    fn serve(answer: Answer, serve: impl Fn(TcpStream, Answer) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let serve = Arc::new(serve);
        std::thread::spawn(move || {
            for tcp in listener.incoming() {
                let (tcp, serve) = (tcp.unwrap(), serve.clone());
                std::thread::spawn(move || serve(tcp, answer));
            }
        });
        Self { port }
    }
}

fn respond(stream: &mut (impl Read + Write), answer: Answer) {
    let mut head = String::new();
    let mut reader = BufReader::new(&mut *stream);
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).unwrap_or(0) == 0 {
            return;
        }
    }
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().unwrap_or(0))
    });
    // Unread bytes would reset the connection.
    let _ = reader.read_exact(&mut vec![0; length.unwrap_or(0)]);
    let path = head.split(' ').nth(1).unwrap_or("/").to_owned();
    let Page { status, headers, body } = answer(&path, &head);
    let headers = headers.iter().fold(String::new(), |all, header| all + header + "\r\n");
    let _ = write!(
        stream,
        "HTTP/1.1 {status}\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    let _ = stream.flush();
}
