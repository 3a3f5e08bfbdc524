//! The length of a mate as tsume counts it: the shortest attack against the longest defence without
//! futile interpositions (無駄合い).
//!
//! An answer that interposes a piece is futile if the attacker can capture it at once with check
//! and still mates in the length that he has without it, never using the captured piece, and again
//! without futile interpositions. Which interpositions count therefore depends on the other
//! answers: they are taken in the order of their lengths.
//!
//! The search with a limit finds lower bounds of that length; here they are settled, by going down
//! every mate within the limit that may leave out too much.

use std::collections::HashMap;

use crate::movegen::{self, legal_moves};
use crate::types::{Hand, Move, MoveList};

use super::worker::{Child, Worker};
use super::{Line, Verdict, is_mating_line};

/// Nodes of the first search from below or above.
const FIRST_SLICE: u64 = 5000;

/// The search must stop.
pub(super) struct Stopped;

/// Makes `line`, which mates from the worker's position, as short as can be shown before the search
/// must stop. `plies` is an upper bound.
pub(super) fn shortest(worker: &mut Worker<'_>, mut line: Line, plies: i16) -> Verdict {
    let mut lengths = Lengths::new(worker);
    let length = lengths.lower_bound(plies).and_then(|least| lengths.length(least, plies));
    Verdict::Mate {
        is_shortest: length.is_ok_and(|length| lengths.improve(&mut line, length)),
        plies: line.moves.len(),
        line,
    }
}

/// What is known about the length of a mate.
#[derive(Clone, Copy)]
struct Bounds {
    least: i16,
    most: i16,
}

/// The lengths of the mates from one position and those below it.
pub(super) struct Lengths<'w, 'a> {
    worker: &'w mut Worker<'a>,
    known: HashMap<(u64, Hand), Bounds>,
}

impl<'w, 'a> Lengths<'w, 'a> {
    /// Nothing is known yet about the mates from the worker's position.
    pub(super) fn new(worker: &'w mut Worker<'a>) -> Self {
        Self { worker, known: HashMap::new() }
    }

    /// The least number of plies that the search with a limit does not refute, at most `most`.
    ///
    /// Searches from below and from above take turns, as either may take far more nodes than the
    /// other: refutations, because there are many attacks; mates, because with many plies left all
    /// attacks can be drawn out.
    fn lower_bound(&mut self, mut most: i16) -> Result<i16, Stopped> {
        let (mut least, mut nodes) = (1, FIRST_SLICE);
        while least < most {
            let below = self.worker.solve_for(nodes, least)?;
            if below.is_proven() {
                return Ok(least);
            }
            if below.is_disproven() {
                least += 2;
                continue;
            }
            let above = self.worker.solve_for(nodes, most - 2)?;
            if above.is_disproven() {
                return Ok(most);
            }
            if above.is_proven() {
                most = above.length;
                continue;
            }
            nodes *= 2;
        }
        Ok(most)
    }

    /// The length of the mate, which lies between two bounds.
    fn length(&mut self, least: i16, most: i16) -> Result<i16, Stopped> {
        for plies in (least..most).step_by(2) {
            if self.is_within::<true>(plies)? {
                return Ok(plies);
            }
        }
        Ok(most)
    }

    /// Replaces a line by one of the shortest mate, which takes `plies`. False where the search
    /// must stop.
    fn improve(&mut self, line: &mut Line, plies: i16) -> bool {
        let Ok(shorter) = self.line(plies) else {
            return false;
        };
        let is_mate = is_mating_line(&self.worker.position, &shorter.moves);
        if is_mate && *line != shorter {
            *line = shorter;
            self.worker.report_mate(line);
        }
        is_mate
    }

    /// Whether the position, in which the attacker moves if `OR`, is mate in at most `plies`.
    pub(super) fn is_within<const OR: bool>(&mut self, plies: i16) -> Result<bool, Stopped> {
        let worker = &mut *self.worker;
        let key = (worker.board_key(), worker.position.hand(worker.attacker));
        let unknown = Bounds { least: i16::from(OR), most: i16::MAX };
        let mut bounds = self.known.get(&key).copied().unwrap_or(unknown);
        if plies < bounds.least {
            return Ok(false);
        }
        if plies >= bounds.most {
            return Ok(true);
        }
        let numbers = worker.solve_position::<OR>(plies);
        if !numbers.is_solved() {
            return Err(Stopped);
        }
        let is_within = numbers.is_proven()
            && (numbers.counts_all
                || if OR { self.attack_within(plies)? } else { self.defence_within(plies)? });
        if is_within {
            bounds.most = plies;
        } else {
            bounds.least = plies + 1;
        }
        self.known.insert(key, bounds);
        Ok(is_within)
    }

    fn attack_within(&mut self, plies: i16) -> Result<bool, Stopped> {
        for attack in self.attacks(plies) {
            if self.is_within_after::<false>(attack, plies - 1)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The checks that may mate in time: promotions and short mates first.
    fn attacks(&mut self, plies: i16) -> Vec<Move> {
        let mut children = self.worker.children_of_node::<true>(plies);
        children.retain(|child| !child.numbers.is_disproven());
        let key = |child: &Child| {
            let (is_proven, length) = (child.numbers.is_proven(), child.numbers.length);
            (child.is_weak_non_promotion(), !is_proven, length)
        };
        children.sort_by_key(key);
        children.iter().map(|child| child.mv).collect()
    }

    fn is_within_after<const OR: bool>(&mut self, mv: Move, plies: i16) -> Result<bool, Stopped> {
        self.worker.do_move(mv);
        let is_within = self.is_within::<OR>(plies);
        self.worker.undo_move();
        is_within
    }

    /// As [`Self::is_within`] of the position after an answer, whose length includes the answer.
    fn answer_is_within(&mut self, answer: Move, plies: i16) -> Result<bool, Stopped> {
        self.is_within_after::<true>(answer, plies - 1)
    }

    /// The length of an answer, itself included, that is at most `most`.
    fn answer_length(&mut self, answer: Move, most: i16) -> Result<i16, Stopped> {
        for plies in (2..most).step_by(2) {
            if self.answer_is_within(answer, plies)? {
                return Ok(plies);
            }
        }
        Ok(most)
    }

    fn defence_within(&mut self, plies: i16) -> Result<bool, Stopped> {
        let (mut in_time, mut late) = (Vec::new(), Vec::new());
        for answer in legal_moves(&self.worker.position) {
            if self.answer_is_within(answer, plies)? {
                in_time.push(answer);
            } else if answer.is_drop() {
                late.push(answer);
            } else {
                return Ok(false);
            }
        }
        if late.is_empty() {
            return Ok(true);
        }
        let length = self.longest(&in_time, plies)?.0;
        for interposition in late {
            if !self.is_futile(interposition, length)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The longest of answers that all take at most `most` plies, with its length: none and 0 where
    /// all are futile.
    fn longest(&mut self, answers: &[Move], most: i16) -> Result<(i16, Option<Move>), Stopped> {
        for &answer in answers {
            if !answer.is_drop() && !self.answer_is_within(answer, most - 2)? {
                return Ok((most, Some(answer)));
            }
        }
        let mut interpositions = Vec::new();
        let mut longest = (0, None);
        for &answer in answers {
            let length = self.answer_length(answer, most)?;
            if answer.is_drop() {
                interpositions.push((length, answer));
            } else if length > longest.0 {
                longest = (length, Some(answer));
            }
        }
        interpositions.sort_by_key(|(length, _)| *length);
        for (length, interposition) in interpositions {
            if length > longest.0 && !self.is_futile(interposition, longest.0)? {
                longest = (length, Some(interposition));
            }
        }
        Ok(longest)
    }

    /// Whether the attacker can capture an interposed piece with check, and mate within `length`
    /// plies after that without it.
    fn is_futile(&mut self, interposition: Move, length: i16) -> Result<bool, Stopped> {
        Ok(self.capture_of(interposition, length)?.is_some())
    }

    /// The capture that shows an interposition to be futile.
    fn capture_of(&mut self, interposition: Move, length: i16) -> Result<Option<Move>, Stopped> {
        self.worker.do_move(interposition);
        let capture = self.capture_aside(interposition, length);
        self.worker.undo_move();
        capture
    }

    /// The same after the interposition.
    fn capture_aside(&mut self, interposition: Move, length: i16) -> Result<Option<Move>, Stopped> {
        let mut checks = MoveList::new();
        movegen::checks::<true>(&self.worker.position, &mut checks);
        checks
            .retain(|check| check.to() == interposition.to() && self.worker.position.legal(*check));
        for &check in &checks {
            self.worker.do_move(check);
            self.worker.put_aside(interposition.piece().kind());
            let is_within = self.is_within::<false>(length);
            self.worker.take_back(interposition.piece().kind());
            self.worker.undo_move();
            if is_within? {
                return Ok(Some(check));
            }
        }
        Ok(None)
    }

    /// The answers besides `answer` that hold out as long as it does, `plies`, futile
    /// interpositions left out. With each, whether the attacker has pieces left at the mate.
    pub(super) fn equal_defences(
        &mut self,
        answer: Move,
        plies: i16,
    ) -> Result<Vec<(Move, bool)>, Stopped> {
        let mut equal = Vec::new();
        for other in legal_moves(&self.worker.position) {
            let is_as_long = other != answer
                && self.answer_is_within(other, plies)?
                && !self.answer_is_within(other, plies - 2)?
                && !(other.is_drop() && self.is_futile(other, plies)?);
            if is_as_long {
                self.worker.do_move(other);
                let line = self.line(plies - 1);
                self.worker.undo_move();
                let leaves_pieces = self.worker.leaves_pieces(other, &line?);
                equal.push((other, leaves_pieces));
            }
        }
        Ok(equal)
    }

    /// A line of the shortest mate, which takes `plies`.
    fn line(&mut self, plies: i16) -> Result<Line, Stopped> {
        let mut moves = Vec::new();
        let walked = self.walk(plies, &mut moves);
        let length = moves.len();
        let rest = walked.and_then(|()| self.futile_rest());
        for _ in &moves {
            self.worker.undo_move();
        }
        moves.extend(rest?);
        Ok(Line { moves, length })
    }

    /// Makes the moves of a line up to its length, and appends them to `moves`.
    fn walk(&mut self, mut plies: i16, moves: &mut Vec<Move>) -> Result<(), Stopped> {
        loop {
            let mut fastest = None;
            for attack in self.attacks(plies) {
                if self.is_within_after::<false>(attack, plies - 1)? {
                    fastest = Some(attack);
                    break;
                }
            }
            let attack = fastest.ok_or(Stopped)?;
            self.worker.do_move(attack);
            moves.push(attack);
            let mut answers = Vec::new();
            for answer in legal_moves(&self.worker.position) {
                if self.answer_is_within(answer, plies - 1)? {
                    answers.push(answer);
                }
            }
            let (length, Some(answer)) = self.longest(&answers, plies - 1)? else {
                return Ok(());
            };
            self.worker.do_move(answer);
            moves.push(answer);
            plies = length - 1;
        }
    }

    /// The futile interpositions that are left to the defender, each with its capture, until there
    /// is no answer.
    fn futile_rest(&mut self) -> Result<Vec<Move>, Stopped> {
        let Some(&interposition) = legal_moves(&self.worker.position).first() else {
            return Ok(Vec::new());
        };
        let capture = self.capture_of(interposition, 0)?.ok_or(Stopped)?;
        let kind = interposition.piece().kind();
        self.worker.do_move(interposition);
        self.worker.do_move(capture);
        self.worker.put_aside(kind);
        let rest = self.futile_rest();
        self.worker.take_back(kind);
        self.worker.undo_move();
        self.worker.undo_move();
        let mut moves = vec![interposition, capture];
        moves.extend(rest?);
        Ok(moves)
    }
}
