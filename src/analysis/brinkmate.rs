//! Brinkmate (必至): a threat of mate (詰めろ) that no move parries.
//!
//! It holds in a position where the side to move is not in check, the other side mates if it
//! passes, and each of its moves was proven to lose to a mate by checks. A check of its own may be
//! answered by any move after which all moves lose again.

use std::sync::atomic::AtomicBool;

use crate::mate::{MateLimits, MateSolver, Verdict};
use crate::{movegen::legal_moves, position::Position, types::Move};

/// Checks of its own with which a side may delay its loss.
const DELAYS: usize = 3;

/// A search for mates within a number of nodes.
pub(super) struct Proof<'a> {
    pub(super) solver: &'a mut MateSolver,
    pub(super) stop: &'a AtomicBool,
    /// What is left of the nodes of all its searches.
    pub(super) nodes: u64,
    /// The move that held last, which often holds elsewhere too: it is tried first.
    pub(super) hardest: Option<Move>,
}

impl Proof<'_> {
    /// Whether every move of the side to move was proven to lose.
    pub(super) fn all_moves_lose(&mut self, position: &Position) -> bool {
        self.all_lose(&mut position.clone(), DELAYS)
    }

    fn all_lose(&mut self, position: &mut Position, delays: usize) -> bool {
        let mut moves = legal_moves(position);
        moves.sort_by_key(|&mv| Some(mv) != self.hardest);
        let mut holds = |mv: &&Move| after(position, **mv, |at| !self.loses(at, delays));
        let holding = moves.iter().find(&mut holds);
        self.hardest = holding.copied().or(self.hardest);
        holding.is_none() && !moves.is_empty()
    }

    /// Whether the side that just moved loses.
    fn loses(&mut self, position: &mut Position, delays: usize) -> bool {
        if self.mates(position) {
            return true;
        }
        if !position.in_check() || delays == 0 || self.nodes == 0 {
            return false;
        }
        let mut answers = legal_moves(position);
        // To take the piece that checks is most likely to end the checks.
        answers.sort_by_key(|mv| position.piece_on(mv.to()).is_none());
        let mut wins = |&mv: &Move| after(position, mv, |at| self.all_lose(at, delays - 1));
        answers.iter().any(&mut wins)
    }

    /// Whether the side to move mates.
    fn mates(&mut self, position: &Position) -> bool {
        if self.nodes == 0 {
            return false;
        }
        let limits = MateLimits { nodes: Some(self.nodes), ..MateLimits::until(self.stop) };
        let Ok(solution) = self.solver.solve(position, &limits, &mut |_| {}) else {
            return false;
        };
        self.nodes = self.nodes.saturating_sub(solution.nodes);
        matches!(solution.verdict, Verdict::Mate { .. })
    }
}

/// What holds in the position after a move, which is taken back.
fn after(position: &mut Position, mv: Move, holds: impl FnOnce(&mut Position) -> bool) -> bool {
    position.do_move(mv);
    let found = holds(position);
    position.undo_move();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all_moves_lose(sfen: &str, nodes: u64) -> bool {
        let position = Position::from_sfen(sfen).expect("the position of a test");
        let (solver, stop) = (&mut MateSolver::new(16), &AtomicBool::new(false));
        Proof { solver, stop, nodes, hardest: None }.all_moves_lose(&position)
    }

    /// Positions of public games in which the side to move would be mated if it passed.
    #[test]
    fn a_threat_is_brinkmate_only_if_nothing_parries_it() {
        for (sfen, expected) in cases! {
            "5g2+L/9/3p2+Rpk/n+Sp1p3p/KN3p3/P1P1PPLSP/1P2G1g2/LrS4P1/1b1G4+p w BS2N3Plp 174" => true;
            "ln3k1gl/1r1gg2s1/p2p2p2/2pbPp2p/7P1/P3K3P/LS1P1PP2/1P4+rs1/2P6 b Pbgs3nl2p 83" => true;
            // Checks delay the mate.
            "l7l/2g6/3pg3p/p1p2p3/bk5P1/Ps1npPP2/3r4P/LK3S3/2G1G2NL b 5Prb2s2n2p 157" => true;
            "ln6l/1+BR2+N3/3pg1kp1/p1p2sg1p/4p1pP1/P1PS1ns2/BP1P4P/2G6/LN1KG2+sL w Pr4p 116" => false;
            "l2g1g1nl/4k2+S1/2nsppPpP/pr1p5/2p4NL/P1PB3S1/1P1PPP+p2/1SG6/LN1K1G1+r1 b BP2p 65" => false;
            "1n5nl/R4p1k1/3p2sgp/2+B3pP1/1p2g2pP/l1PP2P2/1PSG4L/1K2pB3/LN+p+r3N1 b SPgs3p 105" => false;
        } {
            assert_eq!(all_moves_lose(sfen, 50_000), expected, "{sfen}");
            assert!(!all_moves_lose(sfen, 100), "100 nodes prove nothing: {sfen}");
        }
    }
}
