//! From a proof in the table to one line of moves: the attacker mates as fast as he knows, the defender holds out as long
//! as he can. Every move is made on a board again before anybody is told.

use super::hands;
use super::outlook::{NO_LIMIT, Outlook, Thresholds};
use super::search::{Before, Child, Search, less_one};
use super::table::Entry;
use crate::movegen::legal_moves;
use crate::position::Position;
use crate::types::{Move, Square};

/// A mate, move by move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// The moves of both sides; the last one mates.
    pub moves: Vec<Move>,
    /// Plies as tsume counts them, without the futile interpositions (無駄合い) that the moves may end with: pieces that are
    /// dropped in the way, taken at once, and change nothing.
    pub length: usize,
}

/// How often a line is walked to find out how long the defender holds out.
const MOST_WALKS: usize = 30;

/// What the defender can do on the line.
enum Defence {
    /// Nothing: mate.
    None,
    /// Hold out.
    Move(Move),
    /// Drop a piece in the way, which tsume does not count.
    Futile(Move),
}

/// How the defender chooses.
#[derive(Clone, Copy)]
struct Care {
    /// There is no mate in two plies less, and some defence shows it.
    is_shortest: bool,
    /// The lengths of mates are looked at one move further.
    looks_ahead: bool,
}

impl Search<'_> {
    /// A line of at most `limit` plies that mates from the current position, whose mate must have been proved. With
    /// `is_shortest` there must be no mate in two plies less, and the defender does not fall short of that.
    /// `None` where the search must end before the line is complete again: parts of a proof may have fallen out of a small table.
    pub(super) fn main_line(&mut self, limit: u16, is_shortest: bool) -> Option<Line> {
        let mut line = None;
        for walk in 0..MOST_WALKS {
            let mut moves = Vec::new();
            let care = Care {
                is_shortest,
                looks_ahead: walk > 0,
            };
            let length = self.follow(limit, care, &mut moves);
            self.retrace(moves.len(), limit);
            let Some(length) = length else { break };
            let is_tight = self
                .known(limit)
                .is_none_or(|it| moves.len() >= it.length.into());
            line = Some(Line { moves, length });
            if is_tight || self.is_stopped() {
                break;
            }
        }
        line
    }

    /// Takes the moves of a line back. The lengths that it was chosen by are upper bounds, and what was seen on the way may be
    /// less: with that in the table another defence may be found to hold out longer.
    fn retrace(&mut self, count: usize, limit: u16) {
        for plies in (0..count).rev() {
            self.take_back();
            let spent = (0..plies).fold(limit, |left, _| less_one(left));
            if plies % 2 == 0 {
                self.tighten::<true>(spent);
            } else {
                self.tighten::<false>(spent);
            }
        }
    }

    fn tighten<const OR: bool>(&mut self, limit: u16) {
        let first = self.children.len();
        self.expand::<OR>(limit);
        let is_settled = self.summarize::<OR>(first).is_none();
        let (outlook, mv) = self.settle::<OR>(first);
        self.children.truncate(first);
        let hand = self.position.hand(self.attacker);
        let known = self.table.look_up(self.board_key(), hand, limit);
        if is_settled
            && outlook.is_mate()
            && let Some(known) = known.filter(|known| known.outlook.length > outlook.length)
        {
            let mv = mv.map(Move::to_move16);
            let entry = Entry {
                outlook,
                mv,
                ..known
            };
            self.table.store(self.board_key(), &entry);
        }
    }

    fn follow(&mut self, mut limit: u16, care: Care, moves: &mut Vec<Move>) -> Option<usize> {
        let mut length = None;
        loop {
            let attack = self.best_attack(limit)?;
            self.make(attack);
            moves.push(attack);
            limit = less_one(limit);
            let defence = match self.best_defence(limit, care)? {
                Defence::None => return Some(length.unwrap_or(moves.len())),
                Defence::Move(mv) => mv,
                Defence::Futile(mv) => {
                    length.get_or_insert(moves.len());
                    mv
                }
            };
            self.make(defence);
            moves.push(defence);
            limit = less_one(limit);
        }
    }

    /// The move that mates fastest; a promotion where that is as fast as none.
    fn best_attack(&mut self, limit: u16) -> Option<Move> {
        for is_searched in [false, true] {
            if is_searched && !self.settle_position::<true>(limit).is_mate() {
                return None;
            }
            let children = self.moves_of::<true>(limit);
            let mates = children.iter().filter(|child| child.outlook.is_mate());
            if let Some(child) = mates.min_by_key(|child| (child.outlook.length, child.is_weak())) {
                return Some(child.mv);
            }
        }
        None
    }

    /// The move that holds out longest.
    fn best_defence(&mut self, limit: u16, care: Care) -> Option<Defence> {
        let mut children = self.moves_of::<false>(limit);
        let below = less_one(limit);
        for child in &mut children {
            if !child.outlook.is_mate() {
                child.outlook = self.settle_after::<true>(child.mv, below);
            }
            if !child.outlook.is_mate() {
                return None;
            }
            if care.looks_ahead {
                self.make(child.mv);
                self.tighten::<true>(below);
                child.outlook = self.known(below).unwrap_or(child.outlook);
                self.take_back();
            }
        }
        children.sort_by_key(|child| (std::cmp::Reverse(child.outlook.length), child.is_weak()));
        let futile = self.futile_interpositions(&children);
        let is_worth = |child: &&Child| !futile.contains(&child.mv);
        let Some(mut best) = children.iter().find(is_worth).map(|child| child.mv) else {
            let first = children.first();
            return Some(first.map_or(Defence::None, |child| Defence::Futile(child.mv)));
        };
        if care.is_shortest && below > 2 {
            // Lengths are upper bounds: only a refutation in less shows who really holds out.
            for child in children.iter().filter(is_worth) {
                if self.settle_after::<true>(child.mv, below - 2).is_refuted() {
                    best = child.mv;
                    break;
                }
            }
        }
        Some(Defence::Move(best))
    }

    fn moves_of<const OR: bool>(&mut self, limit: u16) -> Vec<Child> {
        let first = self.children.len();
        self.expand::<OR>(limit);
        self.children.split_off(first)
    }

    /// Searches the current position until it is settled or the search must end.
    pub(super) fn settle_position<const OR: bool>(&mut self, limit: u16) -> Outlook {
        loop {
            let outlook = self.visit::<OR>(Thresholds::NONE, Before::nothing(limit));
            if outlook.is_settled() || self.is_stopped() {
                return outlook;
            }
        }
    }

    /// Likewise the position after a move.
    pub(super) fn settle_after<const OR: bool>(&mut self, mv: Move, limit: u16) -> Outlook {
        self.make(mv);
        let outlook = self.settle_position::<OR>(limit);
        self.take_back();
        outlook
    }

    /// Those of the answers to a check that tsume does not count.
    fn futile_interpositions(&mut self, children: &[Child]) -> Vec<Move> {
        let others = children.iter().filter(|child| !child.mv.is_drop());
        // How long the mate takes without them.
        let length = others.map(|child| child.outlook.length + 1).max();
        let drops = children.iter().filter(|child| child.mv.is_drop());
        let drops: Vec<Move> = drops.map(|child| child.mv).collect();
        drops
            .into_iter()
            .filter(|&mv| self.is_futile(mv, length.unwrap_or(0)))
            .collect()
    }

    /// Whether the attacker can take the dropped piece with check, and mate after that within `length` plies, other futile
    /// interpositions not counted, although he gives the piece back.
    fn is_futile(&mut self, drop: Move, length: u16) -> bool {
        let hand = self.position.hand(self.attacker);
        self.make(drop);
        let children = self.moves_of::<true>(NO_LIMIT);
        let captures = children.iter().filter(|child| child.mv.to() == drop.to());
        let captures: Vec<Child> = captures.copied().collect();
        let is_futile = captures.iter().any(|capture| {
            let known = self.table.look_up(capture.key, hand, NO_LIMIT);
            let Some(entry) = known.filter(|entry| entry.outlook.is_mate()) else {
                return false;
            };
            entry.outlook.length <= length
                || self.has_only_futile_answers(capture, drop.to(), length)
        });
        self.take_back();
        is_futile
    }

    fn has_only_futile_answers(&mut self, capture: &Child, square: Square, length: u16) -> bool {
        self.make(capture.mv);
        debug_assert_eq!(capture.mv.to(), square);
        let answers = self.moves_of::<false>(NO_LIMIT);
        let is_futile = hands::can_interpose(&self.position)
            && answers.iter().all(|answer| {
                let outlook = &answer.outlook;
                let is_quick = outlook.is_mate() && outlook.length < length;
                is_quick || answer.mv.is_drop() && self.is_futile(answer.mv, length)
            });
        self.take_back();
        is_futile
    }
}

/// Whether the moves mate: each is legal, each of the attacker's gives check, and after the last there is no answer.
pub fn is_mating_line(position: &Position, moves: &[Move]) -> bool {
    let mut position = position.clone();
    for (index, &mv) in moves.iter().enumerate() {
        if !position.pseudo_legal(mv) || !position.legal(mv) {
            return false;
        }
        position.do_move(mv);
        if index % 2 == 0 && !position.in_check() {
            return false;
        }
    }
    moves.len() % 2 == 1 && legal_moves(&position).is_empty()
}
