//! What a run tells, as plain data: events while it goes on, to one [`Observer`]; at its end why it
//! ended, the point, and what is proven about it. All that runs, from a solver to rounds with a
//! server, tells in these words.

mod certificate;
mod event;
mod method;
mod point;
mod shared;
mod solution;
mod status;

pub use certificate::{Bound, Certificate};
pub(crate) use event::Unobserved;
pub use event::{Event, Observer};
pub use method::Method;
pub use point::{Clusters, PathPoint};
pub(crate) use shared::Shared;
pub use solution::{Solution, Start};
pub use status::Status;
