//! Stochastic ponder: while the opponent thinks, the position before his expected move is searched
//! instead of the one after it, so that the table knows something about every answer.
//!
//! From outside it is an ordinary ponder search: infos are converted to the position that was asked
//! for, and there is one decision. Idea: dlshogi and `YaneuraOu` (option `Stochastic_Ponder`).

use std::sync::{Arc, Mutex, PoisonError};

use crate::search::{self, Clock, Event, Info, Limits, Searcher};
use crate::types::{Move, Score};
use crate::{position::Position, util::system::Instant};

type OnEvent = Box<dyn FnMut(Event) + Send>;

/// The search of the requested position, which follows the search of the position before.
pub(super) struct PendingSearch {
    limits: Limits,
    settings: search::Settings,
    /// Receives the events of both searches.
    on_event: Arc<Mutex<OnEvent>>,
}

impl PendingSearch {
    /// Starts to ponder on the position before the last move of `position`. Without a last move it
    /// starts an ordinary ponder search and returns `None`.
    pub(super) fn start(
        searcher: &mut Searcher,
        position: &Position,
        limits: Limits,
        settings: search::Settings,
        on_event: OnEvent,
    ) -> Option<Self> {
        let mut before = position.clone();
        let Some(expected) = before.last_move().filter(|_| before.moves_made() > 0) else {
            searcher.go(before, limits, &settings, on_event);
            return None;
        };
        before.undo_move();
        let on_event = Arc::new(Mutex::new(on_event));
        let receiver = Arc::clone(&on_event);
        let report = move |event| {
            if let Some(event) = converted(event, expected) {
                send(&receiver, event);
            }
        };
        let ponder_limits = Limits {
            ponder: true,
            depth: limits.depth,
            nodes: limits.nodes,
            start: limits.start,
            ..Limits::default()
        };
        searcher.go(before, ponder_limits, &settings, Box::new(report));
        Some(Self { limits, settings, on_event })
    }

    /// The opponent made the expected move: the clock of the second search runs from now on.
    pub(super) fn ponderhit(mut self, clock: Option<Clock>) -> Self {
        self.limits.ponder = false;
        self.limits.start = Instant::now();
        self.limits.clock = clock.or(self.limits.clock);
        self
    }

    /// Ends the first search without a decision and searches `position`, the requested one.
    pub(super) fn run(self, searcher: &mut Searcher, position: &Position) {
        searcher.stop();
        searcher.wait();
        let receiver = self.on_event;
        searcher.go(
            position.clone(),
            self.limits,
            &self.settings,
            Box::new(move |event| send(&receiver, event)),
        );
    }
}

fn send(receiver: &Mutex<OnEvent>, event: Event) {
    let mut on_event = receiver.lock().unwrap_or_else(PoisonError::into_inner);
    on_event(event);
}

/// An event of the search before the expected move, converted to the position after that move;
/// `None` if it says nothing about that position.
fn converted(event: Event, expected: Move) -> Option<Event> {
    match event {
        Event::Info(info) if info.pv.len() > 1 && info.pv[0] == expected => {
            Some(Event::Info(Info {
                depth: (info.depth - 1).max(1),
                seldepth: (info.seldepth - 1).max(1),
                multi_pv: 1,
                score: one_ply_later(info.score),
                bound: info.bound.flipped(),
                pv: info.pv[1..].to_vec(),
                ..info
            }))
        }
        Event::Info(_) | Event::CurrentMove(_) | Event::Done(_) => None,
        Event::Note(text) => Some(Event::Note(text)),
    }
}

/// The score from the view of the other side, one ply later.
fn one_ply_later(score: Score) -> Score {
    match score {
        Score::Cp(centipawns) => Score::Cp(-centipawns),
        Score::Mate(plies) if plies > 0 => Score::Mate(1 - plies),
        Score::Mate(plies) => Score::Mate(-1 - plies),
    }
}
