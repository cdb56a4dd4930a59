//! The counters for OpenTelemetry: sent now and then to a collector, as OTLP over HTTP in its JSON
//! encoding (POST /v1/metrics).
//!
//! Written by hand, because the official exporter brings some sixty crates for one message. It
//! speaks plain HTTP: the collector stands beside the peer, as usual, and does the rest of the way.

use std::io::{Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use tracing::warn;

use crate::error::Error;
use crate::metrics::Metrics;

/// Longest wait for the collector.
const PATIENCE: Duration = Duration::from_secs(5);

/// Where a collector is reached.
#[derive(Debug, Clone, PartialEq)]
struct Collector {
    authority: String,
    path: String,
}

impl Collector {
    fn parse(url: &str) -> Result<Collector, Error> {
        let wrong = || {
            Error::Invalid(format!(
                "the collector \"{url}\" is not understood; it is given as http://HOST:PORT, such as http://127.0.0.1:4318."
            ))
        };
        let rest = url.strip_prefix("http://").ok_or_else(wrong)?;
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        let (host, port) = authority.rsplit_once(':').ok_or_else(wrong)?;
        let clean = |c: char| c.is_ascii_alphanumeric() || "-._~[]:/%".contains(c);
        if host.is_empty() || port.parse::<u16>().is_err() || !rest.chars().all(clean) {
            return Err(wrong());
        }
        let path = format!("/{}", path.trim_end_matches('/'));
        let path = format!("{}/v1/metrics", path.trim_end_matches('/'));
        Ok(Collector { authority: authority.to_owned(), path })
    }

    /// Sends one message; the status line of the answer if it is not a success.
    fn post(&self, body: &str) -> std::io::Result<()> {
        let address = self.authority.to_socket_addrs()?.next();
        let none = || std::io::Error::other("the host has no address");
        let mut stream = TcpStream::connect_timeout(&address.ok_or_else(none)?, PATIENCE)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let (path, host, length) = (&self.path, &self.authority, body.len());
        write!(
            stream,
            "POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
        )?;
        let mut answer = [0; 64];
        let count = stream.read(&mut answer)?;
        let line = String::from_utf8_lossy(&answer[..count]);
        if line.split(' ').nth(1).is_some_and(|code| code.starts_with('2')) {
            Ok(())
        } else {
            Err(std::io::Error::other(line.lines().next().unwrap_or("").to_owned()))
        }
    }
}

/// Sends the counters to a collector at `url` every now and then, until the process ends.
pub fn push(url: &str, every: Duration, metrics: Arc<Metrics>) -> Result<(), Error> {
    let collector = Collector::parse(url)?;
    let begin = now();
    std::thread::spawn(move || {
        let mut told = false;
        loop {
            let sent = collector.post(&message(&metrics, &begin).to_string());
            if let Err(e) = &sent
                && !told
            {
                warn!("cannot send counters to the collector at {}: {e}", collector.authority);
            }
            // Once is enough, until it works again.
            told = sent.is_err();
            std::thread::sleep(every);
        }
    });
    Ok(())
}

/// Nanoseconds of the wall clock, as text.
fn now() -> String {
    let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    time.as_nanos().to_string()
}

/// The counters as an ExportMetricsServiceRequest.
fn message(metrics: &Metrics, begin: &str) -> Value {
    let time = now();
    let text = |key: &str, value: &str| json!({ "key": key, "value": { "stringValue": value } });
    let point = |value: Value, attributes: Vec<Value>| {
        let mut point = json!({
            "startTimeUnixNano": begin, "timeUnixNano": time, "attributes": attributes,
        });
        // 64-bit integers are text in this encoding.
        match value.as_u64() {
            Some(count) => point["asInt"] = json!(count.to_string()),
            None => point["asDouble"] = value,
        }
        point
    };
    let sum = |name: &str, unit: &str, points: Vec<Value>| {
        // 2: cumulative.
        json!({ "name": name, "unit": unit, "sum": {
            "aggregationTemporality": 2, "isMonotonic": true, "dataPoints": points,
        } })
    };
    let counters = [
        ("netfed.rounds", "{round}", &metrics.rounds),
        ("netfed.exchanges", "{exchange}", &metrics.exchanges),
        ("netfed.sent", "By", &metrics.bytes_out),
        ("netfed.received", "By", &metrics.bytes_in),
        ("netfed.refused", "{message}", &metrics.refused),
        ("netfed.requests", "{message}", &metrics.requests),
        ("netfed.commits", "{commit}", &metrics.commits),
        ("netfed.failed_commits", "{commit}", &metrics.failed_commits),
        ("netfed.restarts", "{restart}", &metrics.restarts),
    ];
    let mut list: Vec<Value> = counters
        .iter()
        .map(|(name, unit, value)| sum(name, unit, vec![point(json!(value.load(Relaxed)), vec![])]))
        .collect();
    let waited = metrics
        .waited()
        .iter()
        .map(|(neighbor, seconds)| point(json!(seconds), vec![text("neighbor", neighbor)]))
        .collect();
    list.push(sum("netfed.waiting", "s", waited));
    let (share, gap) = metrics.gap();
    let finished = Some(metrics.finished.load(Relaxed) as f64);
    let gauges =
        [("netfed.gap_share", share), ("netfed.relative_gap", gap), ("netfed.finished", finished)];
    for (name, value) in gauges {
        if let Some(value) = value.filter(|v| v.is_finite()) {
            list.push(json!({
                "name": name, "unit": "1", "gauge": { "dataPoints": [point(json!(value), vec![])] },
            }));
        }
    }
    let resource = [text("service.name", "netfed"), text("service.instance.id", metrics.member())];
    json!({ "resourceMetrics": [{
        "resource": { "attributes": resource },
        "scopeMetrics": [{
            "scope": { "name": "netfed", "version": env!("CARGO_PKG_VERSION") }, "metrics": list,
        }],
    }] })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufRead;
    use std::net::TcpListener;

    #[test]
    fn a_collector_gets_the_counters() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let metrics = Arc::new(Metrics::new("north".into(), vec!["south".into()]));
        metrics.rounds.store(12, Relaxed);
        metrics.set_gap(0.5, Some(1e-3));
        push(&url, Duration::from_secs(600), metrics).unwrap();
        let (stream, _) = listener.accept().unwrap();
        let mut reader = std::io::BufReader::new(stream);
        let (mut line, mut length) = (String::new(), 0);
        reader.read_line(&mut line).unwrap();
        assert_eq!(line, "POST /v1/metrics HTTP/1.1\r\n");
        while line != "\r\n" {
            line.clear();
            reader.read_line(&mut line).unwrap();
            if let Some(count) = line.strip_prefix("Content-Length: ") {
                length = count.trim().parse().unwrap();
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        reader.get_mut().write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").unwrap();
        let body: Value = serde_json::from_slice(&body).unwrap();
        let list = &body["resourceMetrics"][0]["scopeMetrics"][0]["metrics"];
        let find = |name: &str| {
            list.as_array().unwrap().iter().find(|m| m["name"] == name).unwrap_or(&Value::Null)
        };
        assert_eq!(find("netfed.rounds")["sum"]["dataPoints"][0]["asInt"], "12");
        assert_eq!(find("netfed.relative_gap")["gauge"]["dataPoints"][0]["asDouble"], 1e-3);
        let waiting = &find("netfed.waiting")["sum"]["dataPoints"][0];
        assert_eq!(waiting["attributes"][0]["value"]["stringValue"], "south");
    }

    #[test]
    fn addresses_are_checked() {
        let path = |url: &str| Collector::parse(url).unwrap().path;
        assert_eq!(path("http://localhost:4318"), "/v1/metrics");
        assert_eq!(path("http://[::1]:4318/otlp/"), "/otlp/v1/metrics");
        for url in
            ["https://a:1", "localhost:4318", "http://a", "http://a:x", "http://a:1/\r\nX: y"]
        {
            assert!(Collector::parse(url).is_err(), "{url}");
        }
    }
}
