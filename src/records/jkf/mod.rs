//! Game records in JKF, JSON Kifu Format, the format of Kifu for JS
//! (`https://github.com/na2hiro/Kifu-for-JS`).
//!
//! It names squares, pieces and endings as CSA does, and headings as KIF does. Moves are written
//! with all that its schema calls normal (piece, capture, relative position); records without
//! those are read too.

mod reader;
#[cfg(test)]
mod tests;
mod writer;

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::records::csa;
use crate::records::game::Ending;
use crate::types::Color;

pub use reader::read;
pub use writer::{losses, write};

// --- Objects ---

/// The deepest nesting of variations in variations. Each level costs another look at the text, and
/// the stack of whoever reads it.
const MOST_NESTED: usize = 256;

/// A record. Forks are text while it is read, which keeps the reader from nesting as they do.
#[derive(Serialize, Deserialize)]
#[serde(bound(deserialize = "F: Deserialize<'de>"))]
#[serde(expecting = "an object with \"header\" and \"moves\"")]
struct Record<F> {
    #[serde(default)]
    header: Header,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    initial: Option<Initial>,
    moves: Vec<Entry<F>>,
}

/// The headings in their order.
#[derive(Default)]
struct Header(Vec<(String, String)>);

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
struct Initial {
    preset: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    data: Option<Data>,
}

#[derive(Serialize, Deserialize)]
#[serde(expecting = "an object with \"color\", \"board\" and \"hands\"")]
struct Data {
    /// The side to move: 0 is black.
    #[serde(default)]
    color: u8,
    /// `board[x - 1][y - 1]` is the square x, y.
    #[serde(default)]
    board: Vec<Vec<Piece>>,
    #[serde(default)]
    hands: Vec<BTreeMap<String, u32>>,
}

#[derive(Serialize, Deserialize, Default)]
#[serde(expecting = "an object with \"color\" and \"kind\"")]
struct Piece {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    color: Option<u8>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
}

/// A move, an ending, or the comments on the start position.
#[derive(Serialize, Deserialize, Default)]
#[serde(bound(deserialize = "F: Deserialize<'de>"))]
#[serde(expecting = "an object with \"move\", \"comments\" or \"special\"")]
struct Entry<F> {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    comments: Vec<String>,
    #[serde(default, skip_serializing)]
    comment: Option<String>,
    #[serde(default, rename = "move", skip_serializing_if = "Option::is_none")]
    played: Option<Played>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    time: Option<Time>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    special: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    forks: Vec<F>,
}

/// A fork that is written.
#[derive(Serialize, Default)]
#[serde(transparent)]
struct Fork(Vec<Entry<Fork>>);

#[derive(Serialize, Deserialize)]
#[serde(expecting = "an object with \"to\", \"from\" and \"piece\"")]
struct Played {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    color: Option<u8>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    from: Option<Place>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    to: Option<Place>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    piece: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    same: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    promote: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    capture: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    relative: Option<String>,
}

#[derive(Serialize, Deserialize, Clone, Copy)]
#[serde(expecting = "an object with \"x\" and \"y\"")]
struct Place {
    x: u8,
    y: u8,
}

#[derive(Serialize, Deserialize)]
#[serde(expecting = "an object with \"now\" and \"total\"")]
struct Time {
    now: Clock,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    total: Option<Clock>,
}

/// Whole numbers in the standard; some programs write decimals.
#[derive(Serialize, Deserialize)]
#[serde(expecting = "an object with \"m\" and \"s\"")]
struct Clock {
    #[serde(default, skip_serializing_if = "Value::is_null")]
    h: Value,
    #[serde(default)]
    m: Value,
    #[serde(default)]
    s: Value,
}

/// The letters of `relative`, and the words for them.
const RELATIVE: [(char, char); 7] = [
    ('L', '左'),
    ('C', '直'),
    ('R', '右'),
    ('U', '上'),
    ('M', '寄'),
    ('D', '引'),
    ('H', '打'),
];

// --- Endings ---

/// The word for an ending. A checkmate has its own, unlike in records of servers.
fn word(ending: &Ending, side: Color) -> Option<&'static str> {
    match ending {
        Ending::Checkmate => Some("TSUMI"),
        _ => csa::word_of_ending(ending, side).and_then(|word| word.strip_prefix('%')),
    }
}

/// Whether the word alone is read back as the ending.
fn is_exact(ending: &Ending) -> bool {
    *ending == Ending::Checkmate || csa::is_exact(ending)
}
