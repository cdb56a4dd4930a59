//! Names of things that are chosen: losses, penalties, solvers, … Each type says its names once;
//! from them follow how it is read ([`FromStr`](std::str::FromStr), serde), with the nearest known
//! name where one is unknown, and how it is printed ([`Display`](std::fmt::Display), serde).

use crate::Error;

/// One of the known names, or an error that lists them and suggests the nearest one; `what` is what
/// they name.
///
/// ```
/// let found = netfed::names::choose("loss", "sqared", &["squared", "huber"]);
/// assert_eq!(
///     found.unwrap_err().to_string(),
///     "unknown loss \"sqared\"; known are squared, huber. Did you mean \"squared\"?"
/// );
/// ```
pub fn choose<'a>(what: &str, name: &str, known: &[&'a str]) -> Result<&'a str, Error> {
    known.iter().find(|k| **k == name).copied().ok_or_else(|| Error::UnknownName {
        what: what.to_owned(),
        name: name.to_owned(),
        known: known.join(", "),
        tip: nearest(name, known),
    })
}

/// The nearest of some names, as a question; nothing where none is near.
pub(crate) fn nearest(word: &str, known: &[&str]) -> String {
    let lower = word.to_lowercase();
    let near = known.iter().map(|k| (strsim::normalized_damerau_levenshtein(&lower, k), k));
    let near = near.filter(|(similarity, _)| *similarity > 0.4).max_by(|a, b| a.0.total_cmp(&b.0));
    near.map_or(String::new(), |(_, k)| format!(". Did you mean \"{k}\"?"))
}

/// Makes values of a type known by names: `named!(Type, "what it is", ["name" => value, …])`.
#[macro_export]
macro_rules! named {
    ($type:ident, $what:literal, [$($name:literal => $value:expr),* $(,)?]) => {
        impl $type {
            /// The names of all values.
            pub const NAMES: &[&str] = &[$($name),*];

            /// The name.
            pub fn name(self) -> &'static str {
                let same = |other: &$type| std::mem::discriminant(other) == std::mem::discriminant(&self);
                let all = [$(($name, $value)),*];
                all.iter().find(|(_, value)| same(value)).map_or("", |(name, _)| name)
            }
        }

        impl std::str::FromStr for $type {
            type Err = $crate::Error;

            fn from_str(name: &str) -> Result<$type, $crate::Error> {
                match name {
                    $($name => Ok($value),)*
                    _ => $crate::names::choose($what, name, $type::NAMES).map(|_| [$($value),*][0]),
                }
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }

        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_str(self.name())
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<$type, D::Error> {
                let name = std::borrow::Cow::<str>::deserialize(from)?;
                name.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}

pub use named;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn far_names_are_not_suggested() {
        let message = choose("penalty", "zzz", &["l2", "l1"]).unwrap_err().to_string();
        assert_eq!(message, "unknown penalty \"zzz\"; known are l2, l1");
        let message = choose("penalty", "L2", &["l2", "l1"]).unwrap_err().to_string();
        assert!(message.ends_with("Did you mean \"l2\"?"), "{message}");
    }
}
