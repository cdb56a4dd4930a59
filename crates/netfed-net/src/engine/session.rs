//! Sessions of Zenoh: the keys of a federation, mutual TLS, and access control by the names in
//! certificates.
//!
//! | key | who writes, who reads |
//! | --- | --- |
//! | `netfed/<federation>/link/<from>/<to>` | messages over the connection of their sender |
//! | `netfed/<federation>/sealed/<from>/<to>` | messages through routers |
//! | `netfed/<federation>/status/<member>` | the observer asks, the member answers |
//!
//! The federation is the id of its first version, and members have their names: keys stay the same
//! when members come and go.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};
use zenoh::Wait;

use crate::authority::{CA_CERTIFICATE, CERTIFICATE, KEY};
use crate::description::Federation;
use crate::error::Error;
use crate::signed::hex;

/// A connection that has been silent for this long is taken for dead, and made anew.
const LEASE: Duration = Duration::from_secs(4);

/// Time for one try to connect, before the next one.
const OPENING: Duration = Duration::from_secs(5);

/// The key of messages from one member to another.
pub fn link_key(federation: &Federation, from: usize, to: usize) -> String {
    key(federation, "link", &[from, to])
}

/// The key of sealed messages from one member to another.
pub fn sealed_key(federation: &Federation, from: usize, to: usize) -> String {
    key(federation, "sealed", &[from, to])
}

/// The key under which a member tells its status.
pub(super) fn status_key(federation: &Federation, member: usize) -> String {
    key(federation, "status", &[member])
}

fn key(federation: &Federation, part: &str, members: &[usize]) -> String {
    let names = members.iter().map(|&m| federation.description.members[m].name.as_str());
    let parts: Vec<&str> = std::iter::once(part).chain(names).collect();
    format!("netfed/{}/{}", hex(&federation.root), parts.join("/"))
}

/// What the engine says is wrong, in words for a user.
pub(super) fn engine(e: impl std::fmt::Display) -> Error {
    let text = e.to_string();
    // The engine names its source files, which say nothing to a user.
    let words = text.split(" at /").next().unwrap_or(&text);
    if words.contains("already in use") {
        Error::Invalid(format!(
            "{words}. Is it running already? If another program has the port, listen elsewhere with --listen."
        ))
    } else {
        Error::Engine(words.to_owned())
    }
}

pub(super) fn open(config: &Value) -> Result<zenoh::Session, Error> {
    let config = zenoh::Config::from_json5(&config.to_string()).map_err(engine)?;
    zenoh::open(config).wait().map_err(engine)
}

fn absolute(folder: &Path, name: &str) -> PathBuf {
    std::path::absolute(folder.join(name)).unwrap_or_else(|_| folder.join(name))
}

/// What every session has: no scouting, mutual TLS, patience in connecting, and messages of so many
/// bytes at most.
pub(super) fn common_config(
    mode: &str,
    folder: &Path,
    listen: &[String],
    connect: &[String],
    most: usize,
) -> Value {
    let (certificate, key) = (absolute(folder, CERTIFICATE), absolute(folder, KEY));
    json!({
        "mode": mode,
        "listen": { "endpoints": listen },
        "connect": {
            "endpoints": connect,
            "timeout_ms": -1,
            "exit_on_failure": false,
            "retry": { "period_init_ms": 200, "period_max_ms": 2000, "period_increase_factor": 2 },
        },
        "scouting": { "multicast": { "enabled": false }, "gossip": { "enabled": false } },
        "transport": { "unicast": { "open_timeout": OPENING.as_millis() as u64 }, "link": {
            "protocols": ["quic"],
            "rx": { "max_message_size": most },
            "tx": { "threads": 1, "lease": LEASE.as_millis() as u64 },
            "tls": {
                "root_ca_certificate": absolute(folder, CA_CERTIFICATE),
                "listen_certificate": certificate, "listen_private_key": key,
                "connect_certificate": certificate, "connect_private_key": key,
                "enable_mtls": true,
                "verify_name_on_connect": true,
                "close_link_on_expiration": true,
            },
        } },
    })
}

/// Who may send what on which keys. What is not allowed is denied.
#[derive(Default)]
pub(super) struct Access {
    rules: Vec<Value>,
    subjects: Vec<Value>,
    policies: Vec<Value>,
}

/// Kinds of messages, and the keys on which they may come or go.
pub(super) struct Grant<'a> {
    pub(super) flow: &'a str,
    pub(super) messages: &'a [&'a str],
    pub(super) keys: Vec<String>,
}

/// What may come.
pub(super) fn ingress<'a>(messages: &'a [&'a str], keys: Vec<String>) -> Grant<'a> {
    Grant { flow: "ingress", messages, keys }
}

/// What may go.
pub(super) fn egress<'a>(messages: &'a [&'a str], keys: Vec<String>) -> Grant<'a> {
    Grant { flow: "egress", messages, keys }
}

impl Access {
    /// Allows this to those with one of these names in their certificates.
    pub(super) fn allow(&mut self, names: &[&str], grants: Vec<Grant<'_>>) {
        let subject = format!("subject{}", self.subjects.len());
        let mut ids = Vec::new();
        for Grant { flow, messages, keys } in grants.into_iter().filter(|g| !g.keys.is_empty()) {
            let id = format!("rule{}", self.rules.len());
            self.rules.push(json!({
                "id": id, "messages": messages, "flows": [flow], "permission": "allow", "key_exprs": keys,
            }));
            ids.push(id);
        }
        if !ids.is_empty() && !names.is_empty() {
            self.subjects.push(json!({ "id": subject, "cert_common_names": names }));
            self.policies.push(json!({ "rules": ids, "subjects": [subject] }));
        }
    }

    /// As a part of a configuration.
    pub(super) fn into_config(self) -> Value {
        let Access { rules, subjects, policies } = self;
        json!({
            "enabled": true, "default_permission": "deny", "rules": rules, "subjects": subjects, "policies": policies,
        })
    }
}
