//! The names of openings (戦型) and castles (囲い), told from the moves of a game.
//!
//! `TABLE` is all that is known about them. A row holds in a position if one of its alternatives,
//! separated by ` | `, does: all of its conditions, separated by blanks. The board is that of
//! black's view for both sides, white's turned by 180 degrees.
//!
//! | condition | meaning |
//! |---|---|
//! | `S77,88` | an own silver on 7七 or 8八 |
//! | `R6*`, `*77` | an own rook on file 6, any own piece on 7七 |
//! | `p34`, `b@` | a pawn of the other side on 3四, a bishop in its hand |
//! | `△` | the side is white |
//! | `四間飛車`, `~四間飛車` | the row of this name held before for this side, for the other one |
//! | `!` before one of these | the opposite |

#[cfg(test)]
mod tests;

use std::{cmp::Reverse, ops::RangeInclusive};

use serde::Serialize;

use super::{GameRecord, notation::Handicap};
use crate::position::Position;
use crate::types::{Color, Move, PieceType, Square};

/// The heading of KIF for the opening.
pub const HEADING: &str = "戦型";

/// What a name is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// How a side uses its rook.
    Style,
    /// What other rows refer to.
    Event,
    /// An opening, of the game as a whole.
    Opening,
    /// A castle of one side.
    Castle,
}

/// A row of `TABLE`.
#[derive(PartialEq, Eq, Debug, Serialize)]
pub struct Formation {
    /// The name in Japanese.
    pub ja: &'static str,
    /// The name in English.
    pub en: &'static str,
    #[serde(skip)]
    kind: Kind,
    /// A more special name has a higher rank; it wins over those below, whichever came first.
    #[serde(skip)]
    rank: u32,
    /// The plies after which it may appear.
    #[serde(skip)]
    plies: RangeInclusive<usize>,
    #[serde(skip)]
    conditions: &'static str,
}

/// A name, and the ply after which its conditions held first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Found {
    /// What it is called.
    #[serde(flatten)]
    pub formation: &'static Formation,
    /// The number of moves before it, 0 for the start.
    pub ply: usize,
}

/// The names in a game; by [`Color::index`] where each side has its own.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Formations {
    /// The opening; `None` where the game is too short or did not begin as games do.
    pub opening: Option<Found>,
    /// 居飛車 or 振り飛車.
    pub styles: [Option<Found>; Color::NUM],
    /// The most developed castle of each side.
    pub castles: [Option<Found>; Color::NUM],
}

macro_rules! table {
    ($($kind:ident $rank:literal $plies:expr, $ja:literal $en:literal: $conditions:literal;)+) => {
        &[$(Formation {
            ja: $ja,
            en: $en,
            kind: Kind::$kind,
            rank: $rank,
            plies: $plies,
            conditions: $conditions,
        }),+]
    };
}

/// All names. What a row refers to held after an earlier ply, or stands above it.
const TABLE: &[Formation] = table! {
    // White's bishop took black's where it stood, which costs white a move.
    Opening 47 0..=16, "一手損角換わり" "Tempo-Loss Bishop Exchange": "△ B@ b@ s22 !角交換";
    Event 0 0..=80, "角交換" "": "B@ b@";
    Event 0 0..=16, "早い角交換" "": "B@ b@";

    // --- Openings with a ranging rook: it leaves its file, whose pawn is still there ---
    Event 0 0..=36, "飛車先" "": "P26,25 !振り飛車";
    Opening 70 0..=36, "中飛車" "Central Rook": "R58 P57,56,55 P27,26,25 !振り飛車 !K6*,7*,8*,9*";
    Opening 70 0..=36, "四間飛車" "Fourth-File Rook":
        "R68 P67,66,65 P27,26,25 !振り飛車 !K6*,7*,8*,9*";
    Opening 70 0..=36, "三間飛車" "Third-File Rook":
        "R78 P77,76,75 P27,26,25 !振り飛車 !K6*,7*,8*,9*";
    Opening 70 0..=36, "向かい飛車" "Opposing Rook":
        "R88 P87,86,85 P27,26,25 *77 !振り飛車 !K6*,7*,8*,9* | R88 !P87,86,85 P27 *77 !K6*,7*,8*,9*";
    Style 1 0..=36, "振り飛車" "Ranging Rook": "中飛車 | 四間飛車 | 三間飛車 | 向かい飛車";
    Opening 80 0..=20, "ゴキゲン中飛車" "Cheerful Central Rook": "△ 中飛車 R58 P56,55 P76 P67";
    Opening 80 0..=40, "ツノ銀中飛車" "Horned-Silver Central Rook": "中飛車 R58,59 P66 S67 S47";
    Opening 80 0..=16, "早石田" "Quick Ishida": "三間飛車 R78 P75 P67 p34";
    Opening 82 0..=50, "石田流" "Ishida": "振り飛車 R76 P75";
    Opening 84 0..=30, "升田式石田流" "Masuda's Ishida": "早石田 R76 P75 角交換";
    Opening 80 0..=36, "角交換四間飛車" "Bishop-Exchange Fourth-File Rook":
        "四間飛車 P67 角交換 | 四間飛車 早い角交換";
    Opening 80 0..=30, "ダイレクト向かい飛車" "Direct Opposing Rook": "R88 向かい飛車 角交換";
    Opening 84 0..=36, "阪田流向かい飛車" "Sakata's Opposing Rook": "R88 向かい飛車 角交換 G77";
    Opening 80 0..=40, "藤井システム" "Fujii System": "四間飛車 K59,48 G58 S38 P15 P46 P36";
    Opening 80 0..=14, "鬼殺し" "Demon Slayer": "N65 P75";
    Opening 85 0..=14, "筋違い角" "Wrong-Diagonal Bishop": "B45,34 P76 b@";
    Opening 82 0..=36, "陽動振り飛車" "Feint Ranging Rook": "振り飛車 飛車先";
    Opening 90 0..=50, "相振り飛車" "Double Ranging Rook": "振り飛車 ~振り飛車";

    // --- Openings without one ---
    Style 0 8..=80, "居飛車" "Static Rook": "!振り飛車 R2* !P27 | !振り飛車 R3*,4*";
    Opening 0 30..=30, "力戦" "Free Style": "";
    Opening 20 0..=24, "棒銀" "Climbing Silver": "!振り飛車 S26 P25";
    Opening 20 0..=24, "袖飛車" "Sleeve Rook": "!振り飛車 R38 P36,35";
    Opening 25 0..=14, "嬉野流" "Ureshino Style": "S68,57 B79 P77";
    Opening 30 0..=40, "矢倉" "Yagura":
        "!振り飛車 !~振り飛車 S77 P76 G78 !B@ | !振り飛車 !~振り飛車 S77 P76 P66 !B@";
    Opening 32 0..=50, "矢倉棒銀" "Yagura Climbing Silver": "矢倉 S26 | ~矢倉 S26";
    Opening 32 0..=50, "雀刺し" "Sparrow Skewer": "矢倉 L17 R18";
    Opening 32 0..=60, "脇システム" "Waki System": "矢倉 ~矢倉 B46 b64";
    Opening 35 0..=44, "雁木" "Snow Roof": "!振り飛車 !~振り飛車 S67 P66 G78 !B@";
    Opening 36 0..=24, "５筋位取り" "Fifth-File Vanguard":
        "!振り飛車 !~振り飛車 P55 S57,56,46,66 !B@";
    Opening 40 0..=20, "角換わり" "Bishop Exchange": "!振り飛車 !~振り飛車 B@ b@ S77,88";
    Opening 45 0..=50, "角換わり腰掛け銀" "Bishop Exchange Reclining Silver":
        "角換わり S56 P57 | ~角換わり S56 P57";
    Opening 45 0..=50, "角換わり早繰り銀" "Bishop Exchange Rushing Silver":
        "角換わり S46 | ~角換わり S46";
    Opening 45 0..=50, "角換わり棒銀" "Bishop Exchange Climbing Silver":
        "角換わり S26 | ~角換わり S26";
    Opening 50 0..=24, "相掛かり" "Double Wing Attack":
        "!振り飛車 !~振り飛車 !角交換 R2* !P2* !p83 g32 P77 | \
         !振り飛車 !~振り飛車 !角交換 R2* !P2* !p83 g32 p33 | \
         !振り飛車 !~振り飛車 !角交換 R2* !P2* !p8* g32";
    Opening 52 0..=36, "相掛かり棒銀" "Double Wing Climbing Silver":
        "相掛かり S26 | ~相掛かり S26";
    Opening 52 0..=36, "相掛かり腰掛け銀" "Double Wing Reclining Silver":
        "相掛かり S56 P57 !角交換 | ~相掛かり S56 P57 !角交換";
    Opening 55 0..=20, "横歩取り" "Side Pawn Capture": "R34 !P2* !p8* P76 !角交換";
    Opening 57 0..=20, "相横歩取り" "Double Side Pawn Capture": "R34 ~横歩取り";
    Opening 58 0..=50, "ひねり飛車" "Twisting Rook": "!振り飛車 !角交換 !P2* R76,86 P75 N77";
    Opening 75 0..=44, "右四間飛車" "Right Fourth-File Rook": "!振り飛車 R48 P46,45 S56 !角交換";
    Opening 58 0..=60, "右玉" "Right King": "!振り飛車 K38,48 R29 N37 S47";

    // --- Castles on the left, the king away from its own rook ---
    Castle 1 40..=40, "居玉" "Sitting King": "K59";
    Castle 5 0..=40, "無敵囲い" "Invincible Castle": "K59 R58 S48 S68";
    Castle 10 0..=60, "カニ囲い" "Crab Castle": "K69 S68 G78 G58";
    Castle 15 0..=60, "中住まい" "Central House": "K58 G78 G38 | K58 G78 G48,49 !S39 !振り飛車";
    Castle 17 0..=60, "中原囲い" "Nakahara Castle": "K69 G59 G78 S48";
    Castle 20 0..=80, "舟囲い" "Boat Castle": "K78 S79 G69 G58";
    Castle 21 0..=80, "箱入り娘" "Box Castle": "K78 S79 G69 G68";
    Castle 25 0..=80, "雁木囲い" "Snow Roof Castle": "S67 G78 P66 S57,47 K69,68,59,58,79 !振り飛車";
    Castle 30 0..=80, "エルモ囲い" "Elmo Castle": "K78 S68 G79";
    Castle 30 0..=80, "左美濃" "Left Mino": "K88 S78 G69,58,68";
    Castle 31 0..=80, "天守閣美濃" "Castle-Tower Mino": "K87 S78";
    Castle 32 0..=80, "右玉" "Right King Castle": "!振り飛車 K38,48 R29 N37 S47";
    Castle 40 0..=100, "矢倉囲い" "Yagura Castle":
        "K88,79 S77 G78 G67 | K88 S77 G78 G68 角交換";
    Castle 40 0..=100, "銀矢倉" "Silver Yagura": "K88,79 S77 G78 S67";
    Castle 40 0..=100, "片矢倉" "Half Yagura": "K78 S77 G68 G67";
    Castle 41 0..=100, "総矢倉" "Complete Yagura": "K88 S77 G78 G67 S57";
    Castle 41 0..=100, "菱矢倉" "Diamond Yagura": "K88 S77 S66 G78 G67";
    Castle 45 0..=100, "ミレニアム" "Millennium Castle": "K89 N77 S88 | K29 N37 S28,38 振り飛車";
    Castle 46 0..=100, "菊水矢倉" "Kikusui Yagura": "K89 N77 S88 G78 G67 !~振り飛車";
    Castle 52 0..=120, "米長玉" "Yonenaga King": "K98 S87 G78,88";
    Castle 60 0..=120, "居飛車穴熊" "Static Rook Anaguma": "K99 L98 S88 !振り飛車 | K99 L98 G88 !振り飛車";
    Castle 62 0..=120, "矢倉穴熊" "Yagura Anaguma": "K99 L98 S77 G78";
    Castle 65 0..=120, "松尾流穴熊" "Matsuo's Anaguma": "K99 L98 S88 S79 G78";
    Castle 66 0..=120, "ビッグ４" "Big Four": "K99 L98 G88 G78 S87 S77";

    // --- Castles on the right ---
    Castle 20 0..=80, "片美濃" "Half Mino": "K28 S38 G49";
    Castle 25 0..=80, "木村美濃" "Kimura Mino": "K28 G38 S47";
    Castle 30 0..=80, "金無双" "Two Gold Castle": "K38 G48 G58 S28";
    Castle 30 0..=80, "美濃囲い" "Mino Castle": "K28 S38 G49 G58";
    Castle 31 0..=80, "銀美濃" "Silver Mino": "K28 S38 S58 G49";
    Castle 35 0..=80, "高美濃" "High Mino": "K28 S38 G49 G47";
    Castle 36 0..=80, "ダイヤモンド美濃" "Diamond Mino": "K28 S38 S47 G49 G58";
    Castle 40 0..=100, "右矢倉" "Right Yagura": "K28 S37 G38 G47";
    Castle 50 0..=120, "銀冠" "Silver Crown": "K28 S27 G38 | K88 S87 G78";
    Castle 60 0..=120, "振り飛車穴熊" "Ranging Rook Anaguma": "K19 L18 S28 | K19 L18 G28";
    Castle 64 0..=120, "銀冠穴熊" "Silver Crown Anaguma": "K99 L98 S87 G88 | K19 L18 S27 G28";
};

impl Formations {
    /// The names in a recorded game.
    pub fn of_record(record: &GameRecord) -> Self {
        let moves: Vec<Move> = record.moves.iter().map(|played| played.mv).collect();
        Self::of_game(&record.start, &moves)
    }

    /// The names in a game with these moves, each legal in its position.
    pub fn of_game(start: &Position, moves: &[Move]) -> Self {
        let mut position = start.clone();
        // [side][row]: the ply after which it held first.
        let mut plies = [[None; TABLE.len()]; Color::NUM];
        let last = TABLE.iter().map(|row| *row.plies.end()).max().unwrap_or_default();
        for ply in 0..=moves.len().min(last) {
            for (index, row) in TABLE.iter().enumerate() {
                for side in Color::ALL {
                    if row.plies.contains(&ply)
                        && plies[side.index()][index].is_none()
                        && row.holds(&position, side, &plies)
                    {
                        plies[side.index()][index] = Some(ply);
                    }
                }
            }
            if let Some(&mv) = moves.get(ply) {
                position.do_move(mv);
            }
        }
        let best = |kind: Kind, sides: &[Color]| {
            let found = sides.iter().flat_map(|side| TABLE.iter().zip(plies[side.index()]));
            let found = found.filter(|(row, _)| row.kind == kind);
            let found = found.filter_map(|(formation, ply)| Some(Found { formation, ply: ply? }));
            found.max_by_key(|found| (found.formation.rank, Reverse(found.ply)))
        };
        let is_known = Handicap::of_position(start).is_some();
        Self {
            opening: best(Kind::Opening, &Color::ALL).filter(|_| is_known),
            styles: Color::ALL.map(|side| best(Kind::Style, &[side])),
            castles: Color::ALL.map(|side| best(Kind::Castle, &[side])),
        }
    }
}

impl Formation {
    /// Whether the conditions hold for a side in a position, where `plies` has what held before.
    fn holds(
        &self,
        position: &Position,
        side: Color,
        plies: &[[Option<usize>; TABLE.len()]; Color::NUM],
    ) -> bool {
        let held = |name: &str, side: Color| {
            let row = TABLE.iter().position(|row| row.ja == name);
            row.is_some_and(|row| plies[side.index()][row].is_some())
        };
        let holds = |condition: &str| {
            let plain = condition.trim_start_matches('!');
            let holds = match (plain, plain.strip_prefix('~')) {
                ("△", _) => side == Color::White,
                (_, Some(name)) => held(name, !side),
                _ if plain.is_ascii() => has_piece(plain, position, side),
                _ => held(plain, side),
            };
            holds == (plain == condition)
        };
        let mut alternatives = self.conditions.split(" | ");
        alternatives.any(|conditions| conditions.split_whitespace().all(holds))
    }
}

/// Whether one of the squares of a condition such as `S77,88` has the piece, as `side` sees it.
fn has_piece(condition: &str, position: &Position, side: Color) -> bool {
    let (letter, squares) = condition.split_at(1);
    let letter = letter.chars().next().unwrap_or_default();
    let kind = PieceType::from_letter(letter.to_ascii_uppercase());
    let owner = if letter.is_ascii_lowercase() { !side } else { side };
    if squares == "@" {
        return kind.is_some_and(|kind| position.hand(owner).has(kind));
    }
    let board = position.board();
    let pieces = kind.map_or(board.color(owner), |kind| board.pieces(owner, kind));
    let is_on = |square: Square| {
        let seen = if side == Color::Black { square } else { square.rotated() };
        let digits = [seen.file().index(), seen.rank().index()].map(|index| b'1' + index as u8);
        let is_seen = |pattern: &str| {
            pattern.bytes().zip(digits).all(|(wanted, found)| wanted == b'*' || wanted == found)
        };
        squares.split(',').any(is_seen)
    };
    pieces.into_iter().any(is_on)
}
