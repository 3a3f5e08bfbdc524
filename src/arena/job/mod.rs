//! The games of a match as a [`Job`], and their order and results as a [`Plan`].
//!
//! Each thread keeps the engine processes of its current pairing. They end when the thread turns to
//! another pairing.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use super::error::{FAILURES_IN_A_ROW, MatchError};
use super::event::Event;
use super::game::{self, GameContext, PlayedGame};
use super::game_files::{self, GameFiles};
use super::journal::{MatchFolder, PlayerFigures};
use super::openings::{Opening, Openings};
use super::player::Player;
use super::referee::{Reason, Verdict};
use super::settings::{Fixture, MatchSettings};
use super::sprt;
use super::tally::Tally;
use crate::runs::{Job, Plan, Stop};
use crate::types::Color;

#[cfg(test)]
mod tests;

/// Plays the games of a match.
pub(super) struct Games<'a> {
    pub(super) context: GameContext<'a>,
    pub(super) on_event: &'a (dyn Fn(Event<'_>) + Sync),
}

/// A scheduled game with its opening.
pub(super) struct Piece {
    fixture: Fixture,
    opening: Opening,
}

/// A finished game; also one that an engine lost because it did not become ready.
pub(super) struct Finished {
    files: GameFiles,
    /// The dialogue of both engines, if one of them committed a fault.
    dialogue: Option<String>,
    verdict: Verdict,
}

/// The engine processes of a thread, by index of the engine.
type Players = HashMap<usize, Player>;

impl Job for Games<'_> {
    type Worker = Players;
    type Piece = Piece;
    type Output = Finished;
    type Error = MatchError;

    fn worker(&self) -> Result<Players, MatchError> {
        Ok(Players::new())
    }

    fn perform(
        &self,
        players: &mut Players,
        piece: &Piece,
    ) -> Result<Option<Finished>, MatchError> {
        let (fixture, opening) = (piece.fixture, &piece.opening);
        let started_at = jiff::Zoned::now();
        let played = match self.prepare_players(fixture, players) {
            Ok(()) => {
                let [black, white] = fixture.players.each_ref();
                let [Some(black), Some(white)] = players.get_disjoint_mut([black, white]) else {
                    unreachable!("both engines are running");
                };
                match game::play(&self.context, fixture, opening, &mut [black, white]) {
                    Some(played) => played,
                    None => return Ok(None),
                }
            }
            Err(_) if self.context.is_stopped_too() => return Ok(None),
            Err(verdict) => unplayed(verdict),
        };
        let settings = self.context.settings;
        let files = game_files::compose(settings, fixture, opening, &played, &started_at);
        let dialogue = files.entry.dialogue.is_some().then(|| {
            let dialogues = fixture
                .players
                .map(|engine| players.get(&engine).map(Player::dialogue));
            game_files::dialogue_text(&files.entry, dialogues)
        });
        let verdict = played.verdict;
        if let Some(winner) = verdict.winner
            && matches!(
                verdict.reason,
                Reason::Hang | Reason::Crash | Reason::NotReady
            )
        {
            // An engine that no longer answers is killed; a new process plays the next game.
            players.remove(&fixture.players[(!winner).index()]);
        }
        Ok(Some(Finished {
            files,
            dialogue,
            verdict,
        }))
    }

    fn end_worker(&self, players: Players) {
        for player in players.into_values() {
            player.quit();
        }
    }
}

impl Games<'_> {
    /// Prepares both engines for a game; starts those that are not running.
    fn prepare_players(&self, fixture: Fixture, players: &mut Players) -> Result<(), Verdict> {
        let GameContext { settings, stop, .. } = self.context;
        for (_, player) in players.extract_if(|engine, _| !fixture.players.contains(engine)) {
            player.quit();
        }
        for color in Color::ALL {
            let engine = fixture.players[color.index()];
            let named = &settings.engines[engine];
            if let Some(player) = players.get_mut(&engine) {
                match player.new_game(stop) {
                    Ok(()) => continue,
                    Err(error) => (self.on_event)(Event::Note(format!(
                        "{} was not ready for game {} and is started anew: {error}",
                        named.name, fixture.game
                    ))),
                }
                players.remove(&engine);
            }
            let started = Player::start(named, &settings.rules, settings.ponder, stop).and_then(
                |mut player| {
                    player.new_game(stop)?;
                    Ok(player)
                },
            );
            match started {
                Ok(player) => drop(players.insert(engine, player)),
                Err(error) => {
                    return Err(Verdict::loss(color, Reason::NotReady, error.to_string()));
                }
            }
        }
        Ok(())
    }
}

/// A game that ended before it began.
fn unplayed(verdict: Verdict) -> PlayedGame {
    PlayedGame {
        verdict,
        moves: Vec::new(),
        figures: [PlayerFigures::default(), PlayerFigures::default()],
        overhead: (Duration::ZERO, Duration::ZERO, 0),
        time_loss: None,
    }
}

/// The order of the games, and their results.
pub(super) struct Schedule<'a> {
    settings: &'a MatchSettings,
    stop: &'a Stop,
    on_event: &'a (dyn Fn(Event<'_>) + Sync),
    openings: Openings,
    folder: MatchFolder,
    tally: Tally,
    /// The number of the next game to consider.
    next: u64,
    /// Whether a match without a fixed number of games has used all openings.
    is_out_of_openings: bool,
    /// Consecutive games for which an engine did not become ready, by its index.
    failures: BTreeMap<usize, u32>,
}

impl<'a> Schedule<'a> {
    pub(super) fn new(
        games: &Games<'a>,
        openings: Openings,
        folder: MatchFolder,
        tally: Tally,
    ) -> Self {
        Self {
            settings: games.context.settings,
            stop: games.context.stop,
            on_event: games.on_event,
            openings,
            folder,
            tally,
            next: 0,
            is_out_of_openings: false,
            failures: BTreeMap::new(),
        }
    }

    /// The tally of all games, those of earlier runs included.
    pub(super) fn into_tally(self) -> Tally {
        self.tally
    }

    /// The next game of this shard that has not been played.
    fn next_fixture(&mut self) -> Option<Fixture> {
        while self.next / 2 < self.settings.pairs() {
            let game = self.next;
            self.next += 1;
            if self.settings.is_ours(game / 2)
                && !self.tally.has(game)
                && let Some(fixture) = self.settings.fixture(game)
            {
                return Some(fixture);
            }
        }
        None
    }

    /// The opening with this index; `None` if the match ends because there are no more.
    fn opening(&mut self, index: usize) -> Result<Option<Opening>, MatchError> {
        let is_known = self.openings.known() <= Some(index);
        match self.openings.get(index) {
            Ok(opening) => Ok(Some(opening.clone())),
            // Without a fixed number of games the openings are the limit.
            Err(error) if self.settings.games.is_none() && is_known => {
                self.is_out_of_openings = true;
                (self.on_event)(Event::Note(format!("the match ends here: {error}")));
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Counts failures to become ready. An engine that never becomes ready would lose all its
    /// games, so the match ends after some of them.
    fn count_failures(&mut self, fixture: Fixture, verdict: &Verdict) -> Result<(), MatchError> {
        let Some(color) = verdict
            .winner
            .filter(|_| verdict.reason == Reason::NotReady)
        else {
            for engine in fixture.players {
                self.failures.remove(&engine);
            }
            return Ok(());
        };
        let engine = fixture.players[(!color).index()];
        let failures = self.failures.entry(engine).or_default();
        *failures += 1;
        if *failures < FAILURES_IN_A_ROW {
            return Ok(());
        }
        Err(MatchError::EngineGone {
            name: self.settings.engines[engine].name.clone(),
            detail: verdict.detail.clone(),
        })
    }

    fn store(&mut self, piece: &Piece, finished: &Finished) -> Result<(), MatchError> {
        let entry = &finished.files.entry;
        self.folder
            .write_file(&entry.record, &finished.files.record)?;
        if let (Some(path), Some(text)) = (&entry.dialogue, &finished.dialogue) {
            self.folder.write_file(path, text.as_bytes())?;
        }
        self.folder.append(entry)?;
        let added = self.tally.add(entry);
        debug_assert_eq!(added, Ok(()), "each game is played once");
        (self.on_event)(Event::Game {
            entry,
            tally: &self.tally,
        });
        self.count_failures(piece.fixture, &finished.verdict)
    }
}

impl<'a> Plan<Games<'a>> for Schedule<'a> {
    fn next(&mut self) -> Result<Option<Piece>, MatchError> {
        // Games that were still running when the sequential test ended can change its result, so
        // this is checked again after each of them.
        if self.is_out_of_openings || is_decided(&self.tally) {
            return Ok(None);
        }
        let Some(fixture) = self.next_fixture() else {
            return Ok(None);
        };
        let opening = self.opening(fixture.opening)?;
        Ok(opening.map(|opening| Piece { fixture, opening }))
    }

    fn keep(&mut self, piece: Piece, finished: Finished) -> Result<(), MatchError> {
        let kept = self.store(&piece, &finished);
        if kept.is_err() {
            // Further results could not be kept either.
            self.stop.abort();
        }
        kept
    }
}

/// Whether the sequential test has accepted a hypothesis.
pub(super) fn is_decided(tally: &Tally) -> bool {
    let (Some(test), [pairing]) = (tally.settings().sprt, &tally.pairings[..]) else {
        return false;
    };
    // A shard that stops by its own results would bias those of the whole match.
    tally.settings().shard.is_none() && test.verdict(&pairing.pairs) != sprt::Verdict::Continue
}
