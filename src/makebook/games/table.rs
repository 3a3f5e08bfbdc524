//! Positions and how often each of their moves was played, with what result.

use std::collections::{HashMap, HashSet};
use std::fmt;

use super::reader::Game;
use crate::records::game::GameResult;
use crate::records::packed::PackedSfen;
use crate::types::{Color, Move, Move16};

/// About what a position takes in memory, in bytes, without its moves.
const POSITION_BYTES: u64 = 128;
/// About what a move takes.
const MOVE_BYTES: u64 = 48;
/// Bytes of a packed move.
const PACKED_MOVE: usize = 36;

/// The results of a move. The side to move is the one that makes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Seen {
    Win,
    Draw,
    Loss,
    Unknown,
}

/// A move and the results of the games in which it was played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct MoveCount {
    pub(super) mv: Move16,
    /// The answer in the last of these games.
    pub(super) ponder: Option<Move16>,
    /// Wins, draws and losses of the side to move, and games without a result.
    counts: [u64; 4],
}

impl MoveCount {
    /// Number of games.
    pub(super) fn games(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Share of the points that the side to move won, 0 to 1; `None` without a result.
    #[expect(clippy::cast_precision_loss, reason = "a rate")]
    pub(super) fn rate(&self) -> Option<f64> {
        let [wins, draws, losses, _] = self.counts;
        let games = wins + draws + losses;
        (games > 0).then(|| (wins as f64 + draws as f64 / 2.0) / games as f64)
    }
}

/// The columns of the table of results, without the position.
impl fmt::Display for MoveCount {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [wins, draws, losses, unknown] = self.counts;
        let (mv, games) = (self.mv, self.games());
        write!(
            formatter,
            "{mv}\t{games}\t{wins}\t{draws}\t{losses}\t{unknown}\t"
        )?;
        match self.rate() {
            Some(rate) => write!(formatter, "{rate:.6}"),
            None => formatter.write_str("-"),
        }
    }
}

/// A position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Node {
    /// The smallest ply.
    pub(super) ply: u32,
    /// In the order in which they were first seen.
    pub(super) moves: Vec<MoveCount>,
}

impl Node {
    /// Adds what was counted later.
    pub(super) fn append(&mut self, later: Self) {
        self.ply = self.ply.min(later.ply);
        for known in later.moves {
            match self.moves.iter_mut().find(|earlier| earlier.mv == known.mv) {
                Some(earlier) => {
                    earlier.ponder = known.ponder.or(earlier.ponder);
                    for (sum, count) in earlier.counts.iter_mut().zip(known.counts) {
                        *sum += count;
                    }
                }
                None => self.moves.push(known),
            }
        }
    }

    /// The node of `position` as bytes.
    pub(super) fn pack(&self, position: PackedSfen) -> Vec<u8> {
        let mut bytes = position.to_bytes().to_vec();
        bytes.extend(self.ply.to_le_bytes());
        for known in &self.moves {
            bytes.extend(known.mv.to_bits().to_le_bytes());
            bytes.extend(known.ponder.map_or(0, Move16::to_bits).to_le_bytes());
            bytes.extend(known.counts.iter().flat_map(|count| count.to_le_bytes()));
        }
        bytes
    }
}

/// The node of bytes that [`Node::pack`] made; `None` for others.
pub(super) fn unpack(bytes: &[u8]) -> Option<(PackedSfen, Node)> {
    let (position, rest) = bytes.split_first_chunk()?;
    let (ply, rest) = rest.split_first_chunk()?;
    let read = |bytes: &[u8]| {
        let (mv, rest) = bytes.split_first_chunk()?;
        let (ponder, rest) = rest.split_first_chunk()?;
        let mut counts = [0; 4];
        for (count, bytes) in counts.iter_mut().zip(rest.chunks_exact(8)) {
            *count = u64::from_le_bytes(*bytes.first_chunk()?);
        }
        Some(MoveCount {
            mv: Move16::from_bits(u16::from_le_bytes(*mv))?,
            ponder: Move16::from_bits(u16::from_le_bytes(*ponder)),
            counts,
        })
    };
    let moves = rest.chunks_exact(PACKED_MOVE).map(read);
    let node = Node {
        ply: u32::from_le_bytes(*ply),
        moves: moves.collect::<Option<_>>()?,
    };
    Some((PackedSfen::from_bytes(*position), node))
}

/// Counts moves in memory.
#[derive(Default)]
pub(super) struct Table {
    nodes: HashMap<PackedSfen, Node>,
    moves: u64,
}

impl Table {
    /// Counts the first `plies` moves of a game, those of one `side` or all. A move that a game
    /// plays again where it was played before counts once.
    pub(super) fn add(&mut self, game: &Game, plies: usize, side: Option<Color>) {
        let mut position = game.start.clone();
        let mut counted = HashSet::new();
        for (index, &mv) in game.moves.iter().enumerate().take(plies) {
            let us = position.side_to_move();
            let packed = PackedSfen::of(&position);
            if side.is_none_or(|side| side == us) && counted.insert((packed, mv.to_move16())) {
                let seen = match game.result.map(|result: GameResult| result.for_side(us)) {
                    None => Seen::Unknown,
                    Some(0) => Seen::Draw,
                    Some(points) if points > 0 => Seen::Win,
                    Some(_) => Seen::Loss,
                };
                let reply = game.moves.get(index + 1);
                let ply = position.game_ply();
                self.count(packed, ply, mv, reply, seen);
            }
            position.do_move(mv);
        }
    }

    fn count(
        &mut self,
        position: PackedSfen,
        ply: u32,
        mv: Move,
        reply: Option<&Move>,
        seen: Seen,
    ) {
        let mut known = MoveCount {
            mv: mv.to_move16(),
            ponder: reply.map(|reply| reply.to_move16()),
            counts: [0; 4],
        };
        known.counts[seen as usize] = 1;
        let node = self.nodes.entry(position).or_insert(Node {
            ply,
            moves: Vec::new(),
        });
        let before = node.moves.len();
        node.append(Node {
            ply,
            moves: vec![known],
        });
        self.moves += (node.moves.len() - before) as u64;
    }

    /// About how much memory the table takes.
    pub(super) fn bytes(&self) -> u64 {
        self.nodes.len() as u64 * POSITION_BYTES + self.moves * MOVE_BYTES
    }

    /// Empties the table.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = (PackedSfen, Node)> {
        self.moves = 0;
        std::mem::take(&mut self.nodes).into_iter()
    }
}
