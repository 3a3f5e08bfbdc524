//! The objects of JKF. What a record may leave out is optional; unknown members are ignored.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// The deepest nesting of variations in variations. Each level costs another look at the text, and
/// the stack of whoever reads it.
pub(super) const MOST_NESTED: usize = 256;

/// A record. Forks are text while it is read, which keeps the reader from nesting as they do.
#[derive(Serialize, Deserialize)]
#[serde(bound(deserialize = "F: Deserialize<'de>"))]
#[serde(expecting = "an object with \"header\" and \"moves\"")]
pub(super) struct Record<F> {
    #[serde(default)]
    pub(super) header: Header,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) initial: Option<Initial>,
    pub(super) moves: Vec<Entry<F>>,
}

/// The headings in their order.
#[derive(Default)]
pub(super) struct Header(pub(super) Vec<(String, String)>);

impl Serialize for Header {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Header {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Pairs;
        impl<'de> Visitor<'de> for Pairs {
            type Value = Header;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object of headings")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Header, A::Error> {
                let mut pairs = Vec::new();
                while let Some((name, value)) = map.next_entry()? {
                    pairs.extend(text_of(value).map(|text| (name, text)));
                }
                Ok(Header(pairs))
            }
        }
        deserializer.deserialize_map(Pairs)
    }
}

/// The text of a heading, which programs write as a number too, or as `null` without one.
fn text_of(value: Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text),
        other => Some(other.to_string()),
    }
}

#[derive(Serialize, Deserialize)]
#[serde(expecting = "an object with \"preset\"")]
pub(super) struct Initial {
    pub(super) preset: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) data: Option<Data>,
}

#[derive(Serialize, Deserialize)]
#[serde(expecting = "an object with \"color\", \"board\" and \"hands\"")]
pub(super) struct Data {
    /// 0 is black.
    #[serde(default)]
    pub(super) color: u8,
    /// `board[x - 1][y - 1]` is the square x, y.
    #[serde(default)]
    pub(super) board: Vec<Vec<Piece>>,
    #[serde(default)]
    pub(super) hands: Vec<BTreeMap<String, u32>>,
}

#[derive(Serialize, Deserialize, Default)]
#[serde(expecting = "an object with \"color\" and \"kind\"")]
pub(super) struct Piece {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) color: Option<u8>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) kind: Option<String>,
}

/// A move, an ending, or the comments on the start position.
#[derive(Serialize, Deserialize, Default)]
#[serde(bound(deserialize = "F: Deserialize<'de>"))]
#[serde(expecting = "an object with \"move\", \"comments\" or \"special\"")]
pub(super) struct Entry<F> {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) comments: Vec<String>,
    #[serde(default, skip_serializing)]
    pub(super) comment: Option<String>,
    #[serde(default, rename = "move", skip_serializing_if = "Option::is_none")]
    pub(super) played: Option<Played>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) time: Option<Time>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) special: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) forks: Vec<F>,
}

/// A fork that is written.
#[derive(Serialize, Default)]
#[serde(transparent)]
pub(super) struct Fork(pub(super) Vec<Entry<Fork>>);

#[derive(Serialize, Deserialize)]
#[serde(expecting = "an object with \"to\", \"from\" and \"piece\"")]
pub(super) struct Played {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) color: Option<u8>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) from: Option<Place>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) to: Option<Place>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) piece: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) same: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) promote: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) capture: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) relative: Option<String>,
}

#[derive(Serialize, Deserialize, Clone, Copy)]
#[serde(expecting = "an object with \"x\" and \"y\"")]
pub(super) struct Place {
    pub(super) x: u8,
    pub(super) y: u8,
}

#[derive(Serialize, Deserialize)]
#[serde(expecting = "an object with \"now\" and \"total\"")]
pub(super) struct Time {
    pub(super) now: Clock,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) total: Option<Clock>,
}

/// Whole numbers in the standard; some programs write decimals.
#[derive(Serialize, Deserialize)]
#[serde(expecting = "an object with \"m\" and \"s\"")]
pub(super) struct Clock {
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub(super) h: Value,
    #[serde(default)]
    pub(super) m: Value,
    #[serde(default)]
    pub(super) s: Value,
}
