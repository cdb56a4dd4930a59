//! Ports of this machine for a federation that is tried out on it: free ones, outside of the range
//! from which the system takes ports for connections of its own, so that nothing else comes to have
//! one between two starts.

use std::io::ErrorKind;
use std::net::UdpSocket;
use std::ops::RangeInclusive;

use netfed_net::description::{Federation, host_and_port};

use crate::failure::Failure;

/// Where Linux says from where it takes ports; elsewhere they are as IANA has it.
const RANGE: &str = "/proc/sys/net/ipv4/ip_local_port_range";
const IANA: RangeInclusive<u16> = 49_152..=65_535;

/// So many free ports, from a first one on.
pub(super) fn free(first: u16, count: usize) -> Result<Vec<u16>, Failure> {
    let system = std::fs::read_to_string(RANGE).ok().and_then(|text| range(&text)).unwrap_or(IANA);
    choose(first, count, &system, |port| !is_taken("127.0.0.1", port)).map_err(|found| {
        let (low, high) = (system.start(), system.end());
        Failure::input(format!(
            "{count} members need as many free ports; from {first} on there are {found} before those that the system uses for itself ({low} to {high}), so say --local with a smaller one."
        ))
    })
}

/// The first free ports; how many there are, where they do not suffice.
fn choose(
    first: u16,
    count: usize,
    system: &RangeInclusive<u16>,
    is_free: impl Fn(u16) -> bool,
) -> Result<Vec<u16>, usize> {
    let usable = (first.max(1)..=u16::MAX).take_while(|port| !system.contains(port));
    let ports: Vec<u16> = usable.filter(|&port| is_free(port)).take(count).collect();
    if ports.len() == count { Ok(ports) } else { Err(ports.len()) }
}

/// The range in the words of Linux.
fn range(text: &str) -> Option<RangeInclusive<u16>> {
    let mut ends = text.split_whitespace().map(|end| end.parse().ok());
    let (Some(Some(low)), Some(Some(high))) = (ends.next(), ends.next()) else { return None };
    Some(low..=high)
}

/// Whether another program has a port of this machine.
fn is_taken(host: &str, port: u16) -> bool {
    UdpSocket::bind((host, port)).is_err_and(|e| e.kind() == ErrorKind::AddrInUse)
}

/// Refuses to start members whose ports others have.
pub(super) fn check(federation: &Federation) -> Result<(), Failure> {
    let d = &federation.description;
    let members = d.members.iter().filter_map(|m| m.endpoint.as_ref().map(|e| (&m.name, e)));
    for (name, endpoint) in members.chain(d.routers.iter().map(|r| (&r.name, &r.endpoint))) {
        let (host, port) = host_and_port(endpoint)?;
        if is_taken(host.trim_matches(['[', ']']), port) {
            return Err(Failure::input(format!(
                "the port {port} of \"{name}\" is in use; end what uses it, or make the federation again with --local and another port."
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_of_others_are_left_out() {
        let system = range("32768\t60999\n").unwrap();
        assert_eq!(system, 32_768..=60_999);
        let all = |_: u16| true;
        assert_eq!(choose(7450, 3, &system, all), Ok(vec![7450, 7451, 7452]));
        assert_eq!(choose(7450, 2, &system, |p| p != 7450 && p != 7452), Ok(vec![7451, 7453]));
        assert_eq!(choose(32_766, 3, &system, all), Err(2), "the system's");
        assert_eq!(choose(40_000, 1, &system, all), Err(0), "the system's");
        assert_eq!(choose(65_534, 3, &system, all), Err(2));
        assert_eq!(choose(65_534, 2, &system, all), Ok(vec![65_534, 65_535]));
        assert_eq!(range("nonsense"), None);
    }

    #[test]
    fn a_port_in_use_is_seen() {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        let port = socket.local_addr().unwrap().port();
        assert!(is_taken("127.0.0.1", port));
        drop(socket);
        assert!(!is_taken("127.0.0.1", port));
    }
}
