//! Sample matches and games for the tests of this module.

use std::{path::PathBuf, time::Duration};

use super::journal::{GameEntry, Optimism, Overhead, PlayerFigures};
use super::referee::{EndReason, Rules};
use super::settings::{EngineSettings, Format, MatchSettings};
use super::{summary::Tally, time_control::TimeControl};
use crate::openings::{OpeningSettings, Order, Source};
use crate::{types::Color, usi::client::Program};

/// A round-robin match between engines of these names.
pub(super) fn settings(names: &[&str], games: Option<u64>) -> MatchSettings {
    MatchSettings {
        engines: names.iter().map(|name| engine(name)).collect(),
        format: Format::RoundRobin,
        games,
        rules: Rules::default(),
        openings: OpeningSettings {
            source: Source::Startpos,
            order: Order::Sequential,
            max_imbalance: None,
            seed: 1,
        },
        ponder: false,
        sprt: None,
        shard: None,
    }
}

fn engine(name: &str) -> EngineSettings {
    EngineSettings {
        name: name.to_owned(),
        program: Program::new(name),
        options: vec![("USI_Hash".to_owned(), "16".to_owned())],
        time_control: TimeControl { nodes: Some(1000), ..TimeControl::default() },
    }
}

/// A game of the match, won by the engine `winner`, or drawn.
pub(super) fn entry(
    settings: &MatchSettings,
    game: u64,
    winner: Option<&str>,
    reason: EndReason,
) -> GameEntry {
    let fixture = settings.fixture(game).expect("a game of the match");
    let names = fixture.players.map(|engine| settings.engines[engine].name.clone());
    let color_of = |name: &str| {
        let is_player = |color: &Color| names[color.index()] == name;
        Color::ALL.into_iter().find(is_player)
    };
    let winner = winner.map(|name| color_of(name).expect("the winner plays"));
    let [black, white] = names;
    GameEntry {
        game,
        winner,
        reason,
        detail: String::new(),
        line: "startpos moves 7g7f 3c3d 2g2f".to_owned(),
        moves: 2,
        opening_moves: 1,
        figures: [10, 20].map(figures),
        optimism: Optimism::default(),
        overhead: Overhead {
            sum: Duration::from_micros(100),
            longest: Duration::from_micros(100 + game),
            count: 2,
        },
        time_loss: None,
        dialogue: None,
        record: PathBuf::from(format!("csa/{game:06}-{black}-{white}.csa")),
        black,
        white,
    }
}

/// The sums over these games.
pub(super) fn tally_of(settings: &MatchSettings, entries: &[GameEntry]) -> Tally {
    let mut tally = Tally::new(settings);
    for entry in entries {
        assert_eq!(tally.add(entry), Ok(()));
    }
    tally
}

/// Statistics of moves with 50 milliseconds, 500 nodes and depth 7 each.
fn figures(moves: u64) -> PlayerFigures {
    PlayerFigures {
        moves,
        time: Duration::from_millis(50 * moves),
        longest: Duration::from_millis(90 + moves),
        nodes: 500 * moves,
        depth_sum: 7 * moves,
        depth_count: moves,
    }
}
