//! The lower limits of MCP's two transports: one line through a pipe to a program that copies, and one POST to a server
//! that echoes.

use crate::error::{BenchError, Doing};
use axum::Router;
use axum::routing::post;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// `cat`, and the pipes to it.
pub struct Pipe {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    line: String,
}

impl Pipe {
    pub fn open() -> Result<Self, BenchError> {
        let mut child =
            Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().doing("starting cat")?;
        let gone = || BenchError::Odd("cat has no pipes".into());
        let stdin = child.stdin.take().ok_or_else(gone)?;
        let stdout = BufReader::new(child.stdout.take().ok_or_else(gone)?);
        Ok(Self { child, stdin, stdout, line: String::new() })
    }

    /// Writes a line and waits for its echo.
    pub fn exchange(&mut self, line: &str) -> Result<(), BenchError> {
        self.stdin.write_all(line.as_bytes()).doing("writing to cat")?;
        self.line.clear();
        self.stdout.read_line(&mut self.line).doing("reading from cat")?;
        Ok(())
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Serves `/mcp` until this program ends; the response is the body of the request. Returns the port.
pub fn serve() -> Result<u16, BenchError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().doing("starting the echo")?;
    let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).doing("listening for the echo")?;
    let port = listener.local_addr().doing("listening for the echo")?.port();
    let router = Router::new().route("/mcp", post(async |body: String| body));
    std::thread::spawn(move || {
        let served = async { axum::serve(listener, router).await };
        let _ = runtime.block_on(served);
    });
    Ok(port)
}
