//! The choice of the held-out (validation) games.
//!
//! Whole games are held out, so that training positions are not correlated with them. The choice
//! depends on the seed, the name of the file and the number of the game only: adding files does not
//! change it.

use std::path::Path;

use crate::records::teacher::Span;
use crate::util::mixed;

/// The choice among the records of one file. Every record must be asked for in order, bad ones
/// included. A copy chooses in the same way from there on.
#[derive(Clone, Copy, Debug)]
pub(super) struct HeldOutGames {
    /// Hash of the seed and the file name.
    salt: u64,
    /// Probability of a game, times 2^32.
    share: f64,
    /// Number of records so far.
    count: u64,
    /// The span of the previous record, and whether it is held out.
    last: Option<(Span, bool)>,
}

/// What a record is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Choice {
    /// Whether it begins a game: neither another part of the previous one nor a single position.
    pub(super) begins_game: bool,
    /// Whether its game is held out.
    pub(super) is_held_out: bool,
}

impl Choice {
    /// A record without a game.
    const NO_GAME: Self = Self {
        begins_game: false,
        is_held_out: false,
    };
}

impl HeldOutGames {
    /// The choice for a file; `share` of its games are held out, 0 to 1.
    pub(super) fn new(file: &Path, share: f64, seed: u64) -> Self {
        let name = file.file_name().unwrap_or_default();
        let name = u64::from(crc32fast::hash(name.as_encoded_bytes()));
        Self {
            salt: mixed(seed ^ name),
            share: share * f64::from(u32::MAX),
            count: 0,
            last: None,
        }
    }

    /// The choice after this number of records, the last of which is no game.
    pub(super) const fn after(mut self, records: u64) -> Self {
        self.count = records;
        self.last = None;
        self
    }

    /// Number of records so far.
    pub(super) const fn records(&self) -> u64 {
        self.count
    }

    /// Whether the next record is held out, by the part of a game that it holds; `None` stands for
    /// a record that cannot be read or has no game. Positions without a game are never held out.
    ///
    /// All parts of a game are treated alike.
    pub(super) fn choose(&mut self, span: Option<Span>) -> Choice {
        let number = self.count;
        self.count += 1;
        let last = self.last.take();
        let Some(span) = span else {
            return Choice::NO_GAME;
        };
        let previous = last.filter(|(last, _)| last.goes_on_with(span));
        let is_held_out = previous.map_or_else(
            || f64::from((mixed(self.salt ^ number) >> u32::BITS) as u32) < self.share,
            |(_, is_held_out)| is_held_out,
        );
        self.last = Some((span, is_held_out));
        Choice {
            begins_game: previous.is_none(),
            is_held_out,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::Position;
    use crate::records::game::GameResult;
    use crate::records::pack::{PackGame, PackReason};
    use crate::records::packed::PackedSfen;
    use crate::records::sfen_line::SfenLine;
    use crate::records::teacher::Record;
    use crate::types::Color;

    const COUNT: usize = 10_000;

    fn record(line: &str, winner: Color) -> Record {
        let line: SfenLine = line.parse().expect("a good line");
        Record::from(PackGame {
            start: line.start,
            moves: line.moves.into_iter().map(|mv| (mv, 0)).collect(),
            result: GameResult::Win(winner),
            reason: PackReason::RESIGNATION,
        })
    }

    /// Which of these records are chosen when they come again and again.
    fn chosen(name: &str, seed: u64, records: &[Record]) -> Vec<usize> {
        let records = records.iter().cycle().take(COUNT);
        let mut games = HeldOutGames::new(Path::new(name), 0.1, seed);
        let chosen = records.map(|record| games.choose(Span::of_game(record)).is_held_out);
        let chosen: Vec<bool> = chosen.collect();
        (0..chosen.len()).filter(|&index| chosen[index]).collect()
    }

    #[test]
    fn the_asked_part_of_the_games_is_held_out() {
        let game = record("startpos moves 7g7f 3c3d", Color::Black);
        let games = [game];
        let found = chosen("games-0001.pack", 3, &games);
        assert!((900..1100).contains(&found.len()), "{}", found.len());
        assert_eq!(found, chosen("elsewhere/games-0001.pack", 3, &games));
        assert_ne!(found, chosen("games-0002.pack", 3, &games));
        assert_ne!(found, chosen("games-0001.pack", 4, &games));
    }

    #[test]
    fn the_parts_of_a_game_go_the_same_way() {
        let first = "startpos moves 7g7f 3c3d";
        // A ply is missing between the two.
        let second =
            "sfen lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P4P1/PP1PPPP1P/1B5R1/LNSGKGSNL w - 4 moves 8c8d";
        let (black, white) = (Color::Black, Color::White);
        let of_one = [record(first, black), record(second, black)];
        let found = chosen("a.pack", 1, &of_one);
        assert!(found.len() > 100, "{}", found.len());
        for pair in found.chunks(2) {
            assert_eq!((pair[0] % 2, pair[1]), (0, pair[0] + 1));
        }
        let mut games = HeldOutGames::new(Path::new("a.pack"), 0.1, 1);
        let begins = of_one
            .each_ref()
            .map(|record| games.choose(Span::of_game(record)).begins_game);
        assert_eq!(begins, [true, false]);
        // Another result, or a part that lies before the previous one: other games.
        for games in [
            [record(first, black), record(second, white)],
            [record(second, black), record(second, black)],
        ] {
            let found = chosen("a.pack", 1, &games);
            let is_alone = |&&index: &&usize| !found.contains(&(index ^ 1));
            assert!(found.iter().filter(is_alone).count() > found.len() / 2);
        }
    }

    #[test]
    fn positions_without_games_are_never_held_out() {
        let mut games = HeldOutGames::new(Path::new("a.psv"), 1.0, 1);
        let position: Position = Position::startpos();
        let packed = PackedSfen::of(&position);
        for span in [Span::of_game(&Record::Position(packed, 1)), None] {
            assert_eq!(games.choose(span), Choice::NO_GAME);
        }
    }
}
