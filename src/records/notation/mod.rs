//! Moves as people write them (▲７六歩), the names of pieces and sides that go with them, and the
//! handicaps (駒落ち).

pub mod japanese;

use crate::position::Position;

/// A handicap with its start position, or the even game. White gives the handicap and moves first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Handicap {
    /// The name in records: `平手`, `香落ち`, …
    pub name: &'static str,
    /// The name in JKF; `None` if that format has none.
    pub jkf: Option<&'static str>,
    /// White's ranks of the start position.
    camp: &'static str,
    /// White's hand in the start position.
    hand: &'static str,
    /// Whether most programs know the name. Others need the board.
    pub is_common: bool,
}

impl Handicap {
    /// The handicap with this name in records. 9枚落ち and 九枚落 are understood too.
    pub fn of_name(name: &str) -> Option<&'static Self> {
        let mut name = name.replace("１０", "十").replace("10", "十");
        let digits = ('１'..='９').zip('1'..='9').zip("一二三四五六七八九".chars());
        for ((wide, narrow), kanji) in digits {
            name = name.replace([wide, narrow], &kanji.to_string());
        }
        let name = name.trim_end_matches('ち');
        let alias = ALIASES.iter().find(|(alias, _)| *alias == name);
        let name = alias.map_or(name, |(_, name)| *name);
        HANDICAPS.iter().find(|row| row.name.trim_end_matches('ち') == name)
    }

    /// The handicap with this name in JKF.
    pub fn of_jkf(name: &str) -> Option<&'static Self> {
        HANDICAPS.iter().find(|row| row.jkf == Some(name))
    }

    /// The handicap that the position is the start of, whatever its ply.
    pub fn of_position(position: &Position) -> Option<&'static Self> {
        let sfen = position.to_sfen();
        let (found, _) = sfen.rsplit_once(' ')?;
        let is_same = |row: &&Self| row.sfen().strip_suffix(" 1") == Some(found);
        HANDICAPS.iter().find(is_same)
    }

    /// Whether the game is even.
    pub fn is_even(&self) -> bool {
        self.camp == EVEN
    }

    /// The start position, with White to move unless the game is even.
    pub fn sfen(&self) -> String {
        let Self { camp, hand, .. } = self;
        let side = if self.is_even() { "b" } else { "w" };
        format!("{camp}/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL {side} {hand} 1")
    }
}

/// Other names, without ち.
const ALIASES: &[(&str, &str)] = &[
    ("左香落", "香落"),
    ("飛落", "飛車落"),
    ("飛車香落", "飛香落"),
    ("飛角落", "二枚落"),
    ("右五枚落", "五枚落"),
    ("裸玉", "十九枚落"),
];

/// White's ranks of an even game.
const EVEN: &str = "lnsgkgsnl/1r5b1/ppppppppp";

const fn row(
    name: &'static str,
    jkf: Option<&'static str>,
    camp: &'static str,
    is_common: bool,
) -> Handicap {
    Handicap { name, jkf, camp, hand: "-", is_common }
}

/// Every handicap with a name.
pub(super) const HANDICAPS: &[Handicap] = &[
    row("平手", Some("HIRATE"), EVEN, true),
    row("香落ち", Some("KY"), "lnsgkgsn1/1r5b1/ppppppppp", true),
    row("右香落ち", Some("KY_R"), "1nsgkgsnl/1r5b1/ppppppppp", true),
    row("角落ち", Some("KA"), "lnsgkgsnl/1r7/ppppppppp", true),
    row("飛車落ち", Some("HI"), "lnsgkgsnl/7b1/ppppppppp", true),
    row("飛香落ち", Some("HIKY"), "lnsgkgsn1/7b1/ppppppppp", true),
    row("二枚落ち", Some("2"), "lnsgkgsnl/9/ppppppppp", true),
    row("三枚落ち", Some("3"), "lnsgkgsn1/9/ppppppppp", false),
    row("四枚落ち", Some("4"), "1nsgkgsn1/9/ppppppppp", true),
    row("五枚落ち", Some("5"), "2sgkgsn1/9/ppppppppp", false),
    row("左五枚落ち", Some("5_L"), "1nsgkgs2/9/ppppppppp", false),
    row("六枚落ち", Some("6"), "2sgkgs2/9/ppppppppp", true),
    row("右七枚落ち", Some("7_R"), "3gkgs2/9/ppppppppp", false),
    row("左七枚落ち", Some("7_L"), "2sgkg3/9/ppppppppp", false),
    row("八枚落ち", Some("8"), "3gkg3/9/ppppppppp", true),
    row("九枚落ち", None, "3gk4/9/ppppppppp", false),
    row("十枚落ち", Some("10"), "4k4/9/ppppppppp", true),
    row("十九枚落ち", None, "4k4/9/9", false),
    Handicap { hand: "3p", ..row("歩三兵", None, "4k4/9/9", false) },
];

#[cfg(test)]
mod tests;
