//! The network engine: Zenoh, over QUIC with mutual TLS.
//!
//! Peer to peer where one of two neighbors can be reached: it listens at its endpoint, the other
//! connects. Scouting is off, so that nobody else is ever talked to. Every link has one key for
//! each direction. The engine's access control, by the name in the certificate, lets a neighbor
//! write to its own key and nothing else; the organizer's certificate may ask for the status. What
//! is written is sealed (`sealing.rs`), and the peer checks every message once more. Neighbors of
//! whom neither has an endpoint meet at a router (`routed.rs`).

mod limits;
mod observer;
mod routed;
mod router;
mod sealing;
mod session;

pub use observer::Observer;
pub use router::{Router, router_config};
pub use session::{link_key, sealed_key};

use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tracing::warn;
use zenoh::Wait;
use zenoh::pubsub::{Publisher, Subscriber};
use zenoh::qos::CongestionControl;
use zenoh::query::Queryable;

use crate::description::{Federation, host_and_port};
use crate::error::Error;
use crate::metrics::Metrics;
use crate::names::OBSERVER;
use crate::plan::Plan;
use crate::refusals::Refusals;
use crate::transport::Transport;
use routed::Routed;
use sealing::Sealing;
use session::{Access, common_config, egress, engine, ingress, open, status_key};

/// Time for the last messages to leave.
const LAST_MOMENT: Duration = Duration::from_millis(200);

/// What has come, and whose it is as far as the engine can tell.
type Arrived = (usize, Vec<u8>);

/// A member's connection to its neighbors.
pub struct Engine {
    publishers: Vec<(usize, Publisher<'static>)>,
    routed: Option<Routed>,
    sealing: RefCell<Sealing>,
    inbox: Receiver<Arrived>,
    names: Vec<String>,
    metrics: Arc<Metrics>,
    refusals: RefCell<Refusals>,
    begin: Instant,
    _subscribers: Vec<Subscriber<()>>,
    _status: Option<Queryable<()>>,
    _session: Option<zenoh::Session>,
}

impl Engine {
    /// Opens the connections of a member. `folder` holds its certificate and key; `listen` is where
    /// to listen if not at the endpoint of the description, `size` how many numbers a model has.
    pub fn open(
        federation: &Federation,
        plan: &Plan,
        folder: &Path,
        listen: Option<&str>,
        metrics: Arc<Metrics>,
        size: usize,
    ) -> Result<Engine, Error> {
        let us = plan.member;
        let most = limits::of_member(federation, plan, size);
        let (direct, routed): (Vec<usize>, Vec<usize>) = (plan.links.iter())
            .map(|link| link.member)
            .partition(|&them| federation.listener(us, them).is_some());
        let neighbors = plan.links.iter().map(|link| link.member);
        let sealing = Sealing::new(federation, us, neighbors, folder)?.into();
        let (sender, inbox) = sync_channel(limits::waiting(most));
        let (mut publishers, mut subscribers) = (Vec::new(), Vec::new());
        let (mut session, mut status) = (None, None);
        if let Some(config) = member_config(federation, us, &direct, folder, listen, most)? {
            let opened = open(&config)?;
            for &them in &direct {
                publishers.push((them, publisher(&opened, link_key(federation, us, them))?));
                let key = link_key(federation, them, us);
                subscribers.push(subscribe(&opened, key, them, &sender)?);
            }
            status = Some(tell_status(&opened, status_key(federation, us), metrics.clone())?);
            session = Some(opened);
        }
        let routed = match routed.as_slice() {
            [] => None,
            members => {
                let way = (&sender, &metrics, most);
                Some(Routed::open(federation, us, members, folder, way))
            }
        };
        Ok(Engine {
            publishers,
            routed,
            sealing,
            inbox,
            names: federation.description.members.iter().map(|m| m.name.clone()).collect(),
            metrics,
            refusals: RefCell::default(),
            begin: Instant::now(),
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

fn publisher(session: &zenoh::Session, key: String) -> Result<Publisher<'static>, Error> {
    session
        .declare_publisher(key)
        .congestion_control(CongestionControl::Block)
        .wait()
        .map_err(engine)
}

fn subscribe(
    session: &zenoh::Session,
    key: String,
    from: usize,
    inbox: &SyncSender<Arrived>,
) -> Result<Subscriber<()>, Error> {
    let inbox = inbox.clone();
    session
        .declare_subscriber(key)
        .callback(move |sample| {
            // A full inbox drops the message: it will be asked for again.
            let _ = inbox.try_send((from, sample.payload().to_bytes().into_owned()));
        })
        .wait()
        .map_err(engine)
}

fn publish(publishers: &[(usize, Publisher<'static>)], to: usize, bytes: Vec<u8>) {
    if let Some((_, publisher)) = publishers.iter().find(|(member, _)| *member == to)
        && let Err(e) = publisher.put(bytes).wait()
    {
        warn!("cannot send: {e}");
    }
}

impl Engine {
    fn put(&self, to: usize, frame: Vec<u8>) {
        match &self.routed {
            Some(routed) if !self.publishers.iter().any(|(member, _)| *member == to) => {
                routed.put(to, frame);
            }
            _ => publish(&self.publishers, to, frame),
        }
    }
}

impl Transport for Engine {
    fn send(&self, to: usize, bytes: Vec<u8>) {
        if let Some(frame) = self.sealing.borrow_mut().seal(to, &bytes) {
            self.put(to, frame);
        }
    }

    fn receive(&self, wait: Duration) -> Option<(usize, Vec<u8>)> {
        let until = Instant::now() + wait;
        let mut left = wait;
        let mut sealing = self.sealing.borrow_mut();
        loop {
            sealing.look().into_iter().for_each(|(to, frame)| self.put(to, frame));
            let (from, frame) = self.inbox.recv_timeout(left).ok()?;
            let (opened, frames) = sealing.open(from, frame);
            frames.into_iter().for_each(|(to, frame)| self.put(to, frame));
            match opened {
                Ok(Some(message)) => return Some((from, message)),
                Ok(None) => {}
                Err(refusal) => {
                    self.metrics.refused.fetch_add(1, Relaxed);
                    let name = self.names.get(from).map(String::as_str);
                    let now = self.begin.elapsed();
                    self.refusals.borrow_mut().tell(from, name, &refusal, now);
                }
            }
            left = until.saturating_duration_since(Instant::now());
        }
    }

    fn superseded_after(&self) -> Option<u64> {
        self.sealing.borrow().superseded_after()
    }
}

/// Answers those who may ask for the status.
fn tell_status(
    session: &zenoh::Session,
    key: String,
    metrics: Arc<Metrics>,
) -> Result<Queryable<()>, Error> {
    session
        .declare_queryable(key.clone())
        .callback(move |query| {
            if let Err(e) = query.reply(key.clone(), status_of(&metrics).to_string()).wait() {
                warn!("cannot tell the status: {e}");
            }
        })
        .wait()
        .map_err(engine)
}

/// The status of a member as JSON.
fn status_of(metrics: &Metrics) -> Value {
    let (share, gap) = metrics.gap();
    let waited: serde_json::Map<String, Value> =
        metrics.waited().into_iter().map(|(n, s)| (n, json!(s))).collect();
    json!({
        "round": metrics.rounds.load(Relaxed),
        "finished": metrics.finished.load(Relaxed) == 1,
        "gap_share": share, "relative_gap": gap,
        "bytes_out": metrics.bytes_out.load(Relaxed), "bytes_in": metrics.bytes_in.load(Relaxed),
        "refused": metrics.refused.load(Relaxed), "restarts": metrics.restarts.load(Relaxed),
        "waited_seconds": waited, "waiting_for": metrics.waiting_for(),
    })
}

/// The session for links without a router; none where there is neither such a link nor an endpoint.
fn member_config(
    federation: &Federation,
    us: usize,
    direct: &[usize],
    folder: &Path,
    listen: Option<&str>,
    most: usize,
) -> Result<Option<Value>, Error> {
    let members = &federation.description.members;
    let listen = match (&members[us].endpoint, listen) {
        (None, Some(_)) => {
            return Err(Error::Invalid(format!(
                "the description gives \"{}\" no endpoint, so nobody would connect; leave --listen out.",
                members[us].name
            )));
        }
        (_, Some(endpoint)) => host_and_port(endpoint).map(|_| vec![endpoint.to_owned()])?,
        (own, None) => own.iter().cloned().collect(),
    };
    if listen.is_empty() && direct.is_empty() {
        return Ok(None);
    }
    let reached = direct.iter().filter(|&&them| federation.listener(us, them) == Some(them));
    let connect: Vec<String> = reached.filter_map(|&m| members[m].endpoint.clone()).collect();
    let mut config = common_config("peer", folder, &listen, &connect, most);
    config["access_control"] = access(federation, us, direct).into_config();
    Ok(Some(config))
}

/// A neighbor may write to its own key and listen to the one that is for it; the observer may ask
/// for the status.
fn access(federation: &Federation, us: usize, direct: &[usize]) -> Access {
    let mut access = Access::default();
    for &them in direct {
        let theirs = || vec![link_key(federation, them, us)];
        let ours = || vec![link_key(federation, us, them)];
        access.allow(
            &[&federation.description.members[them].name],
            vec![
                ingress(&["put"], theirs()),
                ingress(&["declare_subscriber"], ours()),
                egress(&["put"], ours()),
                egress(&["declare_subscriber"], theirs()),
            ],
        );
    }
    let status = vec![status_key(federation, us)];
    access.allow(
        &[OBSERVER],
        vec![ingress(&["query"], status.clone()), egress(&["reply", "declare_queryable"], status)],
    );
    access
}
