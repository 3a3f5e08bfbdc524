//! Stochastic ponder: while the opponent thinks, his position is searched, and not the one after the move that we expect of
//! him. Whatever he plays, the table knows something about it.
//!
//! From outside it looks like any other ponder search: what is reported is about the position that was asked for, and the one
//! decision too. Idea: dlshogi, `YaneuraOu`.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use super::Engine;
use crate::search::{self, Clock, Event, Info, Limits};
use crate::types::{Bound, Move, Score};

type OnEvent = Box<dyn FnMut(Event) + Send>;

/// What is to be searched when it is known what the opponent did.
pub(super) struct Guess {
    limits: Limits,
    settings: search::Settings,
    /// The receiver of the events: of the search that runs, and of the one after it.
    on_event: Arc<Mutex<OnEvent>>,
}

impl Guess {
    /// The opponent made the expected move: the search that follows has the clock, from now on.
    pub(super) fn hit(mut self, clock: Option<Clock>) -> Self {
        self.limits.ponder = false;
        self.limits.start = Instant::now();
        self.limits.clock = clock.or(self.limits.clock);
        self
    }
}

impl Engine {
    /// Searches the position before the last move, if there is one, until it is known what the opponent did.
    pub(super) fn go_before(
        &mut self,
        limits: Limits,
        settings: search::Settings,
        on_event: OnEvent,
    ) {
        let mut before = self.position.clone();
        let Some(expected) = before.last_move().filter(|_| before.moves_made() > 0) else {
            self.searcher.go(before, limits, &settings, on_event);
            return;
        };
        before.undo_move();
        let on_event = Arc::new(Mutex::new(on_event));
        let receiver = Arc::clone(&on_event);
        let report = move |event| {
            if let Some(event) = seen_from_after(event, expected) {
                send(&receiver, event);
            }
        };
        let meanwhile = Limits {
            ponder: true,
            depth: limits.depth,
            nodes: limits.nodes,
            start: limits.start,
            ..Limits::default()
        };
        self.searcher
            .go(before, meanwhile, &settings, Box::new(report));
        self.guess = Some(Guess {
            limits,
            settings,
            on_event,
        });
    }

    /// Ends the search of the position before, in silence, and searches the one that was asked for.
    pub(super) fn go_after(&mut self, guess: Guess) {
        self.searcher.stop();
        self.searcher.wait();
        let receiver = guess.on_event;
        self.searcher.go(
            self.position.clone(),
            guess.limits,
            &guess.settings,
            Box::new(move |event| send(&receiver, event)),
        );
    }
}

fn send(receiver: &Mutex<OnEvent>, event: Event) {
    let mut on_event = receiver.lock().unwrap_or_else(PoisonError::into_inner);
    on_event(event);
}

/// What an event of the position before says about the one after the expected move, if anything.
fn seen_from_after(event: Event, expected: Move) -> Option<Event> {
    match event {
        Event::Info(info) if info.pv.len() > 1 && info.pv[0] == expected => {
            Some(Event::Info(Info {
                depth: (info.depth - 1).max(1),
                seldepth: (info.seldepth - 1).max(1),
                multi_pv: 1,
                score: after(info.score),
                bound: match info.bound {
                    Bound::Exact => Bound::Exact,
                    Bound::Lower => Bound::Upper,
                    Bound::Upper => Bound::Lower,
                },
                pv: info.pv[1..].to_vec(),
                ..info
            }))
        }
        Event::Info(_) | Event::CurrentMove(_) | Event::Done(_) => None,
        Event::Note(text) => Some(Event::Note(text)),
    }
}

/// The score for the other side, one ply later.
fn after(score: Score) -> Score {
    match score {
        Score::Cp(centipawns) => Score::Cp(-centipawns),
        Score::Mate(plies) if plies > 0 => Score::Mate(1 - plies),
        Score::Mate(plies) => Score::Mate(-1 - plies),
    }
}
