//! From a table of settings to the types that hold them.

/// Makes `Spec`, `Given` and `FIELDS` of a table with a row for each setting:
///
/// ```text
/// /// what it does
/// field "key" [Kind, "what it takes", "heading", "another name"]
///     with_field: type as given => type when complete = default;
/// ```
macro_rules! settings {
    ($(
        $(#[doc = $help:literal])+
        $field:ident $key:literal [$kind:ident, $value:literal, $heading:literal $(, $alias:literal)*]
            $with:ident: $given:ty => $full:ty = $default:expr;
    )+) => {
        /// Every setting of a fit, with its default. Its text is one line:
        ///
        /// ```
        /// use netfed::{LossKind, Spec};
        ///
        /// let spec: Spec = "loss=huber huber-delta=0.5 lambda=0.1 intercept=true".parse()?;
        /// assert_eq!(spec.loss_kind(), LossKind::Huber { delta: 0.5 });
        /// assert_eq!(spec, spec.to_string().parse()?);
        /// # Ok::<(), netfed::Error>(())
        /// ```
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(into = "Given", try_from = "Given")]
        #[non_exhaustive]
        pub struct Spec {
            $($(#[doc = $help])+ pub $field: $full,)+
        }

        /// The same settings as someone gives them: what is not given is `None`.
        #[derive(Debug, Clone, Default, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        #[non_exhaustive]
        pub struct Given {
            $(
                $(#[doc = $help])+
                #[serde(rename = $key, $(alias = $alias,)* skip_serializing_if = "Option::is_none")]
                pub $field: Option<$given>,
            )+
        }

        /// All settings, in their order.
        pub const FIELDS: &[Field] = &[$(Field {
            key: $key,
            name: stringify!($field),
            aliases: &[$($alias),*],
            kind: Kind::$kind,
            value_name: $value,
            heading: $heading,
            lines: concat!($($help),+),
        }),+];

        impl Default for Spec {
            fn default() -> Spec {
                Spec { $($field: $default),+ }
            }
        }

        impl Spec {
            $(
                #[doc = concat!("With another `", $key, "`.")]
                pub fn $with(mut self, value: $given) -> Spec {
                    self.$field = value.into();
                    self
                }
            )+
        }

        impl Given {
            /// These settings, with gaps filled from others.
            pub(super) fn or_all(self, other: Given) -> Given {
                Given { $($field: self.$field.or(other.$field)),+ }
            }

            /// These settings, with gaps filled by the defaults.
            pub(super) fn filled(self) -> Spec {
                let defaults = Spec::default();
                Spec { $($field: self.$field.map_or(defaults.$field, Into::into)),+ }
            }

            /// All settings as given ones.
            pub(super) fn of_all(spec: Spec) -> Given {
                Given { $($field: spec.$field.into()),+ }
            }

            /// Reads one setting.
            pub(super) fn read(&mut self, key: &str, text: &str) -> Result<(), crate::Error> {
                match key {
                    $($key $(| $alias)* => self.$field = Some(super::value::value($key, text)?),)+
                    _ => {
                        crate::names::choose("setting", key, &[$($key),+])?;
                    }
                }
                Ok(())
            }

            /// The settings that are given, with their texts.
            pub(super) fn texts(&self) -> Vec<(&'static str, String)> {
                let mut found = Vec::new();
                $(found.extend(self.$field.as_ref().map(|value| ($key, value.to_string())));)+
                found
            }
        }
    };
}
pub(super) use settings;
