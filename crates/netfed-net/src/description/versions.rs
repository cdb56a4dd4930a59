//! Versions of a description: members come and go without a new federation.

use serde::{Deserialize, Serialize};

use super::{Description, Federation};
use crate::error::Error;
use crate::signed::{hex, unhex};
use crate::wire::FederationId;

/// What a version after the first takes over from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Follows {
    /// Id of the first version.
    pub first: String,
    /// Id of the version before.
    pub before: String,
    /// The round of the version before at whose end the members take over; 0, wherever they are
    /// when they learn of it.
    pub round: u64,
}

pub(super) fn first() -> u64 {
    1
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde wants a reference")]
pub(super) fn is_first(version: &u64) -> bool {
    *version == 1
}

fn id(text: &str) -> Result<FederationId, Error> {
    let bytes = unhex(text).and_then(|bytes| bytes.try_into().ok());
    bytes.ok_or_else(|| {
        Error::Invalid(format!("[follows]: \"{text}\" is no id; expected 32 hexadecimal digits."))
    })
}

/// The id of the first version, if this is a later one.
pub(super) fn check(d: &Description) -> Result<Option<FederationId>, Error> {
    let wrong = |what: String| Err(Error::Invalid(what));
    let Some(follows) = &d.follows else {
        return match d.version {
            1 => Ok(None),
            version => wrong(format!("version {version} needs a section [follows].")),
        };
    };
    if d.version < 2 {
        return wrong(format!("version {} follows none; leave [follows] out.", d.version));
    }
    if d.method.solver().is_none() {
        return wrong(format!(
            "members come and go with primal-dual, admm and fed-admm; with {} make a new federation.",
            d.method
        ));
    }
    id(&follows.before)?;
    id(&follows.first).map(Some)
}

impl Federation {
    /// The description of the next version, which is to be taken over at the end of a round: the
    /// same, with members still to be changed.
    pub fn next(&self, round: u64) -> Description {
        let (first, before) = (hex(&self.root), hex(&self.id));
        let version = self.description.version + 1;
        let follows = Some(Follows { first, before, round });
        Description { version, follows, ..self.description.clone() }
    }

    /// After which round of an earlier version a member takes this one over: at once, if it goes by
    /// another one than the one before. None: this one is no later version of the same federation.
    pub fn takes_over(&self, earlier: &Federation) -> Option<u64> {
        let follows = self.description.follows.as_ref()?;
        let later =
            self.root == earlier.root && self.description.version > earlier.description.version;
        let next = follows.before == hex(&earlier.id);
        later.then_some(if next { follows.round } else { 0 })
    }

    /// The text of a description.
    pub fn text(description: &Description) -> Result<String, Error> {
        toml::to_string(description)
            .map_err(|e| Error::Invalid(format!("cannot write the description: {e}.")))
    }
}
