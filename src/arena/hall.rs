//! The playing hall: seats at which pairs of games are played side by side, and the desk where results are kept.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use super::filing;
use super::game::{self, PlayedGame, Surroundings};
use super::journal::{Journal, PlayerFigures};
use super::openings::{Opening, Openings};
use super::player::Player;
use super::referee::{Reason, Verdict};
use super::runner::{Event, FAILURES_IN_A_ROW, MatchError};
use super::settings::{Fixture, MatchSettings};
use super::sprt;
use super::stop::Stop;
use super::tally::Tally;
use crate::types::Color;

#[cfg(test)]
mod tests;

/// Where the games are played.
pub(super) struct Hall<'a> {
    around: Surroundings<'a>,
    openings: Mutex<Openings>,
    next_pair: AtomicU64,
    /// Whether the sequential test had its answer when a game ended: no new one begins.
    has_had_answer: AtomicBool,
    /// Every opening has been played, in a match without a fixed number of games.
    is_out_of_openings: AtomicBool,
    desk: Mutex<Desk>,
    on_event: &'a (dyn Fn(Event<'_>) + Sync),
}

/// Where the results are kept.
struct Desk {
    journal: Journal,
    tally: Tally,
    /// Games in a row for which an engine was not ready.
    failures: BTreeMap<usize, u32>,
    error: Option<MatchError>,
}

/// The engines of one seat, by their index. Those of another pairing are ended before new ones start.
type Players = HashMap<usize, Player>;

impl<'a> Hall<'a> {
    pub(super) fn new(
        around: Surroundings<'a>,
        openings: Openings,
        journal: Journal,
        tally: Tally,
        on_event: &'a (dyn Fn(Event<'_>) + Sync),
    ) -> Self {
        let desk = Desk {
            journal,
            tally,
            failures: BTreeMap::new(),
            error: None,
        };
        let hall = Self {
            around,
            openings: Mutex::new(openings),
            next_pair: AtomicU64::new(0),
            has_had_answer: AtomicBool::new(false),
            is_out_of_openings: AtomicBool::new(false),
            desk: Mutex::new(desk),
            on_event,
        };
        hall.stop_if_decided(&lock(&hall.desk).tally);
        hall
    }

    /// The results, or what broke the match off.
    pub(super) fn close(self) -> Result<Tally, MatchError> {
        let desk = self.desk.into_inner();
        let desk = desk.unwrap_or_else(PoisonError::into_inner);
        desk.error.map_or(Ok(desk.tally), Err)
    }

    /// Whether there is more to play after all seats have been left: the games that were running when the sequential
    /// test had its answer may have taken it back.
    pub(super) fn goes_on(&self) -> bool {
        let goes_on = self.has_had_answer.load(Ordering::Relaxed)
            && !self.around.stop.is_requested()
            && !self.is_out_of_openings.load(Ordering::Relaxed)
            && !is_decided(&lock(&self.desk).tally);
        if goes_on {
            self.has_had_answer.store(false, Ordering::Relaxed);
            // What has been played is not played again.
            self.next_pair.store(0, Ordering::Relaxed);
        }
        goes_on
    }

    fn is_closing(&self) -> bool {
        self.around.stop.is_requested() || self.has_had_answer.load(Ordering::Relaxed)
    }

    /// Plays pair after pair until there are no more.
    pub(super) fn play_pairs(&self) {
        let settings = self.around.settings;
        let _guard = AbortOnPanic(self.around.stop);
        let mut players = Players::new();
        while !self.is_closing() {
            let pair = self.next_pair.fetch_add(1, Ordering::Relaxed);
            if pair >= settings.pairs() {
                break;
            }
            if !settings.is_ours(pair) {
                continue;
            }
            let missing = |fixture: &Fixture| !lock(&self.desk).tally.has(fixture.game);
            let fixtures: Vec<Fixture> = settings.pair(pair).into_iter().filter(missing).collect();
            if fixtures.is_empty() {
                continue;
            }
            let Some(opening) = self.opening(fixtures[0].opening) else {
                break;
            };
            for fixture in fixtures {
                if self.is_closing() {
                    break;
                }
                if let Err(error) = self.play(fixture, &opening, &mut players) {
                    lock(&self.desk).error.get_or_insert(error);
                    self.around.stop.abort();
                }
            }
        }
        for player in players.into_values() {
            player.quit();
        }
    }

    /// The opening, or `None` when there are no more, which ends the match.
    fn opening(&self, index: usize) -> Option<Opening> {
        let mut openings = lock(&self.openings);
        match openings.get(index) {
            Ok(opening) => Some(opening.clone()),
            Err(error) => {
                // Without a fixed number of games the openings are the limit.
                if self.around.settings.games.is_none() && openings.known() <= Some(index) {
                    if !self.is_out_of_openings.swap(true, Ordering::Relaxed) {
                        (self.on_event)(Event::Note(format!("the match ends here: {error}")));
                    }
                } else {
                    lock(&self.desk).error.get_or_insert(error.into());
                    self.around.stop.finish();
                }
                None
            }
        }
    }

    /// Plays a game and keeps it.
    fn play(
        &self,
        fixture: Fixture,
        opening: &Opening,
        players: &mut Players,
    ) -> Result<(), MatchError> {
        let started_at = jiff::Zoned::now();
        let played = match self.seat(fixture, players) {
            Ok(()) => {
                let [black, white] = fixture.players.each_ref();
                let [Some(black), Some(white)] = players.get_disjoint_mut([black, white]) else {
                    unreachable!("both engines were seated");
                };
                let mut seated = [black, white];
                match game::play(&self.around, fixture, opening, &mut seated) {
                    Some(played) => played,
                    None => return Ok(()),
                }
            }
            Err(verdict) => unplayed(verdict),
        };
        self.keep(fixture, opening, &played, players, &started_at)?;
        if let Some(winner) = played.verdict.winner {
            let loser = fixture.players[(!winner).index()];
            // What does not answer any more is ended; a new process plays the next game.
            if matches!(
                played.verdict.reason,
                Reason::Hang | Reason::Crash | Reason::NotReady
            ) {
                players.remove(&loser);
            }
        }
        self.count_failures(fixture, &played.verdict)
    }

    /// Gets both engines ready, if need be by starting them anew.
    fn seat(&self, fixture: Fixture, players: &mut Players) -> Result<(), Verdict> {
        let MatchSettings {
            engines,
            rules,
            ponder,
            ..
        } = self.around.settings;
        for (_, player) in players.extract_if(|engine, _| !fixture.players.contains(engine)) {
            player.quit();
        }
        for color in Color::ALL {
            let engine = fixture.players[color.index()];
            let settings = &engines[engine];
            if let Some(player) = players.get_mut(&engine) {
                match player.new_game() {
                    Ok(()) => continue,
                    Err(error) => (self.on_event)(Event::Note(format!(
                        "{} was not ready for game {} and is started anew: {error}",
                        settings.name, fixture.game
                    ))),
                }
                players.remove(&engine);
            }
            let started = Player::start(settings, rules, *ponder).and_then(|mut player| {
                player.new_game()?;
                Ok(player)
            });
            match started {
                Ok(player) => drop(players.insert(engine, player)),
                Err(error) => {
                    return Err(Verdict::loss(color, Reason::NotReady, error.to_string()));
                }
            }
        }
        Ok(())
    }

    /// Writes the record and the result.
    fn keep(
        &self,
        fixture: Fixture,
        opening: &Opening,
        played: &PlayedGame,
        players: &Players,
        started_at: &jiff::Zoned,
    ) -> Result<(), MatchError> {
        let file = filing::file(self.around.settings, fixture, opening, played, started_at);
        let entry = &file.entry;
        let mut desk = lock(&self.desk);
        desk.journal.write_file(&entry.record, &file.record)?;
        if let Some(path) = &entry.dialogue {
            let dialogues = fixture
                .players
                .map(|engine| players.get(&engine).map(Player::dialogue));
            let text = filing::dialogue_text(entry, dialogues);
            desk.journal.write_file(path, text.as_bytes())?;
        }
        desk.journal.append(entry)?;
        let added = desk.tally.add(entry);
        debug_assert_eq!(added, Ok(()), "each game is played once");
        (self.on_event)(Event::Game {
            entry,
            tally: &desk.tally,
        });
        self.stop_if_decided(&desk.tally);
        Ok(())
    }

    fn stop_if_decided(&self, tally: &Tally) {
        if is_decided(tally) {
            self.has_had_answer.store(true, Ordering::Relaxed);
        }
    }

    /// An engine that is never ready would lose all its games; the match is given up before.
    fn count_failures(&self, fixture: Fixture, verdict: &Verdict) -> Result<(), MatchError> {
        let mut desk = lock(&self.desk);
        let Some(color) = verdict
            .winner
            .filter(|_| verdict.reason == Reason::NotReady)
        else {
            for engine in fixture.players {
                desk.failures.remove(&engine);
            }
            return Ok(());
        };
        let engine = fixture.players[(!color).index()];
        let failures = desk.failures.entry(engine).or_default();
        *failures += 1;
        if *failures < FAILURES_IN_A_ROW {
            return Ok(());
        }
        Err(MatchError::EngineGone {
            name: self.around.settings.engines[engine].name.clone(),
            detail: verdict.detail.clone(),
        })
    }
}

/// Ends all games when one seat panics, so that the bug is seen at once.
struct AbortOnPanic<'a>(&'a Stop);

impl Drop for AbortOnPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.abort();
        }
    }
}

/// Whether the sequential test has its answer.
pub(super) fn is_decided(tally: &Tally) -> bool {
    let (Some(test), [pairing]) = (tally.settings().sprt, &tally.pairings[..]) else {
        return false;
    };
    // A part of a match that stopped by its own results would bend those of the whole.
    tally.settings().shard.is_none() && test.verdict(&pairing.pairs) != sprt::Verdict::Continue
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

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
