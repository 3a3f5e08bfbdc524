//! The judgement on each move of a game, and what each player did in sum.

use std::time::Duration;

use serde::Serialize;

use super::remarks::{Material, Played, Remark};
use super::{PositionAnalysis, as_seconds};
use crate::records::game::{Ending, GameRecord};
use crate::types::{Color, Score};

/// Largest loss of a single move in centipawns; scores beyond ±this count as this.
const MAX_SCORE: i32 = 2000;

/// From which loss of win chance, 0 to 1, a move gets its name.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Thresholds {
    /// 緩手.
    pub inaccuracy: f64,
    /// 疑問手.
    pub doubtful: f64,
    /// 悪手.
    pub blunder: f64,
    /// 大悪手.
    pub severe_blunder: f64,
}

impl Thresholds {
    /// The limits of `ShogiHome`.
    pub const USUAL: Self =
        Self { inaccuracy: 0.05, doubtful: 0.10, blunder: 0.20, severe_blunder: 0.50 };
}

/// What a move was worth.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// The best move of the analysis.
    Best,
    /// Another move that lost little.
    Good,
    /// 緩手: it lost [`Thresholds::inaccuracy`] of the win chance.
    Inaccuracy,
    /// 疑問手: it lost [`Thresholds::doubtful`] of the win chance.
    Doubtful,
    /// 悪手: it lost [`Thresholds::blunder`] of the win chance.
    Blunder,
    /// 大悪手: it lost [`Thresholds::severe_blunder`] of the win chance.
    SevereBlunder,
}

impl Class {
    /// The class of a move other than the best one.
    fn of_loss(loss: f64) -> Self {
        let Thresholds { inaccuracy, doubtful, blunder, severe_blunder } = Thresholds::USUAL;
        match loss {
            loss if loss >= severe_blunder => Self::SevereBlunder,
            loss if loss >= blunder => Self::Blunder,
            loss if loss >= doubtful => Self::Doubtful,
            loss if loss >= inaccuracy => Self::Inaccuracy,
            _ => Self::Good,
        }
    }

    /// Whether the move was doubtful or worse.
    pub const fn is_mistake(self) -> bool {
        matches!(self, Self::Doubtful | Self::Blunder | Self::SevereBlunder)
    }
}

/// The judgement on a move.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Judgement {
    /// The name of what it was worth.
    pub class: Class,
    /// Win chance of the mover before the move, 0 to 1.
    pub chance_before: f64,
    /// Win chance of the mover after the move.
    pub chance_after: f64,
    /// What the move did to the win chance of the mover, with its sign. These are the course of
    /// [`Review::chances`]; that of the best move is what the later search saw better.
    pub change: f64,
    /// Win chance lost, at least 0; 0 for the best move.
    pub loss: f64,
    /// Centipawns lost, scores beyond ±2000 counted as ±2000; 0 for the best move.
    pub centipawn_loss: i32,
    /// Length in plies of a mate that the mover had and let go.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missed_mate: Option<i32>,
    /// What else can be said about the move.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<Remark>,
    /// Of a mistake: the pieces that change hands along the best line, and along the line of the
    /// move that was played.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub material: Option<[Material; 2]>,
}

impl Judgement {
    /// Whether the best move was the only good one (好手).
    pub fn is_only_move(&self) -> bool {
        self.remarks.iter().any(|remark| matches!(remark, Remark::OnlyMove(_)))
    }

    /// Whether there is more to say than the class: a mistake, or a mate let go.
    pub const fn is_mistake(&self) -> bool {
        self.class.is_mistake() || self.missed_mate.is_some()
    }
}

/// What a player did in sum.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct PlayerSummary {
    /// Moves of this side that were judged.
    pub moves: usize,
    /// Moves that were the best one.
    pub best: usize,
    /// 緩手.
    pub inaccuracies: usize,
    /// 疑問手.
    pub doubtful: usize,
    /// 悪手 and 大悪手.
    pub blunders: usize,
    /// 大悪手.
    pub severe_blunders: usize,
    /// Mates that the player had and let go.
    pub missed_mates: usize,
    /// Share of best moves, 0 to 1; `None` without moves, as for the means.
    pub agreement: Option<f64>,
    /// Mean loss of win chance of a move, 0 to 1.
    pub mean_loss: Option<f64>,
    /// Mean loss of a move in centipawns.
    pub mean_centipawn_loss: Option<f64>,
    /// Time used, as far as the record knows; `None` if it knows the time of no move.
    #[serde(serialize_with = "as_seconds")]
    pub time: Option<Duration>,
}

/// A game with its analysis and the judgement on each move.
#[derive(Clone, Debug)]
pub struct Review {
    /// The analysis of the start and of the position after each move.
    pub positions: Vec<PositionAnalysis>,
    /// The judgement on each move.
    pub judgements: Vec<Judgement>,
    /// The players, by [`Color::index`].
    pub players: [PlayerSummary; Color::NUM],
    /// Black's win chance at the start and after each move, 0 to 1.
    pub chances: Vec<f64>,
    /// Whether the last position has the result of the game instead of a search.
    pub ends_by_rule: bool,
}

impl Review {
    /// Judges the moves of a game. `positions` has one more element than the game has moves. Where
    /// the rules ended the game, its result replaces the search of the last position.
    pub fn new(record: &GameRecord, mut positions: Vec<PositionAnalysis>) -> Self {
        let mut by_rule = PositionAnalysis::by_rule(record);
        let ends_by_rule = by_rule.is_some();
        // Whatever move came last would have met the limit or the referee.
        let is_due_to_last_move = !matches!(
            record.ending,
            Ending::MaxMoves | Ending::AdjudicatedDraw | Ending::AdjudicatedWin { .. }
        );
        if is_due_to_last_move {
            replace_last(&mut positions, by_rule.take());
        }
        let mut position = record.start.clone();
        let judgements: Vec<Judgement> = record
            .moves
            .iter()
            .zip(positions.windows(2))
            .map(|(played, pair)| {
                let (before, after) = (&pair[0], &pair[1]);
                let found = judge(&Played { position: &position, mv: played.mv, before, after });
                position.do_move(played.mv);
                found
            })
            .collect();
        replace_last(&mut positions, by_rule);
        let mut players = [PlayerSummary::default(); Color::NUM];
        for (played, judgement) in record.moves.iter().zip(&judgements) {
            players[played.mv.piece().color().index()].add(judgement, played.time);
        }
        players.iter_mut().for_each(PlayerSummary::finish);
        let first = record.start.side_to_move();
        let sides = [first, !first].into_iter().cycle();
        let chances = positions.iter().zip(sides).map(|(analysis, side)| {
            let chance = win_chance(analysis.score());
            match side {
                Color::Black => chance,
                Color::White => 1.0 - chance,
            }
        });
        Self { chances: chances.collect(), positions, judgements, players, ends_by_rule }
    }
}

fn replace_last(positions: &mut [PositionAnalysis], result: Option<PositionAnalysis>) {
    if let (Some(result), Some(last)) = (result, positions.last_mut()) {
        *last = result;
    }
}

fn judge(played: &Played<'_>) -> Judgement {
    let Played { before, after, .. } = *played;
    let is_best = is_best(&played.mv.to_string(), before);
    let chance_before = win_chance(before.score());
    let chance_after = 1.0 - win_chance(after.score());
    let loss = if is_best { 0.0 } else { chance_lost(before, after).max(0.0) };
    let centipawn_loss =
        if is_best { 0 } else { (centipawns(before.score()) + centipawns(after.score())).max(0) };
    // A mate is not missed where another move mates too.
    let still_mates = is_best || matches!(after.score(), Score::Mate(plies) if plies <= 0);
    let class = if is_best { Class::Best } else { Class::of_loss(loss) };
    let mut judgement = Judgement {
        class,
        chance_before,
        chance_after,
        change: chance_after - chance_before,
        loss,
        centipawn_loss,
        missed_mate: before.mate.filter(|_| !still_mates),
        remarks: played.remarks(is_best, class.is_mistake()),
        material: None,
    };
    judgement.material = judgement.is_mistake().then(|| played.material());
    judgement
}

/// Whether the move `played` is the best one of the analysis.
pub(super) fn is_best(played: &str, before: &PositionAnalysis) -> bool {
    before.lines.first().is_some_and(|line| line.first() == played)
}

/// The win chance that a move lost between two positions, negative where it gained.
pub(super) fn chance_lost(before: &PositionAnalysis, after: &PositionAnalysis) -> f64 {
    win_chance(before.score()) + win_chance(after.score()) - 1.0
}

/// The score in centipawns within ±[`MAX_SCORE`]. Being mated in 0 plies is [`Score::Mate`] of 0.
fn centipawns(score: Score) -> i32 {
    match score {
        Score::Cp(centipawns) => centipawns.clamp(-MAX_SCORE, MAX_SCORE),
        Score::Mate(plies) if plies > 0 => MAX_SCORE,
        Score::Mate(_) => -MAX_SCORE,
    }
}

impl PlayerSummary {
    fn add(&mut self, judgement: &Judgement, time: Option<Duration>) {
        self.moves += 1;
        match judgement.class {
            Class::Best => self.best += 1,
            Class::Good => {}
            Class::Inaccuracy => self.inaccuracies += 1,
            Class::Doubtful => self.doubtful += 1,
            Class::Blunder | Class::SevereBlunder => self.blunders += 1,
        }
        self.severe_blunders += usize::from(judgement.class == Class::SevereBlunder);
        self.missed_mates += usize::from(judgement.missed_mate.is_some());
        *self.mean_loss.get_or_insert_default() += judgement.loss;
        *self.mean_centipawn_loss.get_or_insert_default() += f64::from(judgement.centipawn_loss);
        if let Some(time) = time {
            let sum = self.time.get_or_insert_default();
            // Records hold whatever their writers claim.
            *sum = sum.saturating_add(time);
        }
    }

    /// Turns sums into means.
    fn finish(&mut self) {
        let moves = self.moves as f64;
        self.agreement = (self.moves > 0).then(|| self.best as f64 / moves);
        self.mean_loss = self.mean_loss.map(|sum| sum / moves);
        self.mean_centipawn_loss = self.mean_centipawn_loss.map(|sum| sum / moves);
    }
}

/// Centipawns at which the chance is 1/(1 + 1/e) = 73 %. The customary constant of shogi programs
/// since Ponanza. A fit to 117,799 scores within ±30 pawns of 1,669 games of this engine against
/// itself and its relatives at 25,000 nodes a move gave 620.
pub const SCALE: f64 = 600.0;

/// The chance that the side with this score wins, from 0 to 1: `1 / (1 + exp(-score / SCALE))` of
/// centipawns. A mate is certain.
pub fn win_chance(score: Score) -> f64 {
    match score {
        Score::Cp(centipawns) => 1.0 / (1.0 + (-f64::from(centipawns) / SCALE).exp()),
        Score::Mate(plies) if plies > 0 => 1.0,
        Score::Mate(_) => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chances_of_both_sides_add_up() {
        for centipawns in [0, 1, 600, 30_000] {
            let sum = win_chance(Score::Cp(centipawns)) + win_chance(Score::Cp(-centipawns));
            assert!((sum - 1.0).abs() < 1e-12);
        }
        assert!((win_chance(Score::Cp(600)) - 0.731).abs() < 0.001);
        assert!(win_chance(Score::Cp(3000)) < win_chance(Score::Mate(31)));
        for (plies, chance) in [(1, 1.0), (-1, 0.0), (0, 0.0)] {
            assert!((win_chance(Score::Mate(plies)) - chance).abs() < 1e-12);
        }
    }
}
