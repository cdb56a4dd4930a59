//! Names and endpoints of members and routers.

use std::collections::HashSet;

use super::Description;
use crate::error::Error;
use crate::names::good_member_name;

/// Names are plain, endpoints in order, and none of them is there twice.
pub(super) fn check(d: &Description) -> Result<(), Error> {
    let wrong = |what: String| Err(Error::Invalid(what));
    let members = d.members.iter().map(|m| ("member", &m.name, m.endpoint.as_ref()));
    let routers = d.routers.iter().map(|r| ("router", &r.name, Some(&r.endpoint)));
    let (mut names, mut endpoints) = (HashSet::new(), HashSet::new());
    for (what, name, endpoint) in members.chain(routers) {
        if !good_member_name(name) {
            return wrong(format!(
                "the {what} name \"{name}\" is not allowed; use letters, digits, -, _ and . (at most 60)."
            ));
        }
        if !names.insert(name) {
            return wrong(format!("there are two members or routers \"{name}\"."));
        }
        let Some(endpoint) = endpoint else { continue };
        host_and_port(endpoint)?;
        if !endpoints.insert(endpoint) {
            return wrong(format!("two members or routers have the endpoint {endpoint}."));
        }
    }
    Ok(())
}

/// Host and port of `quic/HOST:PORT`.
pub fn host_and_port(endpoint: &str) -> Result<(String, u16), Error> {
    let parts = endpoint.strip_prefix("quic/").and_then(|rest| rest.rsplit_once(':'));
    let parsed = parts.and_then(|(host, port)| Some((host, port.parse::<u16>().ok()?)));
    let clean = |host: &str| {
        !host.is_empty()
            && host
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | ':' | '[' | ']'))
    };
    match parsed {
        Some((host, port)) if port > 0 && clean(host) => Ok((host.to_owned(), port)),
        _ => Err(Error::Invalid(format!(
            "the endpoint \"{endpoint}\" is not of the form quic/HOST:PORT."
        ))),
    }
}
