//! Self-play: one game of the engine against itself.

use std::{collections::HashMap, collections::hash_map::Entry, fmt, sync::Arc};

use anyhow::{Result, bail};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::{Diversions, Endings, GensfenSettings, RULE, Run, TreeSampling};
use crate::openings::{self, Opener, Purpose, RuleEnd, below, fraction, generator};
use crate::search::{Generations, Limits, Settings, Solo, SoloLine, TreeNode};
use crate::types::{Color, Move};
use crate::{movegen::legal_moves, records::packed::PackedSfen, records::sample::TreePosition};
use crate::{position::Position, records::score};

/// Consecutive moves, each the best of its position; the last one need not have been played.
#[derive(Clone, Debug)]
pub(super) struct Segment {
    /// The position before the first move.
    pub(super) start: Position,
    /// The moves with the scores of their positions, in centipawns of the side to move.
    pub(super) moves: Vec<(Move, i16)>,
}

/// A game that was played to its end, by the rules or by adjudication.
#[derive(Clone, Debug)]
pub(super) struct PlayedGame {
    pub(super) number: u64,
    pub(super) segments: Vec<Segment>,
    pub(super) outcome: Outcome,
    /// Positions searched, written or not.
    pub(super) plies: u64,
    pub(super) nodes: u64,
    /// Openings rejected before the game.
    pub(super) rejected: u64,
    /// Inner nodes of the searches; `None` if the run does not write them.
    pub(super) trees: Option<Vec<TreePosition>>,
}

/// Plays games, one after the other. Each depends on its number and the settings only.
pub(super) struct Player<'a> {
    settings: &'a GensfenSettings,
    opener: Opener<'a>,
    solo: Solo,
    /// The limits of the positions that are written.
    limits: Arc<Limits>,
    /// The limits of the positions between.
    limits_between: Arc<Limits>,
}

impl<'a> Player<'a> {
    pub(super) fn new(run: Run<'a>) -> Result<Self> {
        let settings = run.settings;
        let solo = Solo::new(Settings {
            hash_mb: settings.hash_mb,
            max_moves_to_draw: settings.endings.max_ply,
            entering_king_rule: RULE,
            // Both sides value a draw at 0.
            draw_value: [0; 2],
            evaluator: run.evaluator.clone(),
            generations: Generations::Strict,
            ..Settings::default()
        })?;
        let limits = Arc::new(settings.effort.limits());
        let (seed, max_ply) = (settings.seed, settings.endings.max_ply);
        let gaps = settings.gaps.as_ref();
        Ok(Self {
            settings,
            opener: Opener::new(&settings.openings, run.starts, RULE, seed, max_ply),
            solo,
            limits_between: gaps.map_or_else(|| Arc::clone(&limits), |gaps| gaps.limits().into()),
            limits,
        })
    }

    /// Plays the game with this number; `None` if `is_aborted` returned true during the game.
    pub(super) fn play(
        &mut self,
        number: u64,
        is_aborted: &dyn Fn() -> bool,
    ) -> Result<Option<PlayedGame>> {
        let settings = self.settings;
        self.solo.new_game();
        let opening = self.opener.open(number, &mut self.solo)?;
        let mut random = generator(Purpose::GAME, settings.seed, number, 0);
        let is_to_mate = fraction(&mut random) < settings.endings.to_mate;
        let diverted = diverted_plies(&settings.diversions, &mut random);
        let mut referee = Referee::new(&settings.endings, is_to_mate);
        let mut position = opening.position.clone();
        let mut chain = Chain::new(settings, &mut random);
        let sampling = settings.trees.as_ref();
        let mut trees = sampling.map(|trees| TreeSampler::new(trees, settings.seed, number));
        let (mut plies, mut nodes) = (0, opening.nodes);
        let outcome = loop {
            if let Some(outcome) = referee.end(&position) {
                break outcome;
            }
            if is_aborted() {
                return Ok(None);
            }
            let is_diverted = diverted.contains(&position.game_ply());
            let is_written = chain.takes(position.game_ply());
            let lines = self.think(&position, is_written, is_diverted, &mut nodes);
            let Some(best) = lines.first() else {
                let sfen = position.to_sfen();
                bail!(
                    "the search has no move in {sfen}, expected one because there is a legal one"
                );
            };
            if is_written && let Some(trees) = &mut trees {
                trees.draw(&position, &self.solo);
            }
            plies += 1;
            let score = score::of_value(best.value);
            chain.add(&position, best.mv, score);
            if let Some(outcome) = referee.adjudicate(position.side_to_move(), score) {
                break outcome;
            }
            let mv = if is_diverted {
                self.divert(&position, &lines, &mut chain, &mut random)
            } else {
                best.mv
            };
            position.do_move(mv);
        };
        Ok(Some(PlayedGame {
            number,
            segments: chain.segments,
            outcome,
            plies,
            nodes,
            rejected: opening.rejected,
            trees: trees.map(|trees| trees.nodes),
        }))
    }

    fn think(
        &mut self,
        position: &Position,
        is_written: bool,
        is_diverted: bool,
        nodes: &mut u64,
    ) -> Vec<SoloLine> {
        let lines = if is_diverted { self.settings.diversions.multi_pv.max(1) } else { 1 };
        self.solo.set_multi_pv(lines);
        let limits = if is_written { &self.limits } else { &self.limits_between };
        let result = self.solo.search(position, limits);
        *nodes += result.statistics.nodes;
        result.lines
    }

    /// Draws the move to play, which may be the best one. Another move ends the segment.
    fn divert(
        &self,
        position: &Position,
        lines: &[SoloLine],
        chain: &mut Chain,
        random: &mut ChaCha8Rng,
    ) -> Move {
        let diversions = &self.settings.diversions;
        if diversions.multi_pv == 0 {
            // After a random move, which may be a blunder, the result says little about the moves
            // before it.
            chain.segments.clear();
            chain.is_open = false;
            let moves = legal_moves(position);
            return moves[below(random, moves.len())];
        }
        let mv = choose(diversions, lines, random);
        if mv != lines[0].mv {
            chain.is_open = false;
        }
        mv
    }
}

/// The segments of a game as it is played.
struct Chain {
    /// The distance of two written positions in plies.
    distance: u32,
    /// The remainder of their plies divided by it.
    remainder: u32,
    segments: Vec<Segment>,
    /// Whether the next position continues the last segment.
    is_open: bool,
}

impl Chain {
    fn new(settings: &GensfenSettings, random: &mut ChaCha8Rng) -> Self {
        let (distance, remainder) = settings.gaps.as_ref().map_or((1, 0), |gaps| {
            let distance = gaps.every.max(1);
            (distance, below(random, distance as usize) as u32)
        });
        Self { distance, remainder, segments: Vec::new(), is_open: false }
    }

    /// Whether the position at that ply is written.
    fn takes(&self, ply: u32) -> bool {
        ply % self.distance == self.remainder
    }

    fn add(&mut self, position: &Position, mv: Move, score: i16) {
        if !self.takes(position.game_ply()) {
            self.is_open = false;
            return;
        }
        match self.segments.last_mut() {
            Some(segment) if self.is_open => segment.moves.push((mv, score)),
            _ => self.segments.push(Segment { start: position.clone(), moves: vec![(mv, score)] }),
        }
        self.is_open = true;
    }
}

/// The plies at which a game may leave the best line: a random subset of the range.
fn diverted_plies(diversions: &Diversions, random: &mut ChaCha8Rng) -> Vec<u32> {
    let mut plies: Vec<u32> = (diversions.min_ply..=diversions.max_ply).collect();
    let count = plies.len().min(diversions.count as usize);
    for index in 0..count {
        let other = index + below(random, plies.len() - index);
        plies.swap(index, other);
    }
    plies.truncate(count);
    plies
}

/// Draws one of the lines within `multi_pv_diff` of the best, better ones with a higher weight.
/// `lines` is not empty.
fn choose(diversions: &Diversions, lines: &[SoloLine], random: &mut ChaCha8Rng) -> Move {
    let best = i32::from(score::of_value(lines[0].value));
    let loss = |line: &SoloLine| (best - i32::from(score::of_value(line.value))).max(0) as u32;
    let weight = |line: &SoloLine| match diversions.temperature {
        _ if loss(line) > diversions.multi_pv_diff => 0.0,
        0 => 1.0,
        temperature => (-f64::from(loss(line)) / f64::from(temperature)).exp(),
    };
    let mut rest = fraction(random) * lines.iter().map(weight).sum::<f64>();
    for line in lines {
        rest -= weight(line);
        if rest < 0.0 {
            return line.mv;
        }
    }
    lines[0].mv
}

/// Draws a random sample of the inner nodes of the searches of one game.
struct TreeSampler {
    sampling: TreeSampling,
    random: ChaCha8Rng,
    /// The nodes drawn so far, each position once, in the order in which they were first drawn.
    nodes: Vec<TreePosition>,
    /// The index of each position in `nodes`.
    indices: HashMap<PackedSfen, usize>,
}

impl TreeSampler {
    /// The sampler of a game with this number. Other random numbers of the game do not depend on
    /// it.
    fn new(sampling: &TreeSampling, seed: u64, game: u64) -> Self {
        Self {
            sampling: sampling.clone(),
            random: generator(Purpose::TREE, seed, game, 0),
            nodes: Vec::new(),
            indices: HashMap::new(),
        }
    }

    /// Draws from the tree of the last search of `solo`, which began at `root`: each node with the
    /// same probability (reservoir sampling).
    fn draw(&mut self, root: &Position, solo: &Solo) {
        let (mut drawn, mut count) = (Vec::new(), 0);
        let (limit, random) = (self.sampling.positions, &mut self.random);
        solo.visit_tree(root, self.sampling.min_depth, &mut |position, node| {
            count += 1;
            if drawn.len() < limit {
                drawn.push(tree_position(position, node));
                return;
            }
            let place = below(random, count);
            if place < limit {
                drawn[place] = tree_position(position, node);
            }
        });
        for node in drawn {
            self.add(node);
        }
    }

    /// Adds a node, which replaces a less deep one of the same position: the trees of neighbouring
    /// moves overlap.
    fn add(&mut self, node: TreePosition) {
        match self.indices.entry(node.position) {
            Entry::Vacant(entry) => {
                entry.insert(self.nodes.len());
                self.nodes.push(node);
            }
            Entry::Occupied(entry) => {
                let known = &mut self.nodes[*entry.get()];
                if node.depth > known.depth {
                    *known = node;
                }
            }
        }
    }
}

fn tree_position(position: &Position, node: TreeNode) -> TreePosition {
    TreePosition {
        position: PackedSfen::of(position),
        score: score::of_value(node.value),
        mv: node.mv.map(Move::to_move16),
        ply: u16::try_from(position.game_ply()).unwrap_or(u16::MAX),
        depth: node.depth as u8,
        bound: node.bound,
    }
}

// --- Ends of games ---

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Outcome {
    /// `None` for a draw.
    pub winner: Option<Color>,
    /// Why the game ended so.
    pub reason: Reason,
}

/// Why a game ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// The loser has no legal move, in check or not.
    Mate,
    /// The winner could declare a win.
    Declaration,
    /// The fourth occurrence of a position, a draw.
    Repetition,
    /// The fourth occurrence of a position where all moves of the loser were checks.
    PerpetualCheck,
    /// The game reached the maximum ply, a draw.
    MaxPly,
    /// The scores were beyond the limits of the settings.
    Adjudication,
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Mate => "mate",
            Self::Declaration => "declaration",
            Self::Repetition => "repetition",
            Self::PerpetualCheck => "perpetual check",
            Self::MaxPly => "the limit of moves",
            Self::Adjudication => "adjudication",
        })
    }
}

impl Outcome {
    const fn draw(reason: Reason) -> Self {
        Self { winner: None, reason }
    }

    const fn win(winner: Color, reason: Reason) -> Self {
        Self { winner: Some(winner), reason }
    }
}

/// Decides when one game ends.
pub(super) struct Referee<'a> {
    endings: &'a Endings,
    /// Whether the game is played to its end by the rules, without adjudication.
    is_to_mate: bool,
    /// Consecutive plies in which black (positive) or white (negative) was far ahead by both
    /// scores.
    agreed: i64,
}

impl<'a> Referee<'a> {
    /// `is_to_mate` may differ from game to game.
    pub(super) fn new(endings: &'a Endings, is_to_mate: bool) -> Self {
        Self { endings, is_to_mate, agreed: 0 }
    }

    /// The end of the game by the rules or at the maximum ply.
    pub(super) fn end(&self, position: &Position) -> Option<Outcome> {
        let is_last = position.game_ply() > self.endings.max_ply;
        end_by_rules(position).or_else(|| is_last.then(|| Outcome::draw(Reason::MaxPly)))
    }

    /// The end of the game by adjudication, given the score of the side to move in centipawns.
    pub(super) fn adjudicate(&mut self, side_to_move: Color, score: i16) -> Option<Outcome> {
        if self.is_to_mate {
            return None;
        }
        let size = u32::from(score.unsigned_abs());
        let leader = if score > 0 { side_to_move } else { !side_to_move };
        let win = Outcome::win(leader, Reason::Adjudication);
        let sign = if size < self.endings.adjudication {
            0
        } else if leader == Color::Black {
            1
        } else {
            -1
        };
        let goes_on = sign == self.agreed.signum();
        self.agreed = sign + if goes_on { self.agreed } else { 0 };
        (self.agreed.unsigned_abs() >= u64::from(self.endings.adjudication_plies) && sign != 0)
            .then_some(win)
    }
}

/// The end of the game by the rules alone.
pub(super) fn end_by_rules(position: &Position) -> Option<Outcome> {
    if let Some((winner, end)) = openings::end_by_rules(position) {
        let reason = match end {
            RuleEnd::Mate => Reason::Mate,
            RuleEnd::Repetition => Reason::Repetition,
            RuleEnd::PerpetualCheck => Reason::PerpetualCheck,
        };
        return Some(Outcome { winner, reason });
    }
    let win = |_| Outcome::win(position.side_to_move(), Reason::Declaration);
    position.declaration(RULE).map(win)
}

#[cfg(test)]
mod outcome_tests {
    use super::*;

    fn endings() -> Endings {
        Endings {
            max_ply: 320,
            eval_limit: 32_000,
            adjudication: 2000,
            adjudication_plies: 3,
            to_mate: 0.0,
            entering_king: RULE.name().to_owned(),
        }
    }

    fn position(sfen: &str) -> Position {
        Position::from_sfen(sfen).expect("a good position")
    }

    #[test]
    fn no_legal_move_is_a_loss_in_check_or_not() {
        for sfen in ["4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1", "8k/6G2/7G1/9/9/9/9/9/4K4 w - 1"] {
            let outcome = end_by_rules(&position(sfen));
            let expected = Some(Outcome::win(Color::Black, Reason::Mate));
            assert_eq!(outcome, expected, "{sfen}");
        }
        assert_eq!(end_by_rules(&Position::startpos()), None);
    }

    #[test]
    fn the_last_move_is_a_draw_unless_it_mates() {
        let endings = endings();
        let referee = Referee::new(&endings, false);
        let late = |side: char| position(&format!("4k4/4G4/4P4/9/9/9/9/9/4K4 {side} - 321"));
        let mated = referee.end(&late('w')).map(|outcome| outcome.reason);
        assert_eq!(mated, Some(Reason::Mate));
        let drawn = "4k4/9/9/9/9/9/9/9/4K4 b P 321";
        let drawn = referee.end(&position(drawn));
        assert_eq!(drawn, Some(Outcome::draw(Reason::MaxPly)));
    }

    #[test]
    fn both_sides_must_agree_for_several_plies() {
        let endings = endings();
        let adjudicate = |scores: &[(Color, i16)], is_to_mate| {
            let mut referee = Referee::new(&endings, is_to_mate);
            let outcomes = scores.iter().map(|&(side, score)| referee.adjudicate(side, score));
            outcomes.collect::<Vec<_>>()
        };
        let (black, white) = (Color::Black, Color::White);
        let win = Some(Outcome::win(black, Reason::Adjudication));
        let agreed = [(black, 2000), (white, -2100), (black, 2500)];
        assert_eq!(adjudicate(&agreed, false), [None, None, win]);
        assert_eq!(adjudicate(&agreed, true), [None, None, None]);
        let broken = [(black, 2000), (white, -1999), (black, 2500), (white, -2500)];
        assert_eq!(adjudicate(&broken, false), [None; 4]);
        let turned = [(black, 2000), (white, -2000), (black, -2000)];
        assert_eq!(adjudicate(&turned, false), [None; 3]);
    }
}

#[cfg(test)]
mod tests;
