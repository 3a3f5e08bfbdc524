//! The small types as text: reading what they display, and serde by the same text.

use std::{borrow::Cow, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use thiserror::Error;

use super::{Color, EnteringKingRule, Move, Move16, Piece, PieceType, Square};

/// A text that is not a value of the type.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("'{text}' is not {expected}")]
pub struct TypeTextError {
    /// The text that could not be read.
    pub text: String,
    /// What was expected, such as "a square such as 7g".
    pub expected: &'static str,
}

/// Reads a type by a function that knows its text.
macro_rules! from_text {
    ($($type:ty: $expected:literal, $read:expr;)+) => {$(
        impl FromStr for $type {
            type Err = TypeTextError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                let read: fn(&str) -> Option<Self> = $read;
                let expected = $expected;
                read(text).ok_or_else(|| TypeTextError { text: text.to_owned(), expected })
            }
        }
    )+};
}

from_text! {
    Square: "a square such as 7g", Self::from_text;
    Piece: "a piece such as P for black or +r for white", piece_of;
    PieceType: "a kind of piece such as P or +R", |text| {
        piece_of(text).filter(|piece| piece.color() == Color::Black).map(Piece::kind)
    };
    Color: "a side, b or w", |text| Self::ALL.into_iter().find(|side| side.to_string() == text);
}

fn piece_of(text: &str) -> Option<Piece> {
    let letter = text.strip_prefix('+').unwrap_or(text);
    let mut letters = letter.chars();
    let piece = Piece::from_letter(letters.next()?).filter(|_| letters.next().is_none())?;
    if letter == text { Some(piece) } else { piece.promoted() }
}

/// Writes a type as the text that it displays.
macro_rules! serialize_text {
    ($($type:ty),+) => {$(
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }
    )+};
}

serialize_text!(Square, Piece, PieceType, Move, Move16, EnteringKingRule);

/// Reads a type from such a text.
macro_rules! deserialize_text {
    ($($type:ty),+) => {$(
        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = Cow::<str>::deserialize(deserializer)?;
                text.parse().map_err(de::Error::custom)
            }
        }
    )+};
}

pub(crate) use deserialize_text;

deserialize_text!(Square, Piece, PieceType, Move16, EnteringKingRule);

#[cfg(test)]
mod tests {
    use std::fmt::{Debug, Display};

    use serde::de::DeserializeOwned;

    use super::*;

    /// Checks that a value is read from its text, and by serde from the same text as JSON.
    fn round_trips<T>(value: &T)
    where
        T: FromStr<Err: Debug> + Display + Debug + PartialEq + Serialize + DeserializeOwned,
    {
        let text = value.to_string();
        assert_eq!(text.parse::<T>().as_ref().expect("its own text"), value);
        let json = serde_json::to_string(value).expect("it is written");
        assert_eq!(&serde_json::from_str::<T>(&json).expect("it is read"), value, "{json}");
    }

    #[test]
    fn small_types_are_read_from_what_they_display() {
        Square::ALL.iter().for_each(round_trips);
        Piece::ALL.iter().for_each(round_trips);
        PieceType::ALL.iter().for_each(round_trips);
        EnteringKingRule::ALL.iter().for_each(round_trips);
        Color::ALL.iter().for_each(round_trips);
        for text in ["7g7f", "8h2b+", "P*5e"] {
            round_trips::<Move16>(&text.parse().expect("a move"));
        }
        assert_eq!(serde_json::to_string(&Square::S77).expect("it is written"), "\"7g\"");
    }

    #[test]
    fn other_texts_are_named_in_the_error() {
        for wrong in ["", "7", "7g7", "g7", "７g", "0a"] {
            let error = wrong.parse::<Square>().expect_err(wrong).to_string();
            assert_eq!(error, format!("'{wrong}' is not a square such as 7g"));
        }
        for wrong in ["", "+", "+g", "+K", "PP", "x", "++P"] {
            assert!(wrong.parse::<Piece>().is_err(), "{wrong}");
        }
        assert!("p".parse::<PieceType>().is_err() && "black".parse::<Color>().is_err());
        assert!(serde_json::from_str::<Square>("\"7x\"").is_err());
        assert!(serde_json::from_str::<Square>("7").is_err());
    }
}
