//! A record of any format: a sample, a sum of samples, a node of a search tree, a game, or a
//! position alone.

use std::ops::Range;

use super::Format;
use crate::records::hcpe3;
use crate::records::pack::{PackGame, PackReason};
use crate::records::sample::{PositionSum, Sample, TreePosition};
use crate::records::score::{NINTHS, centipawns_to_psv};
use crate::types::{Color, Move};
use crate::{position::Position, records::game::GameResult, records::packed::PackedSfen};

/// What one record of a file holds.
#[derive(Clone, Debug)]
pub enum Record {
    /// A position with its score and result.
    Sample(ScoredPosition),
    /// A position with the sums of several samples.
    Sum(PositionSum),
    /// An inner node of a search, without a result.
    Tree(TreePosition),
    /// A game, or a part of one.
    Game(Box<TeacherGame>),
    /// A position without score and result, and the number of its next move.
    Position(PackedSfen, u16),
}

/// A sample as a file holds it.
#[derive(Clone, Debug)]
pub struct ScoredPosition {
    /// The sample, whose score is rounded to centipawns.
    pub sample: Sample,
    /// The exact score in ninths of a centipawn.
    pub score_ninths: i64,
    source: Option<SourceBytes>,
}

/// The bytes of the score in a record of a sample; those of all formats that keep their source.
const SCORE_BYTES: Range<usize> = 32..34;

/// A game as a file holds it.
#[derive(Clone, Debug)]
pub struct TeacherGame {
    /// The start, the moves with their scores, and the result.
    pub game: PackGame,
    /// The ratings of the players, where the format has them.
    pub ratings: [Option<f64>; Color::NUM],
    /// Indices of the moves that were played without a search, in ascending order.
    unsearched: Vec<usize>,
    source: Option<SourceBytes>,
}

/// The bytes of a record in the format it was read from. A writer of that format copies them, so
/// that fields which a [`Record`] lacks are kept.
#[derive(Clone, Debug)]
struct SourceBytes {
    format: Format,
    bytes: Box<[u8]>,
}

impl ScoredPosition {
    /// A sample that was read from `bytes` of this format, in which bytes 32 and 33 are the score.
    pub(super) fn from_bytes(sample: Sample, format: Format, bytes: &[u8]) -> Self {
        Self { source: Some(SourceBytes { format, bytes: bytes.into() }), ..Self::from(sample) }
    }

    /// The same sample with another score, in centipawns.
    #[must_use]
    pub fn with_score(mut self, score: i16) -> Self {
        self.sample.score = score;
        self.score_ninths = i64::from(score) * NINTHS;
        if let Some(SourceBytes { format, bytes }) = &mut self.source {
            let stored = match format {
                Format::Psv => centipawns_to_psv(score),
                _ => score,
            };
            bytes[SCORE_BYTES].copy_from_slice(&stored.to_le_bytes());
        }
        self
    }
}

impl From<Sample> for ScoredPosition {
    fn from(sample: Sample) -> Self {
        Self { sample, score_ninths: i64::from(sample.score) * NINTHS, source: None }
    }
}

impl From<PackGame> for TeacherGame {
    fn from(game: PackGame) -> Self {
        Self { game, ratings: [None; Color::NUM], unsearched: Vec::new(), source: None }
    }
}

impl TeacherGame {
    /// A game that was read from `bytes` of this format. `unsearched` are the indices
    /// of the moves that were played without a search, in ascending order.
    pub(super) fn from_bytes(
        game: PackGame,
        unsearched: Vec<usize>,
        (format, bytes): (Format, Box<[u8]>),
    ) -> Self {
        Self { unsearched, source: Some(SourceBytes { format, bytes }), ..Self::from(game) }
    }

    /// The same game with the ratings of its players.
    pub(super) fn with_ratings(self, ratings: [Option<f64>; Color::NUM]) -> Self {
        Self { ratings, ..self }
    }

    /// The moves with their scores in centipawns; `None` for a move that was played without a
    /// search.
    pub fn scored_moves(&self) -> impl Iterator<Item = (Move, Option<i16>)> + Clone {
        let moves = self.game.moves.iter().enumerate();
        moves.map(|(index, &(mv, score))| {
            let is_searched = self.unsearched.binary_search(&index).is_err();
            (mv, is_searched.then_some(score))
        })
    }

    /// The games of consecutive searched moves, for formats in which every move has a score.
    pub(super) fn searched_parts(&self) -> Vec<PackGame> {
        let mut position = self.game.start.clone();
        let mut parts: Vec<PackGame> = Vec::new();
        let mut goes_on = false;
        for (mv, score) in self.scored_moves() {
            if score.is_some() && !goes_on {
                parts.push(PackGame { start: position.clone(), moves: Vec::new(), ..self.game });
            }
            goes_on = score.is_some();
            if let (Some(score), Some(part)) = (score, parts.last_mut()) {
                part.moves.push((mv, score));
            }
            position.do_move(mv);
        }
        parts
    }

    /// Whether moves were played without a search.
    pub(super) const fn has_unsearched(&self) -> bool {
        !self.unsearched.is_empty()
    }

    /// The same game with other scores, in centipawns, one for each move.
    #[must_use]
    pub fn with_scores(mut self, scores: &[i16]) -> Self {
        for ((_, score), new) in self.game.moves.iter_mut().zip(scores) {
            *score = *new;
        }
        if let Some(source) = &mut self.source {
            // No other format of games keeps its source.
            hcpe3::set_scores(&mut source.bytes, scores);
        }
        self
    }

    fn for_each_sample(&self, mut visit: impl FnMut(&Sample)) {
        let mut position = self.game.start.clone();
        for (mv, score) in self.scored_moves() {
            if let Some(score) = score {
                visit(&Sample {
                    position: PackedSfen::of(&position),
                    score,
                    mv: Some(mv.to_move16()),
                    result: self.game.result,
                    ply: u16::try_from(position.game_ply()).unwrap_or(u16::MAX),
                });
            }
            position.do_move(mv);
        }
    }
}

impl From<Sample> for Record {
    fn from(sample: Sample) -> Self {
        Self::Sample(sample.into())
    }
}

impl From<PackGame> for Record {
    fn from(game: PackGame) -> Self {
        Self::Game(Box::new(game.into()))
    }
}

impl Record {
    /// The game, if the record is one.
    pub fn game(&self) -> Option<&TeacherGame> {
        match self {
            Self::Game(game) => Some(game),
            _ => None,
        }
    }

    /// Whether it is a position with no move, which some programs do not write.
    pub fn is_without_move(&self) -> bool {
        match self {
            Self::Sample(scored) => scored.sample.mv.is_none(),
            Self::Sum(sum) => sum.mv == 0,
            _ => false,
        }
    }

    /// Whether the record is a game.
    pub const fn is_game(&self) -> bool {
        matches!(self, Self::Game(_))
    }

    /// The position with a score and a result, if the record is one.
    fn sample(&self) -> Option<Sample> {
        match self {
            Self::Sample(scored) => Some(scored.sample),
            Self::Sum(sum) => Some(sum.to_sample()),
            Self::Game(_) | Self::Tree(_) | Self::Position(..) => None,
        }
    }

    /// Whether the record has no result, or one by play or by the rules: the game was not
    /// interrupted, lost on time, or lost by an illegal move.
    pub fn is_finished(&self) -> bool {
        self.game().is_none_or(|game| {
            !matches!(
                game.game.reason,
                PackReason::INTERRUPTED | PackReason::TIME_UP | PackReason::ILLEGAL_MOVE
            )
        })
    }

    /// The bytes of the record, if it was read from a file of this format.
    pub(super) fn source_bytes(&self, format: Format) -> Option<&[u8]> {
        let source = match self {
            Self::Sample(scored) => scored.source.as_ref(),
            Self::Game(game) => game.source.as_ref(),
            Self::Sum(_) | Self::Tree(_) | Self::Position(..) => None,
        };
        let source = source.filter(|source| source.format == format);
        source.map(|source| &*source.bytes)
    }

    /// The number of positions, those of a game that were searched.
    pub fn positions(&self) -> u64 {
        self.game().map_or(1, |game| {
            let scores = game.scored_moves();
            scores.filter(|(_, score)| score.is_some()).count() as u64
        })
    }

    /// Visits the samples: one of a position with a score and a result, and one for each searched
    /// move of a game.
    pub fn for_each_sample(&self, mut visit: impl FnMut(&Sample)) {
        if let Self::Game(game) = self {
            game.for_each_sample(visit);
        } else if let Some(sample) = self.sample() {
            visit(&sample);
        }
    }

    /// Visits the samples as sums with exact scores.
    pub fn for_each_sum(&self, mut visit: impl FnMut(PositionSum)) {
        match self {
            Self::Sum(sum) => visit(*sum),
            Self::Sample(scored) => visit(PositionSum {
                position: canonical(scored.sample.position),
                score_sum: scored.score_ninths,
                ..PositionSum::from_sample(&scored.sample)
            }),
            _ => self.for_each_sample(|sample| visit(PositionSum::from_sample(sample))),
        }
    }

    /// Visits the positions with the numbers of their next moves.
    pub fn for_each_position(&self, mut visit: impl FnMut(PackedSfen, u16)) {
        match self {
            Self::Position(position, ply) => visit(*position, *ply),
            Self::Tree(node) => visit(node.position, node.ply),
            _ => {}
        }
        self.for_each_sample(|sample| visit(sample.position, sample.ply));
    }
}

/// The position packed anew: older versions of `YaneuraOu` wrote the hands in another order.
fn canonical(position: PackedSfen) -> PackedSfen {
    let board = position.unpack_board();
    board.map_or(position, |board| PackedSfen::of_board(&board))
}

// --- Parts of a game ---

/// First and last ply of a record within its game, and the result of the game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span {
    plies: (u32, u32),
    result: GameResult,
}

/// A record that was skipped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Skipped {
    /// A game or a part of one.
    Game(Span),
    /// A position without a game.
    Position,
}

impl Span {
    /// The span of `moves` moves from the ply `first` on, in a game with this result.
    pub(super) const fn new(first: u32, moves: usize, result: GameResult) -> Self {
        Self { plies: (first, first.saturating_add(moves as u32)), result }
    }

    /// The span of a game or of a part of one.
    pub fn of_game(record: &Record) -> Option<Self> {
        let game = &record.game()?.game;
        let first = game.start.game_ply();
        Some(Self::new(first, game.moves.len(), game.result))
    }

    /// The same, or the span of a single position with a result, if its ply is known.
    pub fn of(record: &Record) -> Option<Self> {
        let Some(sample) = record.sample() else {
            return Self::of_game(record);
        };
        let first = u32::from(sample.ply);
        (first > 0).then_some(Self::new(first, 1, sample.result))
    }

    /// Whether the next record may be another part of the game: it comes after this one and has the
    /// same result. Where `gensfen` omits moves of a game, it writes several such parts. Two games
    /// that only look like parts of one are harmless.
    pub fn goes_on_with(self, next: Self) -> bool {
        self.plies.1 <= next.plies.0 && self.result == next.result
    }
}

/// The game that the last samples belong to.
#[derive(Default)]
pub struct Chain {
    game: Option<Open>,
}

struct Open {
    game: PackGame,
    position: Position,
    /// The position that continues this game.
    next: PackedSfen,
}

impl Chain {
    /// Whether a record belongs to the game of the last samples.
    pub fn is_continued_by(&self, record: &Record) -> bool {
        record.sample().is_some_and(|sample| self.goes_on(&sample))
    }

    fn goes_on(&self, sample: &Sample) -> bool {
        self.game
            .as_ref()
            .is_some_and(|open| open.next == sample.position && open.game.result == sample.result)
    }

    /// Adds a record, and returns the previous game if the record does not continue it.
    pub fn add(&mut self, record: &Record) -> Option<PackGame> {
        let mut ended = None;
        record.for_each_sample(|sample| ended = self.add_sample(sample));
        ended
    }

    fn add_sample(&mut self, sample: &Sample) -> Option<PackGame> {
        let mut ended = None;
        if !self.goes_on(sample) {
            ended = self.finish();
            self.game = begin(sample);
        }
        let mv = sample.mv;
        if let Some(open) = &mut self.game
            && let Some(mv) = mv.and_then(|mv| open.position.to_move(mv))
        {
            open.game.moves.push((mv, sample.score));
            open.position.do_move(mv);
            open.next = PackedSfen::of(&open.position);
        }
        ended
    }

    /// Ends the chain and returns its last game.
    pub fn finish(&mut self) -> Option<PackGame> {
        let open = self.game.take()?;
        Some(open.game)
    }
}

/// `None` if the position is invalid, which the reader refuses.
fn begin(sample: &Sample) -> Option<Open> {
    let position = sample.position.unpack(u32::from(sample.ply.max(1))).ok()?;
    Some(Open {
        next: sample.position,
        game: PackGame {
            start: position.clone(),
            moves: Vec::new(),
            result: sample.result,
            reason: PackReason::RESIGNATION,
        },
        position,
    })
}
