//! The network engine: Zenoh, peer to peer, over QUIC with mutual TLS.
//!
//! A member listens at its endpoint and connects to those neighbors that come before it in the description; scouting is off, so that
//! nobody else is ever talked to. Every link has one key for each direction, `netfed/<federation>/link/<from>/<to>`. The engine's access
//! control, by the name in the certificate, lets a neighbor write to its own key and nothing else; the organizer's certificate may ask
//! for the status. The peer checks every message once more.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;

use serde_json::{Value, json};
use tracing::warn;
use zenoh::Wait;
use zenoh::pubsub::{Publisher, Subscriber};
use zenoh::qos::CongestionControl;
use zenoh::query::Queryable;

use crate::authority::{CA_CERTIFICATE, CERTIFICATE, KEY};
use crate::description::{Federation, host_and_port};
use crate::error::Error;
use crate::metrics::Metrics;
use crate::names::OBSERVER;
use crate::plan::Plan;
use crate::transport::Transport;

/// Messages that wait to be read; more are dropped, and asked for again.
const WAITING: usize = 256;

/// A connection that has been silent for this long is taken for dead, and made anew.
const LEASE: Duration = Duration::from_secs(4);

/// Time for one try to connect, before the next one.
const OPENING: Duration = Duration::from_secs(5);

/// Time for the last messages to leave.
const LAST_MOMENT: Duration = Duration::from_millis(200);

/// A member's connection to its neighbors.
pub struct Engine {
    publishers: Vec<(usize, Publisher<'static>)>,
    inbox: Receiver<(usize, Vec<u8>)>,
    _subscribers: Vec<Subscriber<()>>,
    _status: Queryable<()>,
    _session: zenoh::Session,
}

fn engine(e: impl std::fmt::Display) -> Error {
    let text = e.to_string();
    // The engine names its source files, which say nothing to a user.
    let words = text.split(" at /").next().unwrap_or(&text);
    match words.contains("already in use") {
        true => Error::Invalid(format!(
            "{words}. Is this peer running already? If another program has the port, listen elsewhere with --listen."
        )),
        false => Error::Engine(words.to_owned()),
    }
}

/// The key of messages from one member to another.
pub fn link_key(federation: &Federation, from: usize, to: usize) -> String {
    format!("netfed/{}/link/{from}/{to}", federation.id_text())
}

/// The key under which a member tells its status.
fn status_key(federation: &Federation, member: usize) -> String {
    format!("netfed/{}/status/{member}", federation.id_text())
}

impl Engine {
    /// Opens the connections of a member. `folder` holds its certificate and key; `listen` is where to listen if not at the
    /// endpoint of the description.
    pub fn open(
        federation: &Federation,
        plan: &Plan,
        folder: &Path,
        listen: Option<&str>,
        metrics: Arc<Metrics>,
    ) -> Result<Engine, Error> {
        let config = member_config(federation, plan, folder, listen)?;
        let session = open(&config)?;
        let (sender, inbox) = sync_channel(WAITING);
        let mut publishers = Vec::new();
        let mut subscribers = Vec::new();
        for link in &plan.links {
            let (us, them) = (plan.member, link.member);
            let publisher = session
                .declare_publisher(link_key(federation, us, them))
                .congestion_control(CongestionControl::Block)
                .wait()
                .map_err(engine)?;
            publishers.push((them, publisher));
            subscribers.push(subscribe(&session, link_key(federation, them, us), them, &sender)?);
        }
        let key = status_key(federation, plan.member);
        let status = session
            .declare_queryable(key.clone())
            .callback(move |query| {
                if let Err(e) = query.reply(key.clone(), status_of(&metrics).to_string()).wait() {
                    warn!("cannot tell the status: {e}");
                }
            })
            .wait()
            .map_err(engine)?;
        Ok(Engine {
            publishers,
            inbox,
            _subscribers: subscribers,
            _status: status,
            _session: session,
        })
    }
}

impl Drop for Engine {
    /// Closing a session throws away what has not been sent yet: the last messages get a moment.
    fn drop(&mut self) {
        std::thread::sleep(LAST_MOMENT);
    }
}

fn subscribe(
    session: &zenoh::Session,
    key: String,
    from: usize,
    sender: &SyncSender<(usize, Vec<u8>)>,
) -> Result<Subscriber<()>, Error> {
    let sender = sender.clone();
    session
        .declare_subscriber(key)
        .callback(move |sample| {
            // A full inbox drops the message: it will be asked for again.
            let _ = sender.try_send((from, sample.payload().to_bytes().into_owned()));
        })
        .wait()
        .map_err(engine)
}

impl Transport for Engine {
    fn send(&self, to: usize, bytes: Vec<u8>) {
        if let Some((_, publisher)) = self.publishers.iter().find(|(member, _)| *member == to)
            && let Err(e) = publisher.put(bytes).wait()
        {
            warn!("cannot send: {e}");
        }
    }

    fn receive(&self, wait: Duration) -> Option<(usize, Vec<u8>)> {
        self.inbox.recv_timeout(wait).ok()
    }
}

/// The status of a member as JSON.
fn status_of(metrics: &Metrics) -> Value {
    use std::sync::atomic::Ordering::Relaxed;
    let (share, gap) = metrics.gap();
    let waited: serde_json::Map<String, Value> =
        metrics.waited().map(|(n, s)| (n.to_owned(), json!(s))).collect();
    json!({
        "round": metrics.rounds.load(Relaxed),
        "finished": metrics.finished.load(Relaxed) == 1,
        "gap_share": share, "relative_gap": gap,
        "bytes_out": metrics.bytes_out.load(Relaxed), "bytes_in": metrics.bytes_in.load(Relaxed),
        "refused": metrics.refused.load(Relaxed), "restarts": metrics.restarts.load(Relaxed),
        "waited_seconds": waited,
    })
}

fn open(config: &Value) -> Result<zenoh::Session, Error> {
    let config = zenoh::Config::from_json5(&config.to_string()).map_err(engine)?;
    zenoh::open(config).wait().map_err(engine)
}

fn absolute(folder: &Path, name: &str) -> PathBuf {
    std::path::absolute(folder.join(name)).unwrap_or_else(|_| folder.join(name))
}

/// What every session has: no scouting, mutual TLS, patience in connecting.
fn common_config(folder: &Path, listen: Vec<String>, connect: Vec<String>) -> Value {
    let (certificate, key) = (absolute(folder, CERTIFICATE), absolute(folder, KEY));
    json!({
        "mode": "peer",
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

fn member_config(
    federation: &Federation,
    plan: &Plan,
    folder: &Path,
    listen: Option<&str>,
) -> Result<Value, Error> {
    let members = &federation.description.members;
    let own = &members[plan.member].endpoint;
    let listen = match listen {
        Some(endpoint) => host_and_port(endpoint).map(|_| endpoint.to_owned())?,
        None => own.clone(),
    };
    // One end of every link connects.
    let earlier = plan.links.iter().map(|l| l.member).filter(|&m| m < plan.member);
    let connect = earlier.map(|m| members[m].endpoint.clone()).collect();
    let mut config = common_config(folder, vec![listen], connect);
    config["access_control"] = access_control(federation, plan);
    Ok(config)
}

/// A neighbor may write to its own key and listen to the one that is for it; the observer may ask for the status.
fn access_control(federation: &Federation, plan: &Plan) -> Value {
    let us = plan.member;
    let (mut rules, mut subjects, mut policies) = (Vec::new(), Vec::new(), Vec::new());
    let mut allow = |subject: &str, name: &str, grants: Vec<(&str, Vec<&str>, Vec<String>)>| {
        let mut ids = Vec::new();
        for (flow, messages, keys) in grants {
            let id = format!("{subject}-{}", ids.len());
            rules.push(json!({
                "id": id, "messages": messages, "flows": [flow], "permission": "allow", "key_exprs": keys,
            }));
            ids.push(id);
        }
        subjects.push(json!({ "id": subject, "cert_common_names": [name] }));
        policies.push(json!({ "rules": ids, "subjects": [subject] }));
    };
    for link in &plan.links {
        let (theirs, ours) =
            (link_key(federation, link.member, us), link_key(federation, us, link.member));
        let name = &federation.description.members[link.member].name;
        allow(
            &format!("neighbor{}", link.member),
            name,
            vec![
                ("ingress", vec!["put"], vec![theirs.clone()]),
                ("ingress", vec!["declare_subscriber"], vec![ours.clone()]),
                ("egress", vec!["put"], vec![ours]),
                ("egress", vec!["declare_subscriber"], vec![theirs]),
            ],
        );
    }
    let status = vec![status_key(federation, us)];
    allow(
        "observer",
        OBSERVER,
        vec![
            ("ingress", vec!["query"], status.clone()),
            ("egress", vec!["reply", "declare_queryable"], status),
        ],
    );
    json!({
        "enabled": true, "default_permission": "deny", "rules": rules, "subjects": subjects, "policies": policies,
    })
}

/// Asks all members for their status, as the organizer; none for those that do not answer in time.
pub struct Observer {
    session: zenoh::Session,
    keys: Vec<String>,
}

impl Observer {
    /// Connects with the observer's certificate in a folder.
    pub fn open(federation: &Federation, folder: &Path) -> Result<Observer, Error> {
        let members = &federation.description.members;
        let endpoints = members.iter().map(|m| m.endpoint.clone()).collect();
        let mut config = common_config(folder, Vec::new(), endpoints);
        config["connect"]["timeout_ms"] = json!(0);
        let session = open(&config)?;
        let keys = (0..members.len()).map(|m| status_key(federation, m)).collect();
        Ok(Observer { session, keys })
    }

    /// One answer per member.
    pub fn ask(&self, wait: Duration) -> Vec<Option<Value>> {
        let asked: Vec<_> = self
            .keys
            .iter()
            .map(|key| self.session.get(key.clone()).timeout(wait).wait().ok())
            .collect();
        let answer = |replies: zenoh::handlers::FifoChannelHandler<zenoh::query::Reply>| {
            let reply = replies.recv().ok()?;
            let sample = reply.result().ok()?;
            serde_json::from_slice(&sample.payload().to_bytes()).ok()
        };
        asked.into_iter().map(|replies| replies.and_then(answer)).collect()
    }
}
