//! The games of a match as a [`Job`], and their order and results as a [`Plan`].
//!
//! A thread keeps the engine processes of the pairing that it plays; those of another pairing are
//! ended before new ones start.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use super::error::{FAILURES_IN_A_ROW, MatchError};
use super::event::Event;
use super::filing::{self, Filed};
use super::game::{self, PlayedGame, Surroundings};
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

/// Plays games.
pub(super) struct Games<'a> {
    pub(super) around: Surroundings<'a>,
    pub(super) on_event: &'a (dyn Fn(Event<'_>) + Sync),
}

/// A game to play.
pub(super) struct Piece {
    fixture: Fixture,
    opening: Opening,
}

/// A game that was played, or that an engine lost because it was not ready.
pub(super) struct Finished {
    filed: Filed,
    /// The dialogue of both engines, where one was at fault.
    dialogue: Option<String>,
    verdict: Verdict,
}

/// The engines of a thread, by their index.
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
        let played = match self.seat(fixture, players) {
            Ok(()) => {
                let [black, white] = fixture.players.each_ref();
                let [Some(black), Some(white)] = players.get_disjoint_mut([black, white]) else {
                    unreachable!("both engines were seated");
                };
                match game::play(&self.around, fixture, opening, &mut [black, white]) {
                    Some(played) => played,
                    None => return Ok(None),
                }
            }
            Err(_) if self.around.stop.is_abort() => return Ok(None),
            Err(verdict) => unplayed(verdict),
        };
        let settings = self.around.settings;
        let filed = filing::file(settings, fixture, opening, &played, &started_at);
        let dialogue = filed.entry.dialogue.is_some().then(|| {
            let dialogues = fixture
                .players
                .map(|engine| players.get(&engine).map(Player::dialogue));
            filing::dialogue_text(&filed.entry, dialogues)
        });
        let verdict = played.verdict;
        if let Some(winner) = verdict.winner
            && matches!(
                verdict.reason,
                Reason::Hang | Reason::Crash | Reason::NotReady
            )
        {
            // An engine that no longer answers is ended; a new process plays the next game.
            players.remove(&fixture.players[(!winner).index()]);
        }
        Ok(Some(Finished {
            filed,
            dialogue,
            verdict,
        }))
    }

    fn dismiss(&self, players: Players) {
        for player in players.into_values() {
            player.quit();
        }
    }
}

impl Games<'_> {
    /// Gets both engines ready, and starts those that are not running.
    fn seat(&self, fixture: Fixture, players: &mut Players) -> Result<(), Verdict> {
        let Surroundings { settings, stop, .. } = self.around;
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

/// A game that never began.
fn unplayed(verdict: Verdict) -> PlayedGame {
    PlayedGame {
        verdict,
        moves: Vec::new(),
        figures: [PlayerFigures::default(), PlayerFigures::default()],
        overhead: (Duration::ZERO, Duration::ZERO, 0),
        time_loss: None,
    }
}

/// Which game comes next, and what has come of those before.
pub(super) struct Schedule<'a> {
    settings: &'a MatchSettings,
    stop: &'a Stop,
    on_event: &'a (dyn Fn(Event<'_>) + Sync),
    openings: Openings,
    folder: MatchFolder,
    tally: Tally,
    /// The number of the next game to look at.
    next: u64,
    /// Every opening has been played, in a match without a fixed number of games.
    is_out_of_openings: bool,
    /// Games in a row for which an engine was not ready, by its index.
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
            settings: games.around.settings,
            stop: games.around.stop,
            on_event: games.on_event,
            openings,
            folder,
            tally,
            next: 0,
            is_out_of_openings: false,
            failures: BTreeMap::new(),
        }
    }

    /// The results.
    pub(super) fn into_tally(self) -> Tally {
        self.tally
    }

    /// The next game that is to be played here.
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

    /// The opening, or `None` when there are no more in a match that ends there.
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

    /// An engine that is never ready would lose all its games; the match is given up before.
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

    fn file(&mut self, piece: &Piece, finished: &Finished) -> Result<(), MatchError> {
        let entry = &finished.filed.entry;
        self.folder
            .write_file(&entry.record, &finished.filed.record)?;
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
        // Games that were running when the sequential test had its answer can take it back; so the
        // question is asked again after each of them.
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
        let kept = self.file(&piece, &finished);
        if kept.is_err() {
            // Further results could not be kept either.
            self.stop.abort();
        }
        kept
    }
}

/// Whether the sequential test has its answer.
pub(super) fn is_decided(tally: &Tally) -> bool {
    let (Some(test), [pairing]) = (tally.settings().sprt, &tally.pairings[..]) else {
        return false;
    };
    // A shard that stopped by its own results would bias those of the whole match.
    tally.settings().shard.is_none() && test.verdict(&pairing.pairs) != sprt::Verdict::Continue
}
