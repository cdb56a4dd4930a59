//! A page for Prometheus: answers every request with the counters. Written by hand, because it is thirty lines; it reads at most one
//! kilobyte of a request, and one request at a time.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use crate::error::Error;
use crate::metrics::Metrics;

/// Serves the counters at an address, until the process ends; gives the address (a port of 0 is chosen by the system).
pub fn serve(address: &str, metrics: Arc<Metrics>) -> Result<std::net::SocketAddr, Error> {
    let cannot = |e| Error::Invalid(format!("cannot serve metrics at {address}: {e}."));
    let listener = TcpListener::bind(address).map_err(cannot)?;
    let local = listener.local_addr().map_err(cannot)?;
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut stream = stream;
            let mut request = [0; 1024];
            let limit = Some(Duration::from_secs(1));
            let answer = || -> std::io::Result<()> {
                stream.set_read_timeout(limit)?;
                stream.set_write_timeout(limit)?;
                let _ = stream.read(&mut request)?;
                let body = metrics.text();
                write!(
                    stream,
                    "HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
                    body.len()
                )
            };
            // A client that went away is none of our business.
            let _ = { answer }();
        }
    });
    Ok(local)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_gets_the_counters() {
        let metrics = Arc::new(Metrics::new("m".into(), Vec::new()));
        let address = serve("127.0.0.1:0", metrics).unwrap();
        let mut stream = std::net::TcpStream::connect(address).unwrap();
        stream.write_all(b"GET /metrics HTTP/1.1\r\n\r\n").unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        assert!(text.starts_with("HTTP/1.1 200 OK"), "{text}");
        assert!(text.contains("netfed_rounds_total{member=\"m\"} 0"));
    }
}
