//! The objects of JKF. What a record may leave out is optional; unknown members are ignored.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize, Deserialize)]
pub(super) struct Record {
    #[serde(default)]
    pub(super) header: Header,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) initial: Option<Initial>,
    pub(super) moves: Vec<Entry>,
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
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Header(pairs))
            }
        }
        deserializer.deserialize_map(Pairs)
    }
}

#[derive(Serialize, Deserialize)]
pub(super) struct Initial {
    pub(super) preset: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) data: Option<Data>,
}

#[derive(Serialize, Deserialize)]
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
pub(super) struct Piece {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) color: Option<u8>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) kind: Option<String>,
}

/// A move, an ending, or the comments on the start position.
#[derive(Serialize, Deserialize, Default)]
pub(super) struct Entry {
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
    pub(super) forks: Vec<Vec<Entry>>,
}

#[derive(Serialize, Deserialize)]
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
pub(super) struct Place {
    pub(super) x: u8,
    pub(super) y: u8,
}

#[derive(Serialize, Deserialize)]
pub(super) struct Time {
    pub(super) now: Clock,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) total: Option<Clock>,
}

#[derive(Serialize, Deserialize, Clone, Copy)]
pub(super) struct Clock {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) h: Option<u64>,
    #[serde(default)]
    pub(super) m: u64,
    #[serde(default)]
    pub(super) s: u64,
}
