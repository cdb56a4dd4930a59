//! What a member says is sealed (`sealed.rs`), whichever way it goes: the connection proves a name
//! only, and whoever has a revoked certificate has that name, too. Beside messages the channels
//! carry what the authority says (`notices.rs`).

use std::path::Path;
use std::sync::Arc;

use crate::credentials::{Credentials, NoProof};
use crate::description::Federation;
use crate::error::Error;
use crate::notices::{Notices, is_notice};
use crate::sealed::{Channel, Ends, Opened, Refusal, notice};

/// Frames to send, and to whom.
type Frames = Vec<(usize, Vec<u8>)>;

/// The channels to all neighbors.
pub(super) struct Sealing {
    channels: Vec<(usize, Channel)>,
    notices: Notices,
}

impl Sealing {
    pub(super) fn new(
        federation: &Federation,
        us: usize,
        members: impl Iterator<Item = usize>,
        folder: &Path,
    ) -> Result<Sealing, Error> {
        let credentials = Arc::new(Credentials::read(folder)?);
        let notices = Notices::open(federation, folder, credentials.clone())?;
        let channel = |them: usize| {
            let ends = Ends {
                federation: federation.root,
                us: federation.description.members[us].name.clone(),
                them: federation.description.members[them].name.clone(),
            };
            (them, Channel::new(credentials.clone(), ends))
        };
        Ok(Sealing { channels: members.map(channel).collect(), notices })
    }

    fn channel(&mut self, member: usize) -> Option<&mut Channel> {
        self.channels.iter_mut().find(|(them, _)| *them == member).map(|(_, channel)| channel)
    }

    /// What to send for a message; without keys yet, what leads to some.
    pub(super) fn seal(&mut self, to: usize, message: &[u8]) -> Option<Vec<u8>> {
        self.channel(to)?.seal(message)
    }

    /// Opens what has come: a message for the peer, if it was one, and what to send because of it.
    pub(super) fn open(
        &mut self,
        from: usize,
        frame: Vec<u8>,
    ) -> (Result<Option<Vec<u8>>, Refusal>, Frames) {
        let Some(channel) = self.channel(from) else { return (Ok(None), Vec::new()) };
        match channel.open(frame) {
            Ok(Opened::Message(bytes)) if is_notice(&bytes) => (Ok(None), self.take(&bytes)),
            Ok(Opened::Notice(bytes)) => (Ok(None), self.take(&bytes)),
            Ok(Opened::Message(bytes)) => {
                let other = self.notices.is_of_other_version(&bytes);
                (Ok(Some(bytes).filter(|_| !other)), self.tell(from))
            }
            Ok(Opened::Reply(frame)) => {
                // New keys: perhaps of a new process, which missed what it was told.
                self.notices.forget(from);
                (Ok(None), vec![(from, frame)])
            }
            Ok(Opened::Nothing) => (Ok(None), Vec::new()),
            Err(refusal @ Refusal::NoProof(NoProof::Revoked)) => {
                // Whoever has just got a new certificate, and still runs with the old one, learns
                // it here.
                let list = self.notices.list().map(|list| (from, notice(&list)));
                (Err(refusal), list.into_iter().collect())
            }
            Err(refusal) => (Err(refusal), Vec::new()),
        }
    }

    /// Looks now and then whether the folder holds something new, and passes it on.
    pub(super) fn look(&mut self) -> Frames {
        if self.notices.look() { self.tell_all() } else { Vec::new() }
    }

    fn take(&mut self, message: &[u8]) -> Frames {
        if self.notices.take(message) { self.tell_all() } else { Vec::new() }
    }

    fn tell_all(&mut self) -> Frames {
        let members: Vec<usize> = self.channels.iter().map(|(member, _)| *member).collect();
        members.into_iter().flat_map(|member| self.tell(member)).collect()
    }

    fn tell(&mut self, to: usize) -> Frames {
        // Without keys a message is lost.
        if !self.channel(to).is_some_and(|channel| channel.is_open()) {
            return Vec::new();
        }
        let notices = self.notices.due(to);
        notices.iter().filter_map(|notice| Some((to, self.seal(to, notice)?))).collect()
    }

    /// After which round a later version is to be taken over, if there is one.
    pub(super) fn superseded_after(&self) -> Option<u64> {
        self.notices.superseded_after()
    }
}
