//! Writes the games of a file.

use super::format::{TextEncoding, TextFormat};
use crate::records::encoding::encode_shift_jis;
use crate::records::game::GameRecord;
use crate::records::kif::Style;
use crate::records::{csa, jkf, kif};

/// The bytes of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Written {
    /// What goes into the file.
    pub bytes: Vec<u8>,
    /// The encoding, which is UTF-8 where the one wished for lacks letters of the game.
    pub encoding: TextEncoding,
}

impl TextFormat {
    /// The bytes of a game. Several games of a format that [`holds_many`](Self::holds_many) have
    /// its [`separator`](Self::separator) between them. Only KIF and KI2 may be in Shift JIS.
    pub fn write(self, record: &GameRecord, encoding: TextEncoding) -> Written {
        let style = match self {
            Self::Kif => Style::Kif,
            Self::Ki2 => Style::Ki2,
            _ => return Written::utf8(self.text(record)),
        };
        if encoding == TextEncoding::ShiftJis
            && let Some(bytes) = encode_shift_jis(&kif::write(record, style, "Shift_JIS"))
        {
            return Written { bytes, encoding };
        }
        Written::utf8(kif::write(record, style, "UTF-8"))
    }

    /// What stands between two games of a file.
    pub const fn separator(self) -> &'static str {
        match self {
            Self::Csa => "/\n",
            _ => "",
        }
    }

    /// The text of a game in UTF-8.
    pub fn text(self, record: &GameRecord) -> String {
        match self {
            Self::Csa => {
                let mut bytes = Vec::new();
                // A vector takes everything.
                let _ = csa::write(record, &mut bytes);
                String::from_utf8_lossy(&bytes).into_owned()
            }
            Self::Kif => kif::write(record, Style::Kif, "UTF-8"),
            Self::Ki2 => kif::write(record, Style::Ki2, "UTF-8"),
            Self::Jkf => jkf::write(record),
            Self::Usi => format!("{}\n", record.line()),
        }
    }
}

impl Written {
    fn utf8(text: String) -> Self {
        Self {
            bytes: text.into_bytes(),
            encoding: TextEncoding::Utf8,
        }
    }
}
