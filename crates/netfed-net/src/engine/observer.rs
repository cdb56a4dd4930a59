//! The organizer asks all members for their status.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use zenoh::Wait;

use super::limits;
use super::session::{common_config, open, status_key};
use crate::description::Federation;
use crate::error::Error;

/// Asks all members for their status, as the organizer; none for those that do not answer in time.
pub struct Observer {
    session: zenoh::Session,
    keys: Vec<String>,
}

impl Observer {
    /// Connects with the observer's certificate in a folder, to members and to routers.
    pub fn open(federation: &Federation, folder: &Path) -> Result<Observer, Error> {
        let d = &federation.description;
        let members = d.members.iter().filter_map(|m| m.endpoint.clone());
        let routers = d.routers.iter().map(|r| r.endpoint.clone());
        let endpoints: Vec<String> = members.chain(routers).collect();
        let mut config =
            common_config("peer", folder, &[], &endpoints, limits::of_observer(federation));
        config["connect"]["timeout_ms"] = json!(0);
        let session = open(&config)?;
        let keys = (0..d.members.len()).map(|m| status_key(federation, m)).collect();
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
