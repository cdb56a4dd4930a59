//! A page for Prometheus: answers every request with the counters. Written by hand, because it is
//! short: one thread takes connections, another serves all of them side by side, so that one that
//! says nothing keeps nobody waiting.

use std::collections::VecDeque;
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use tracing::warn;

use crate::error::Error;
use crate::metrics::Metrics;

/// Connections at once; one more takes the place of the oldest.
const MOST: usize = 64;
/// Time that a connection has for everything.
const LIMIT: Duration = Duration::from_secs(1);
/// Time between two looks at the connections that are open.
const PAUSE: Duration = Duration::from_millis(5);

/// Serves the counters at an address, until the process ends; gives the address (a port of 0 is
/// chosen by the system).
pub fn serve(address: &str, metrics: Arc<Metrics>) -> Result<SocketAddr, Error> {
    let cannot = |e| Error::Invalid(format!("cannot serve metrics at {address}: {e}."));
    let listener = TcpListener::bind(address).map_err(cannot)?;
    let local = listener.local_addr().map_err(cannot)?;
    if !local.ip().is_loopback() {
        warn!(
            "the counters at {local} can be read by everyone who reaches this machine; say 127.0.0.1:{} to keep them here",
            local.port()
        );
    }
    let (sender, arrived) = sync_channel(MOST);
    std::thread::spawn(move || serve_all(&arrived, &metrics));
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            if sender.send(stream).is_err() {
                return;
            }
        }
    });
    Ok(local)
}

/// Serves those who come, until nobody can come any more.
fn serve_all(arrived: &Receiver<TcpStream>, metrics: &Metrics) {
    let mut clients: VecDeque<Client> = VecDeque::new();
    loop {
        let next = if clients.is_empty() {
            arrived.recv().map_err(|_| RecvTimeoutError::Disconnected)
        } else {
            arrived.recv_timeout(PAUSE)
        };
        match next {
            Ok(stream) => clients.extend(Client::new(stream)),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        clients.extend(arrived.try_iter().filter_map(Client::new));
        clients.retain_mut(|client| client.go_on(metrics));
        clients.drain(..clients.len().saturating_sub(MOST));
    }
}

/// Someone who reads the page.
struct Client {
    stream: TcpStream,
    since: Instant,
    /// What is still to be sent, once there was a request.
    answer: Option<Vec<u8>>,
}

impl Client {
    fn new(stream: TcpStream) -> Option<Client> {
        stream.set_nonblocking(true).ok()?;
        Some(Client { stream, since: Instant::now(), answer: None })
    }

    /// Reads and writes what can be read and written now; whether there is more to do.
    fn go_on(&mut self, metrics: &Metrics) -> bool {
        if self.answer.is_none() {
            match self.stream.read(&mut [0; 4096]) {
                Ok(0) => return false,
                Ok(_) => self.answer = Some(page(metrics)),
                Err(e) => return e.kind() == ErrorKind::WouldBlock && self.has_time(),
            }
        }
        let Some(left) = &mut self.answer else { return false };
        while !left.is_empty() {
            match self.stream.write(left) {
                Ok(0) => return false,
                Ok(written) => drop(left.drain(..written)),
                Err(e) => return e.kind() == ErrorKind::WouldBlock && self.has_time(),
            }
        }
        false
    }

    fn has_time(&self) -> bool {
        self.since.elapsed() < LIMIT
    }
}

fn page(metrics: &Metrics) -> Vec<u8> {
    let body = metrics.text();
    let length = body.len();
    format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
    .into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page_at() -> SocketAddr {
        let metrics = Arc::new(Metrics::new("m".into(), Vec::new()));
        serve("127.0.0.1:0", metrics).unwrap()
    }

    fn ask(address: SocketAddr) -> String {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(b"GET /metrics HTTP/1.1\r\n\r\n").unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn a_request_gets_the_counters() {
        let text = ask(page_at());
        assert!(text.starts_with("HTTP/1.1 200 OK"), "{text}");
        assert!(text.contains("netfed_rounds_total{member=\"m\"} 0"));
    }

    #[test]
    fn those_who_say_nothing_keep_nobody_waiting() {
        let address = page_at();
        let begin = Instant::now();
        let idle: Vec<TcpStream> =
            (0..3 * MOST).map(|_| TcpStream::connect(address).unwrap()).collect();
        let text = ask(address);
        assert!(text.starts_with("HTTP/1.1 200 OK"), "{text}");
        // One after the other they would take a second each.
        assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
        // They are not kept for ever.
        for mut stream in idle {
            stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
            let closed = stream.read(&mut [0; 1]);
            let reset = |e: &std::io::Error| e.kind() == ErrorKind::ConnectionReset;
            assert!(closed.as_ref().is_ok_and(|n| *n == 0) || closed.as_ref().is_err_and(reset));
        }
    }
}
