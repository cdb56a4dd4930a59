//! The links of a member that go through routers: one session as a client of any router that can be
//! reached.

use std::path::Path;
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use serde_json::{Value, json};
use tracing::{debug, warn};
use zenoh::pubsub::{Publisher, Subscriber};
use zenoh::query::Queryable;

use super::session::{Access, common_config, egress, ingress, open, sealed_key, status_key};
use super::{Arrived, publish, publisher, subscribe, tell_status};
use crate::description::Federation;
use crate::error::Error;
use crate::metrics::Metrics;

/// Time between two rounds of tries to reach a router.
const PAUSE: Duration = Duration::from_millis(500);

/// Links through routers.
pub(super) struct Routed {
    /// There once a router has been reached.
    session: Arc<OnceLock<Session>>,
}

struct Session {
    publishers: Vec<(usize, Publisher<'static>)>,
    _subscribers: Vec<Subscriber<()>>,
    _status: Queryable<()>,
    _session: zenoh::Session,
}

impl Routed {
    /// Links to these members; a thread looks for a router for as long as it takes.
    pub(super) fn open(
        federation: &Federation,
        us: usize,
        members: &[usize],
        folder: &Path,
        (inbox, metrics, most): (&SyncSender<Arrived>, &Arc<Metrics>, usize),
    ) -> Routed {
        let session = Arc::new(OnceLock::new());
        let config = config(federation, us, members, folder, most);
        let place = Arc::downgrade(&session);
        let plan = Connecting {
            keys: (members.iter())
                .map(|&m| (m, sealed_key(federation, us, m), sealed_key(federation, m, us)))
                .collect(),
            status: status_key(federation, us),
            inbox: inbox.clone(),
            metrics: metrics.clone(),
        };
        std::thread::spawn(move || plan.connect(&config, &place));
        Routed { session }
    }

    /// Sends, once there is a router.
    pub(super) fn put(&self, to: usize, frame: Vec<u8>) {
        if let Some(session) = self.session.get() {
            publish(&session.publishers, to, frame);
        }
    }
}

/// What is declared once a router is there: per member the keys of this end and of the other, and
/// the key of the status.
struct Connecting {
    keys: Vec<(usize, String, String)>,
    status: String,
    inbox: SyncSender<Arrived>,
    metrics: Arc<Metrics>,
}

impl Connecting {
    /// Tries until a router is there, or nobody waits for it any more.
    fn connect(self, config: &Value, place: &Weak<OnceLock<Session>>) {
        while place.strong_count() > 0 {
            match open(config) {
                Ok(session) => {
                    if let Some(place) = place.upgrade() {
                        match self.declare(session) {
                            Ok(session) => drop(place.set(session)),
                            Err(e) => warn!("{e}"),
                        }
                    }
                    return;
                }
                Err(e) => debug!("no router yet: {e}"),
            }
            std::thread::sleep(PAUSE);
        }
    }

    fn declare(self, session: zenoh::Session) -> Result<Session, Error> {
        let (mut publishers, mut subscribers) = (Vec::new(), Vec::new());
        for (member, ours, theirs) in self.keys {
            publishers.push((member, publisher(&session, ours)?));
            subscribers.push(subscribe(&session, theirs, member, &self.inbox)?);
        }
        let status = tell_status(&session, self.status, self.metrics)?;
        Ok(Session { publishers, _subscribers: subscribers, _status: status, _session: session })
    }
}

fn config(
    federation: &Federation,
    us: usize,
    members: &[usize],
    folder: &Path,
    most: usize,
) -> Value {
    let routers = &federation.description.routers;
    let endpoints: Vec<String> = routers.iter().map(|r| r.endpoint.clone()).collect();
    let mut config = common_config("client", folder, &[], &endpoints, most);
    // One try each; the next round comes soon.
    config["connect"]["timeout_ms"] = json!(0);
    let names: Vec<&str> = routers.iter().map(|r| r.name.as_str()).collect();
    let ours: Vec<String> = members.iter().map(|&m| sealed_key(federation, us, m)).collect();
    let theirs: Vec<String> = members.iter().map(|&m| sealed_key(federation, m, us)).collect();
    let status = vec![status_key(federation, us)];
    let mut access = Access::default();
    access.allow(
        &names,
        vec![
            ingress(&["put"], theirs.clone()),
            egress(&["declare_subscriber"], theirs),
            ingress(&["declare_subscriber"], ours.clone()),
            egress(&["put"], ours),
            ingress(&["query"], status.clone()),
            egress(&["declare_queryable", "reply"], status),
        ],
    );
    config["access_control"] = access.into_config();
    config
}
