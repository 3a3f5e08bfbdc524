//! The positions of many games as a run: blocks of neighbouring positions on several threads. In
//! each position the mate solver comes first, then the search. When all blocks of a game are done,
//! contradictions between neighbours are searched again, deeper.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::Range;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use anyhow::Result;

use super::review::{chance_lost, is_best};
use super::{Effort, Line, PositionAnalysis, Settings, Thresholds, brinkmate::Proof};
use crate::mate::{MateLimits, MateSolver, Verdict};
use crate::runs::{Execution, Job, Plan, Stop, execute};
use crate::search::{Event, Info, Limits, PrepareError, Searcher, Settings as SearchSettings};
use crate::types::{Bound, EnteringKingRule, Move, Score};
use crate::{eval::Evaluator, position::Position, records::sfen_line::SfenLine};

/// A game to be analysed.
pub struct Game {
    /// The start and the moves.
    pub line: SfenLine,
    /// The rule for wins by declaration.
    pub entering_king_rule: EnteringKingRule,
}

/// The analysis of a game: one for the start and one after each move.
pub type Analyzed = Vec<PositionAnalysis>;

/// Receives the analysis of each game, in the order of the games, and the number of positions done.
pub trait Watch: Send {
    /// This number of positions is done.
    fn advance(&mut self, positions: usize);
    /// A game is done. All games before it were done before.
    ///
    /// # Errors
    /// Ends the run.
    fn game(&mut self, index: usize, analysis: Analyzed) -> Result<()>;
}

/// Analyses games until all are done or `execution.stop` is requested.
///
/// # Errors
/// Memory or a thread fails, or `watch` does.
pub fn analyze(
    games: &[Game],
    settings: &Settings,
    evaluator: &Evaluator,
    watch: &mut dyn Watch,
    execution: &Execution<'_>,
) -> Result<()> {
    let job = Positions { games, settings, evaluator, stop: execution.stop };
    let lengths: Vec<usize> = games.iter().map(|game| game.line.moves.len() + 1).collect();
    let mut schedule = Schedule {
        games,
        blocks: Block::of_games(lengths.iter().copied()).into(),
        states: lengths.into_iter().map(GameState::new).collect(),
        next_game: 0,
        positions: 0,
        watch,
    };
    execute(&job, &mut schedule, execution)
}

struct Positions<'a> {
    games: &'a [Game],
    settings: &'a Settings,
    evaluator: &'a Evaluator,
    stop: &'a Stop,
}

impl Job for Positions<'_> {
    type Worker = Analyzer;
    type Piece = Block;
    type Output = Analyzed;
    type Error = anyhow::Error;

    fn worker(&self) -> Result<Analyzer> {
        Ok(Analyzer::new(self.settings, self.evaluator)?)
    }

    fn perform(&self, analyzer: &mut Analyzer, block: &Block) -> Result<Option<Analyzed>> {
        let game = &self.games[block.game];
        analyzer.begin(game.entering_king_rule)?;
        let effort = self.settings.effort;
        let last = game.line.moves.len();
        // So that no position meets an empty table; at the end of a game the last one comes first.
        let end = block.positions.end;
        for index in (end..end + WARM_UP).rev() {
            let position = position_at(&game.line, index.min(last));
            if analyzer.search_within(&position, effort.reduced(), self.stop).is_none() {
                return Ok(None);
            }
        }
        let effort = if block.is_deeper { effort.raised() } else { effort };
        let mut found = vec![PositionAnalysis::default(); block.positions.len()];
        // The table then knows what the moves led to.
        for index in block.positions.clone().rev() {
            let position = position_at(&game.line, index);
            let Some(analysis) = analyzer.analyze_within(&position, effort, self.stop) else {
                return Ok(None);
            };
            found[index - block.positions.start] = analysis;
        }
        Ok(Some(found))
    }
}

/// The position before the move with this index; its history counts for repetitions.
fn position_at(game: &SfenLine, index: usize) -> Position {
    let mut position = game.start.clone();
    for &mv in &game.moves[..index] {
        position.do_move(mv);
    }
    position
}

struct Schedule<'a> {
    games: &'a [Game],
    blocks: VecDeque<Block>,
    states: Vec<GameState>,
    /// The first game that was not handed to the watch.
    next_game: usize,
    positions: usize,
    watch: &'a mut dyn Watch,
}

/// How far a game is.
struct GameState {
    found: Analyzed,
    /// Positions that are being searched or wait for it.
    missing: usize,
    /// The moves whose both sides were searched again.
    repeated: BTreeSet<usize>,
}

impl GameState {
    fn new(positions: usize) -> Self {
        let found = vec![PositionAnalysis::default(); positions];
        Self { found, missing: positions, repeated: BTreeSet::new() }
    }

    /// The moves whose both sides contradict each other: the best move by the one, yet by the
    /// other it lost [`Thresholds::doubtful`]. The worst first, without common positions, as many
    /// as may be searched again.
    fn contradictions(&self, moves: &[Move]) -> Vec<usize> {
        let most = (moves.len() / MOVES_PER_REPETITION).max(1);
        let mut lost: Vec<(f64, usize)> = self
            .found
            .windows(2)
            .zip(moves)
            .enumerate()
            .filter(|(_, (pair, mv))| is_best(&mv.to_string(), &pair[0]))
            .map(|(index, (pair, _))| (chance_lost(&pair[0], &pair[1]), index))
            .filter(|(lost, _)| *lost > Thresholds::USUAL.doubtful)
            .filter(|(_, index)| !self.repeated.contains(index))
            .collect();
        lost.sort_by(|(first, _), (second, _)| second.total_cmp(first));
        let mut chosen: Vec<usize> = Vec::new();
        for (_, index) in lost {
            let is_apart = chosen.iter().all(|other| other.abs_diff(index) > 1);
            if is_apart && self.repeated.len() + chosen.len() < most {
                chosen.push(index);
            }
        }
        chosen
    }
}

impl Plan<Positions<'_>> for Schedule<'_> {
    fn next(&mut self) -> Result<Option<Block>> {
        Ok(self.blocks.pop_front())
    }

    fn keep(&mut self, block: Block, found: Analyzed) -> Result<()> {
        if !block.is_deeper {
            self.positions += found.len();
            self.watch.advance(self.positions);
        }
        let state = &mut self.states[block.game];
        state.missing -= found.len();
        for (index, analysis) in block.positions.zip(found) {
            state.found[index] = analysis;
        }
        if state.missing == 0 {
            for index in state.contradictions(&self.games[block.game].line.moves) {
                state.repeated.insert(index);
                state.missing += 2;
                let positions = index..index + 2;
                let block = Block { game: block.game, positions, is_deeper: true };
                self.blocks.push_front(block);
            }
        }
        while let Some(state) = self.states.get_mut(self.next_game)
            && state.missing == 0
        {
            let found = std::mem::take(&mut state.found);
            self.watch.game(self.next_game, found)?;
            self.next_game += 1;
        }
        Ok(())
    }
}

/// Positions beyond the end of a block that are searched before it, with [`Effort::reduced`].
const WARM_UP: usize = 4;
/// One of this many moves of a game may have both its sides searched again.
const MOVES_PER_REPETITION: usize = 40;

/// Positions in a block: enough that those searched before it cost little.
pub const BLOCK: usize = 16;

/// The first blocks of a game, which are done last, so that all threads end together.
const FIRST_BLOCKS: [usize; 4] = [2, 2, 4, 8];

/// A block of positions.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Block {
    /// Index of the game.
    game: usize,
    /// Indices of the positions in the game; 0 is the start.
    positions: Range<usize>,
    /// Whether the positions are searched with [`Effort::raised`].
    is_deeper: bool,
}

impl Block {
    /// The blocks of games with these numbers of positions, in the order in which they are done:
    /// one game after the other, its last block first.
    fn of_games(positions: impl IntoIterator<Item = usize>) -> Vec<Self> {
        let games = positions.into_iter().enumerate();
        let blocks = games.map(|(game, count)| Self::of_game(game, count));
        blocks.flat_map(|blocks| blocks.into_iter().rev()).collect()
    }

    fn of_game(game: usize, count: usize) -> Vec<Self> {
        let mut blocks = Vec::new();
        let mut sizes = FIRST_BLOCKS.into_iter();
        let mut start = 0;
        while start < count {
            let end = count.min(start + sizes.next().unwrap_or(BLOCK));
            blocks.push(Self { game, positions: start..end, is_deeper: false });
            start = end;
        }
        blocks
    }
}

/// Time between two looks at the request to stop.
const POLL: Duration = Duration::from_millis(50);
/// Most nodes of the solver for what the other side threatens, about 5 ms.
const THREAT_NODES: u64 = 5000;
/// Most nodes of the proof that no move parries a threat, in times of those for the threat.
const BRINKMATE_SHARE: u64 = 10;
/// From this score on a side may have given brinkmate.
const WINNING: i32 = 1000;
/// Size of the solver's table in MB.
const SOLVER_MB: usize = 16;

/// A search thread with its memory, and a solver.
pub struct Analyzer {
    searcher: Searcher,
    solver: MateSolver,
    settings: Settings,
    search: SearchSettings,
}

impl Analyzer {
    /// Allocates the memory.
    ///
    /// # Errors
    /// The system gives less memory or no thread.
    pub fn new(settings: &Settings, evaluator: &Evaluator) -> Result<Self, PrepareError> {
        let search = SearchSettings {
            threads: 1,
            hash_mb: settings.hash_mb,
            multi_pv: settings.multi_pv,
            evaluator: evaluator.clone(),
            ..SearchSettings::default()
        };
        let mut searcher = Searcher::new();
        searcher.prepare(&search)?;
        Ok(Self {
            searcher,
            solver: MateSolver::new(SOLVER_MB),
            settings: settings.clone(),
            search,
        })
    }

    /// Begins a game with this rule: forgets everything, so that what follows does not depend on
    /// what was searched before.
    ///
    /// # Errors
    /// As [`Analyzer::new`].
    pub fn begin(&mut self, rule: EnteringKingRule) -> Result<(), PrepareError> {
        self.search.entering_king_rule = rule;
        self.searcher.prepare(&self.search)
    }

    /// Analyses a position; `None` if `stop` was requested meanwhile.
    pub fn analyze(&mut self, position: &Position, stop: &Stop) -> Option<PositionAnalysis> {
        self.analyze_within(position, self.settings.effort, stop)
    }

    fn analyze_within(
        &mut self,
        position: &Position,
        effort: Effort,
        stop: &Stop,
    ) -> Option<PositionAnalysis> {
        let mut analysis = self.search_within(position, effort, stop)?;
        self.find_brinkmates(&mut analysis, position, effort, stop);
        (!stop.is_requested()).then_some(analysis)
    }

    /// All of the search but brinkmates, which another solver looks for.
    fn search_within(
        &mut self,
        position: &Position,
        effort: Effort,
        stop: &Stop,
    ) -> Option<PositionAnalysis> {
        let start = Instant::now();
        let mate = self.solve(position, effort.solver_nodes(), effort, start, stop);
        let mut analysis = PositionAnalysis {
            mate: mate.as_ref().map(|line| plies(line.score)),
            threat: self.solve_threat(position, effort, stop),
            ..PositionAnalysis::default()
        };
        if self.settings.multi_pv == 1
            && let Some(line) = mate
        {
            analysis.lines.push(line);
            return (!stop.is_requested()).then_some(analysis);
        }
        analysis.lines = self.search(position, effort, start, stop)?;
        if let Some(mate) = mate
            && let Some(first) = analysis.lines.first_mut()
            && !matches!(first.score, Score::Mate(plies) if plies > 0)
        {
            *first = mate;
        }
        Some(analysis)
    }

    /// Whether the side to move cannot parry the threat, and whether its best move threatens so.
    fn find_brinkmates(
        &mut self,
        analysis: &mut PositionAnalysis,
        position: &Position,
        effort: Effort,
        stop: &Stop,
    ) {
        let score = match analysis.score() {
            Score::Cp(centipawns) => centipawns,
            Score::Mate(plies) if plies > 0 => i32::MAX,
            Score::Mate(_) => i32::MIN,
        };
        let line = analysis.lines.first().map(|line| line.moves(position)).unwrap_or_default();
        let [best, answer] = [0, 1].map(|index| line.get(index).copied());
        if analysis.threat.is_some() && score <= -WINNING {
            analysis.at_brink = self.is_at_brink(position, best, effort, stop);
        }
        if let Some(best) = best.filter(|_| score >= WINNING && analysis.mate.is_none()) {
            let mut after = position.clone();
            after.do_move(best);
            let threat = self.solve_threat(&after, effort, stop);
            analysis.brinkmate = threat.filter(|_| self.is_at_brink(&after, answer, effort, stop));
        }
    }

    /// Whether every move loses to a mate, `hardest` first.
    fn is_at_brink(
        &mut self,
        position: &Position,
        hardest: Option<Move>,
        effort: Effort,
        stop: &Stop,
    ) -> bool {
        let nodes = BRINKMATE_SHARE * effort.solver_nodes().min(THREAT_NODES);
        let mut proof = Proof { solver: &mut self.solver, stop: stop.flag(), nodes, hardest };
        proof.all_moves_lose(position)
    }

    /// The mate by the side to move that the solver finds within its limits.
    fn solve(
        &mut self,
        position: &Position,
        nodes: u64,
        effort: Effort,
        start: Instant,
        stop: &Stop,
    ) -> Option<Line> {
        let limits = MateLimits {
            deadline: effort.solver_time().and_then(|time| start.checked_add(time)),
            nodes: Some(nodes),
            ..MateLimits::until(stop.flag())
        };
        let solution = match self.solver.solve(position, &limits, &mut |_| {}) {
            Ok(solution) => solution,
            Err(error) => {
                log::warn!("no thread for the mate solver: {error}");
                return None;
            }
        };
        let Verdict::Mate { line, .. } = solution.verdict else {
            return None;
        };
        Some(Line {
            score: Score::Mate(line.length as i32),
            depth: 0,
            seldepth: solution.seldepth as i32,
            nodes: solution.nodes,
            time: start.elapsed(),
            pv: text_of(&line.moves),
        })
    }

    /// Length in plies of the mate that the other side has if the side to move passes.
    fn solve_threat(&mut self, position: &Position, effort: Effort, stop: &Stop) -> Option<i32> {
        if position.in_check() {
            return None;
        }
        let mut passed = position.clone();
        passed.do_null_move();
        let nodes = effort.solver_nodes().min(THREAT_NODES);
        let line = self.solve(&passed, nodes, effort, Instant::now(), stop)?;
        Some(plies(line.score))
    }

    fn search(
        &mut self,
        position: &Position,
        effort: Effort,
        start: Instant,
        stop: &Stop,
    ) -> Option<Vec<Line>> {
        let limits = Limits {
            movetime: effort.time,
            nodes: effort.nodes,
            depth: effort.depth,
            start,
            ..Limits::default()
        };
        let (sender, events) = mpsc::channel();
        let on_event = Box::new(move |event| drop(sender.send(event)));
        self.searcher.go(position.clone(), limits, &self.search, on_event);
        let mut lines: BTreeMap<usize, Info> = BTreeMap::new();
        loop {
            match events.recv_timeout(POLL) {
                Ok(Event::Info(info)) if info.is_of_mated() => {}
                Ok(Event::Info(info)) => keep(&mut lines, info),
                Ok(Event::Done(_)) | Err(RecvTimeoutError::Disconnected) => break,
                Ok(Event::Note(note)) => log::info!("{note}"),
                Err(RecvTimeoutError::Timeout) if stop.is_requested() => self.searcher.stop(),
                Ok(Event::CurrentMove(_)) | Err(RecvTimeoutError::Timeout) => {}
            }
        }
        self.searcher.wait();
        let line = |info: &Info| Line {
            score: info.score,
            depth: info.depth,
            seldepth: info.seldepth,
            nodes: info.nodes,
            time: info.time,
            pv: text_of(&info.pv),
        };
        if stop.is_requested() {
            return None;
        }
        Some(lines.values().map(line).collect())
    }
}

/// Keeps a line: an exact one replaces an earlier one of its rank, a bound only fills a gap.
fn keep(lines: &mut BTreeMap<usize, Info>, info: Info) {
    if info.bound == Bound::Exact || !lines.contains_key(&info.multi_pv) {
        lines.insert(info.multi_pv, info);
    }
}

fn text_of(moves: &[Move]) -> String {
    let texts: Vec<String> = moves.iter().map(ToString::to_string).collect();
    texts.join(" ")
}

const fn plies(score: Score) -> i32 {
    match score {
        Score::Cp(_) => 0,
        Score::Mate(plies) => plies,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_position_is_in_one_block() {
        let counts = [1, 0, 121, 8];
        let blocks = Block::of_games(counts);
        let mut found: Vec<_> = blocks
            .iter()
            .flat_map(|block| block.positions.clone().map(|position| (block.game, position)))
            .collect();
        found.sort_unstable();
        let expected: Vec<_> = counts
            .into_iter()
            .enumerate()
            .flat_map(|(game, count)| (0..count).map(move |position| (game, position)))
            .collect();
        assert_eq!(found, expected);
        assert!(blocks.iter().all(|block| block.positions.len() <= BLOCK));
        assert!(blocks.is_sorted_by_key(|block| block.game));
    }

    #[test]
    fn only_best_moves_that_lost_much_contradict_what_was_said_before() {
        let moves = ["7g7f", "3c3d", "2g2f", "8c8d", "2f2e"];
        let mut position = Position::startpos();
        let moves = moves.map(|text| {
            let mv = position.to_move(text.parse().expect("a move")).expect("a move there");
            position.do_move(mv);
            mv
        });
        let contradictions = |scores: [i32; 6], best: [&str; 6], repeated: &[usize]| {
            let mut state = GameState::new(6);
            state.repeated = repeated.iter().copied().collect();
            for (index, analysis) in state.found.iter_mut().enumerate() {
                analysis.lines = vec![Line {
                    pv: best[index].to_owned(),
                    ..Line::without_moves(Score::Cp(scores[index]))
                }];
            }
            state.contradictions(&moves)
        };
        let best = ["7g7f", "3c3d", "2g2f", "8c8d", "2f2e", "8d8e"];
        // A loss of 240 from even is 9.9 %, one of 300 is 12.2 %.
        assert_eq!(contradictions([0, 240, -240, 240, -240, 240], best, &[]), [0; 0]);
        assert_eq!(contradictions([0, 300, -300, 300, -300, 900], best, &[]), [4]);
        assert_eq!(contradictions([0, 300, -300, 300, -300, 900], best, &[4]), [0; 0]);
        // Gains are none, nor are losses of other moves.
        assert_eq!(contradictions([0, -900, 900, -900, 900, -900], best, &[]), [0; 0]);
        let other = ["2g2f"; 6];
        assert_eq!(contradictions([0, 900, -900, 900, -900, 900], other, &[]), [0; 0]);
    }
}
