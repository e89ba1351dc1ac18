//! An LLM server that does not finish its answers.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::mpsc;
use std::thread;

/// Begins each answer with `begin`, reports that, and holds the rest until the client disconnects.
pub fn slow_llm(begin: &'static str) -> (String, mpsc::Receiver<()>, mpsc::Receiver<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://127.0.0.1:{}/v1", listener.local_addr().unwrap().port());
    let ((answers, beginning), (over, end)) = (mpsc::channel(), mpsc::channel());
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert!(reader.read_line(&mut head).unwrap() > 0);
        }
        stream.write_all(begin.as_bytes()).unwrap();
        answers.send(()).unwrap();
        // The body of the request, and then the end of the connection.
        let _ = reader.read_to_end(&mut Vec::new());
        over.send(()).unwrap();
    });
    (url, beginning, end)
}
