//! Tests of the judgement, of the comments, and of the run.

use std::time::Duration;

use super::*;
use crate::records::game::{Ending, GameRecord, RecordedMove};
use crate::runs::{Execution, Stop};
use crate::types::{Color, EnteringKingRule, PieceType, Score, Square};
use crate::{eval::Evaluator, records::csa, records::sfen_line::SfenLine};

/// A game from the start position.
fn record(line: &str) -> GameRecord {
    let line: SfenLine = line.parse().expect("the line of a test");
    let moves: Vec<String> = line.moves.iter().map(|&mv| csa::move_text(mv)).collect();
    let mut games = csa::read(&format!("PI\n+\n{}", moves.join("\n"))).expect("a record");
    games.remove(0)
}

fn position(score: Score, pv: &str) -> PositionAnalysis {
    PositionAnalysis {
        lines: vec![Line {
            score,
            depth: 5,
            seldepth: 8,
            nodes: 100,
            time: Duration::from_millis(20),
            pv: pv.to_owned(),
        }],
        ..PositionAnalysis::default()
    }
}

fn positions(scores: &[(i32, &str)]) -> Vec<PositionAnalysis> {
    let position = |&(score, pv): &(i32, &str)| position(Score::Cp(score), pv);
    scores.iter().map(position).collect()
}

/// The judgement on black's 7g7f with these scores before (for black) and after (for white).
fn judgement(before: Score, best: &str, after: Score) -> Judgement {
    let record = record("startpos moves 7g7f");
    let positions = vec![position(before, best), position(after, "3c3d")];
    Review::new(&record, positions).judgements.remove(0)
}

#[test]
fn the_best_move_loses_nothing_whatever_the_next_search_says() {
    let found = judgement(Score::Cp(300), "7g7f 3c3d", Score::Cp(500));
    assert_eq!(found.class, Class::Best);
    assert!(found.loss.abs() < 1e-12 && found.centipawn_loss == 0);
}

/// Asserts that the signed changes are the course of the graph, and that no loss hides from them.
fn must_add_up(record: &GameRecord, review: &Review) {
    let signs = record.moves.iter().map(|played| match played.mv.piece().color() {
        Color::Black => 1.0,
        Color::White => -1.0,
    });
    let changes = review.judgements.iter().zip(signs).map(|(found, sign)| sign * found.change);
    let course = review.chances.last().expect("the last") - review.chances[0];
    let sum: f64 = changes.sum();
    assert!((sum - course).abs() < 0.02, "{sum} for a course of {course}");
    for judgement in &review.judgements {
        assert!(judgement.loss <= (-judgement.change).max(0.0) + 1e-12, "{judgement:?}");
    }
}

#[test]
fn signed_changes_add_up_to_the_course_of_the_graph() {
    let game = "startpos moves 7g7f 3c3d 8h2b+ 3a2b";
    let mut record = record(game);
    let lines = [(0, "7g7f"), (300, "8c8d"), (600, "2g2f"), (600, "3a2b"), (-600, "2g2f")];
    must_add_up(&record, &Review::new(&record, positions(&lines)));
    record.ending = Ending::PerpetualCheck { loser: Color::White };
    let review = Review::new(&record, positions(&lines));
    must_add_up(&record, &review);
    assert_eq!(review.chances.last(), Some(&1.0), "it ends at the result");
}

#[test]
fn other_moves_are_named_by_the_win_chance_that_they_lost() {
    // From even: -250 is a chance of 39.7 %, -550 of 28.6 %, -245 of 39.9 %.
    let class = |after| judgement(Score::Cp(0), "2g2f", Score::Cp(after)).class;
    assert_eq!(class(-100), Class::Good, "it even gained");
    assert_eq!(class(120), Class::Good);
    assert_eq!(class(122), Class::Inaccuracy);
    assert_eq!(class(240), Class::Inaccuracy);
    assert_eq!(class(250), Class::Doubtful);
    assert_eq!(class(500), Class::Doubtful);
    assert_eq!(class(550), Class::Blunder);
    // The same centipawns matter less where the game is decided.
    let decided = judgement(Score::Cp(2500), "2g2f", Score::Cp(-1900));
    assert_eq!(decided.class, Class::Good);
    assert_eq!(decided.centipawn_loss, 100, "2500 counts as 2000");
}

#[test]
fn mates_are_certain() {
    let thrown = judgement(Score::Mate(5), "2g2f", Score::Cp(0));
    assert_eq!(thrown.class, Class::SevereBlunder);
    assert!((thrown.loss - 0.5).abs() < 1e-12);
    let longer = judgement(Score::Mate(5), "2g2f", Score::Mate(-8));
    assert_eq!((longer.class, longer.centipawn_loss), (Class::Good, 0));
    let into = judgement(Score::Cp(0), "2g2f", Score::Mate(7));
    assert_eq!((into.class, into.centipawn_loss), (Class::SevereBlunder, 2000));
}

#[test]
fn a_mate_is_missed_only_if_no_mate_is_left() {
    let missed = |after, best: &str| {
        let mut before = position(Score::Mate(5), best);
        before.mate = Some(5);
        let record = record("startpos moves 7g7f");
        let positions = vec![before, after];
        Review::new(&record, positions).judgements[0].missed_mate
    };
    let lost = position(Score::Cp(-900), "3c3d");
    assert_eq!(missed(lost.clone(), "2g2f"), Some(5));
    assert_eq!(missed(position(Score::Mate(-4), "3c3d"), "2g2f"), None);
    // A position without lines is mate.
    assert_eq!(missed(PositionAnalysis::default(), "2g2f"), None);
    assert_eq!(missed(lost, "7g7f"), None);
}

/// The judgement on the first move of a game with these analyses of its two positions.
fn judged(game: &str, before: PositionAnalysis, after: PositionAnalysis) -> Judgement {
    let line: SfenLine = game.parse().expect("the line of a test");
    let mut record = GameRecord::new(line.start);
    record.moves = line.moves.into_iter().map(RecordedMove::from).collect();
    Review::new(&record, vec![before, after]).judgements.remove(0)
}

#[test]
fn what_a_mistake_gives_away_is_named() {
    let even = || position(Score::Cp(0), "2g2f");
    let hangs = |game: &str, answer: &str| {
        let found = judged(game, even(), position(Score::Cp(900), answer));
        found.remarks.first().copied()
    };
    let open = "sfen lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 1 moves ";
    let hanging = hangs(&format!("{open}7i6h"), "2b8h+");
    let bishop = |free| Some(Remark::Hangs { piece: PieceType::Bishop, square: Square::S88, free });
    assert_eq!(hanging, bishop(true), "the silver protected it");
    assert_eq!(hangs(&format!("{open}2g2f"), "2b8h+"), None, "it is exchanged");
    assert_eq!(hangs(&format!("{open}7i6h"), "8c8d"), None, "another answer is better");
    let back = hangs(&format!("{open}7i6h"), "2b8h+ 6h7g 8c8d 7g8h");
    assert_eq!(back, None, "the line wins a bishop too");
    let pawn = "sfen lnsgkgsnl/1r5b1/p1ppppppp/1p7/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 1 moves ";
    let horse = Remark::Hangs { piece: PieceType::Horse, square: Square::S33, free: false };
    assert_eq!(hangs(&format!("{pawn}8h3c+"), "2b3c"), Some(horse), "it took a pawn");
    let small = judged(&format!("{open}7i6h"), even(), position(Score::Cp(100), "2b8h+"));
    assert_eq!(small.remarks, [], "no mistake");

    let mated = |threat| {
        let before = PositionAnalysis { threat, ..even() };
        let after = PositionAnalysis { mate: Some(3), ..position(Score::Mate(3), "3c3d") };
        judged("startpos moves 7g7f", before, after).remarks
    };
    assert_eq!(mated(Some(5)), [Remark::OverlooksThreat(3)]);
    assert_eq!(mated(None), [Remark::AllowsMate(3)]);
    let lost = PositionAnalysis { mate: Some(3), ..position(Score::Mate(3), "3c3d") };
    let before = position(Score::Mate(-4), "2g2f");
    assert_eq!(judged("startpos moves 7g7f", before, lost).remarks, [], "it was mate anyway");
    let threat = PositionAnalysis { threat: Some(7), ..even() };
    let found = judged("startpos moves 7g7f", even(), threat.clone());
    assert_eq!(found.remarks, [Remark::ThreatensMate(7)]);
    let brink = PositionAnalysis { at_brink: true, ..threat };
    let found = judged("startpos moves 7g7f", even(), brink);
    assert_eq!(found.remarks, [Remark::Brinkmate(7)]);
}

#[test]
fn a_mistake_gives_or_misses_a_brinkmate() {
    let with = |score, best: &str, brinkmate| PositionAnalysis {
        brinkmate,
        ..position(Score::Cp(score), best)
    };
    let remarks = |before, after| judged("startpos moves 7g7f", before, after).remarks;
    let (winning, even) = (with(2000, "2g2f", Some(5)), with(0, "3c3d", None));
    assert_eq!(remarks(winning.clone(), even.clone()), [Remark::MissesBrinkmate(5)]);
    assert_eq!(remarks(with(2000, "7g7f", Some(5)), even), [], "it was played");
    assert_eq!(remarks(winning.clone(), with(-1900, "3c3d", None)), [], "no mistake");
    let threat = Some(3);
    let other = PositionAnalysis { threat, at_brink: true, ..with(0, "3c3d", None) };
    assert_eq!(remarks(winning, other), [Remark::Brinkmate(3)], "another one");
    let lost = with(2000, "3c3d", Some(7));
    assert_eq!(remarks(with(0, "2g2f", None), lost), [Remark::AllowsBrinkmate(7)]);
}

#[test]
fn the_analysis_finds_brinkmates() {
    let sfen = "ln3k1gl/1r1gg2s1/p2p2p2/2pbPp2p/7P1/P3K3P/LS1P1PP2/1P4+rs1/2P6 b Pbgs3nl2p 83";
    let start = Position::from_sfen(sfen).expect("the position of a test");
    let effort = Effort { nodes: Some(10_000), ..Effort::default() };
    let settings = Settings { effort, multi_pv: 1, ..settings() };
    let mut analyzer = Analyzer::new(&settings, &Evaluator::Material).expect("memory");
    let found = analyzer.analyze(&start, &Stop::new()).expect("no stop");
    assert_eq!((found.threat, found.at_brink), (Some(3), true), "{found:?}");
}

#[test]
fn pieces_are_counted_along_both_lines() {
    let better = position(Score::Cp(0), "8h2b+ 3a2b 2g2f");
    let game =
        "sfen lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 1 moves 7i6h";
    let found = judged(game, better.clone(), position(Score::Cp(900), "2b8h+ 6h7g 8h7g 8i7g"));
    let pieces = |won: &str, lost: &str| Material { won: won.into(), lost: lost.into() };
    // Bishops are exchanged; then a bishop and a silver are lost for a horse.
    assert_eq!(found.material, Some([pieces("", ""), pieces("", "S")]));
    let open = judged(game, better, position(Score::Cp(900), "2b8h+"));
    assert_eq!(open.material, Some([pieces("", ""), pieces("", "B")]));
    let good = judged(game, position(Score::Cp(0), "7i6h"), position(Score::Cp(0), "8c8d"));
    assert_eq!(good.material, None);
}

#[test]
fn the_best_move_is_a_find_only_where_the_second_loses() {
    let remarks = |second: i32, game: &str| {
        let mut before = position(Score::Cp(0), "7g7f");
        before.lines.push(Line { pv: "2g2f".into(), ..Line::without_moves(Score::Cp(second)) });
        judged(game, before, position(Score::Cp(0), "3c3d")).remarks
    };
    assert_eq!(remarks(-300, "startpos moves 7g7f"), [Remark::OnlyMove(12)]);
    assert_eq!(remarks(-200, "startpos moves 7g7f"), []);
    assert_eq!(remarks(-300, "startpos moves 2g2f"), [], "another move");
}

#[test]
fn words_for_how_both_sides_stand() {
    let [black, white] = [Color::Black, Color::White];
    for (score, standing) in cases! {
        Score::Cp(299) => Standing::Even;
        Score::Cp(-300) => Standing::Better(white);
        Score::Cp(800) => Standing::ClearlyBetter(black);
        Score::Cp(-2000) => Standing::Winning(white);
        Score::Mate(3) => Standing::Winning(black);
    } {
        assert_eq!(Standing::of(score), standing);
    }
}

#[test]
fn a_summary_counts_the_moves_of_one_player() {
    let mut record = record("startpos moves 7g7f 3c3d 8h2b+ 3a2b");
    for (played, seconds) in record.moves.iter_mut().zip([1, 2, 4, 8]) {
        played.time = Some(Duration::from_secs(seconds));
    }
    let lines = [(0, "7g7f"), (0, "8c8d"), (600, "2g2f"), (600, "3a2b"), (-600, "2g2f")];
    let review = Review::new(&record, positions(&lines));
    let [black, white] = review.players;
    for player in [black, white] {
        let counts = [player.moves, player.best, player.doubtful, player.blunders];
        assert_eq!(counts, [2, 1, 0, 1]);
    }
    let seconds = [black, white].map(|player| player.time.map(|time| time.as_secs()));
    assert_eq!(seconds, [Some(5), Some(10)]);
    record.moves[0].time = Some(Duration::MAX);
    let endless = Review::new(&record, review.positions.clone());
    assert_eq!(endless.players[0].time, Some(Duration::MAX));
    let loss = black.mean_centipawn_loss;
    assert_eq!(loss, Some(600.0), "one of two lost 1200");
    assert_eq!(black.agreement, Some(0.5));
    let are_blacks = review.chances[3] < 0.5 && review.chances[4] < 0.5;
    assert!(are_blacks, "they are black's");
    assert!((review.chances[0] - 0.5).abs() < 1e-12);
}

#[test]
fn what_is_unknown_is_no_zero() {
    let record = record("startpos moves 7g7f");
    let positions = positions(&[(0, "7g7f"), (0, "3c3d")]);
    let [black, white] = Review::new(&record, positions).players;
    assert_eq!((black.agreement, black.time), (Some(1.0), None));
    assert_eq!((white.agreement, white.mean_loss), (None, None));
    assert_eq!(white.mean_centipawn_loss, None);
}

/// Collects the analyses, and stops the run after some positions.
struct Collector<'a> {
    games: Vec<Analyzed>,
    stop: &'a Stop,
    stop_after: usize,
}

impl Watch for Collector<'_> {
    fn advance(&mut self, positions: usize) {
        if positions >= self.stop_after {
            self.stop.finish();
        }
    }

    fn game(&mut self, index: usize, analysis: Analyzed) -> anyhow::Result<()> {
        assert_eq!(index, self.games.len(), "in order");
        self.games.push(analysis);
        Ok(())
    }
}

fn games() -> Vec<Game> {
    [
        "startpos moves 7g7f 3c3d 2g2f 8c8d 2f2e 8d8e 6i7h 4a3b 2e2d 2c2d 2h2d 8e8f 8g8f 8b8f",
        "startpos",
        "sfen 4k4/9/4P4/9/9/9/9/9/4K4 b 2G 1 moves G*5b",
    ]
    .map(|line| Game {
        line: line.parse().expect("the line of a test"),
        entering_king_rule: EnteringKingRule::default(),
    })
    .into()
}

fn settings() -> Settings {
    Settings {
        effort: Effort { nodes: Some(500), ..Effort::default() },
        multi_pv: 2,
        hash_mb: 1,
        eval: "material".to_owned(),
    }
}

/// Analyses the games; times are left out, as they differ.
fn run(settings: &Settings, threads: usize, stop_after: usize) -> Vec<Analyzed> {
    let stop = Stop::new();
    let mut collector = Collector { games: Vec::new(), stop: &stop, stop_after };
    let execution = Execution { threads, name: "test", stack_bytes: None, stop: &stop };
    let evaluator = Evaluator::Material;
    let run = analyze(&games(), settings, &evaluator, &mut collector, &execution);
    run.expect("nothing fails");
    let mut games = collector.games;
    let positions = games.iter_mut().flatten();
    for line in positions.flat_map(|position| &mut position.lines) {
        line.time = Duration::ZERO;
    }
    games
}

#[test]
fn threads_do_not_change_the_result() {
    let settings = settings();
    let whole = run(&settings, 1, usize::MAX);
    assert_eq!(whole.iter().map(Vec::len).collect::<Vec<_>>(), [15, 1, 2]);
    assert!(whole[0].iter().all(|position| position.lines.len() == 2));
    assert_eq!(whole[2][0].mate, Some(1));
    assert_eq!(whole[2][0].threat, None);
    assert!(whole[2][1].lines.is_empty(), "it is mate");
    assert_eq!(run(&settings, 2, usize::MAX), whole);
    let part = run(&settings, 1, 3);
    assert!(part.is_empty(), "a few blocks are no whole game");
    let record = record(&games()[0].line.to_string());
    must_add_up(&record, &Review::new(&record, whole[0].clone()));
}

#[test]
fn every_line_is_legal_and_scores_are_those_of_the_side_to_move() {
    let found = run(&settings(), 1, usize::MAX);
    let line = games().remove(0).line;
    let mut position = line.start.clone();
    for (index, analysis) in found[0].iter().enumerate() {
        for line in &analysis.lines {
            let words = line.pv.split(' ').count();
            assert_eq!(line.moves(&position).len(), words, "{}", line.pv);
        }
        if let Some(&mv) = line.moves.get(index) {
            position.do_move(mv);
        }
    }
    // The last move took a pawn: the other side is behind.
    let last = found[0].last().expect("it has positions");
    assert_eq!(position.side_to_move(), Color::Black);
    assert!(!last.lines.is_empty());
}

#[test]
fn a_declaration_is_a_win_without_moves() {
    let sfen = "1+P1+P1+P3/+PK1+PGG1+P1/3G1SGS1/9/9/9/9/9/4k4 b 2R2B2S4N4L11P 1";
    let line: SfenLine = sfen.parse().expect("a position");
    let rule = crate::search::Settings::default().entering_king_rule;
    let declaration = line.start.declaration(rule);
    assert!(declaration.is_some(), "the rule of the test");
    let mut settings = settings();
    settings.multi_pv = 1;
    let mut analyzer = Analyzer::new(&settings, &Evaluator::Material).expect("memory");
    let found = analyzer.analyze(&line.start, &Stop::new());
    let found = found.expect("no stop");
    assert_eq!(found.lines.len(), 1);
    let is_won = matches!(found.score(), Score::Mate(plies) if plies > 0);
    assert!(is_won, "{found:?}");
}

/// Comments of people and of other programs, as a reader finds them.
const OTHERS: [&str; 3] =
    ["*注意：この手は悪い", "*解析 0 ○ 時間 00:01.0 評価値 55 読み筋 △８四歩(83)", "悪手 だと思う"];

fn commented() -> (GameRecord, Vec<PositionAnalysis>) {
    let mut record = record("startpos moves 7g7f");
    record.moves[0].comments = OTHERS.map(str::to_owned).into();
    let mut before = position(Score::Mate(5), "2g2f");
    before.mate = Some(5);
    (record, vec![before, position(Score::Cp(0), "3c3d")])
}

fn add(record: &mut GameRecord, positions: Vec<PositionAnalysis>) {
    let review = Review::new(record, positions);
    let mut lines = comments::lines(record, &review).into_iter();
    record.comments.extend(lines.next().unwrap_or_default());
    for (played, lines) in record.moves.iter_mut().zip(lines) {
        played.comments.extend(lines);
    }
}

#[test]
fn a_missed_mate_may_be_a_blunder_too() {
    let (mut record, positions) = commented();
    add(&mut record, positions);
    let comments = &record.moves[0].comments;
    let expected =
        "大悪手 期待勝率 -50%、詰み逃し（5手詰）、最善手 ▲２六歩(27)、形勢 先手勝勢→互角";
    assert_eq!(comments[3], expected);
}

#[test]
fn another_analysis_replaces_the_earlier_one() {
    let (mut record, positions) = commented();
    add(&mut record, positions.clone());
    let once = record.clone();
    comments::remove(&mut record);
    assert!(record.comments.is_empty(), "{:?}", record.comments);
    assert_eq!(record.moves[0].comments, OTHERS);
    // The words of version 1.0.
    let earlier = "悪手 勝率 -50%、詰み逃し 5手詰、最善 ▲２六歩(27)".to_owned();
    record.comments.push("*エンジン Raicho 1.0.0".to_owned());
    record.moves[0].comments.push(earlier);
    comments::remove(&mut record);
    assert_eq!(record.moves[0].comments, OTHERS);
    add(&mut record, positions);
    assert_eq!(record.comments, once.comments);
    assert_eq!(record.moves[0].comments, once.moves[0].comments);

    // People may use our words.
    let words = ["悪手 勝率 -12%だと言われた", "詰み逃し 5手詰めだった", "詰み逃し"];
    let words = words.map(str::to_owned);
    record.moves[0].comments.splice(0..0, words.clone());
    comments::remove(&mut record);
    assert_eq!(record.moves[0].comments[..3], words);
    assert_eq!(record.moves[0].comments[3..], OTHERS);
    record = once.clone();

    // Without our heading, the lines are those of people or of another program.
    record.comments.clear();
    comments::remove(&mut record);
    assert_eq!(record.moves[0].comments, once.moves[0].comments);
}

#[test]
fn a_game_that_the_rules_ended_ends_at_its_result() {
    let last = |ending: Ending| {
        let mut record = record("startpos moves 7g7f 3c3d 2g2f");
        record.ending = ending;
        let positions = ["7g7f", "3c3d", "6g6f", "8c8d"].map(|mv| position(Score::Cp(800), mv));
        let review = Review::new(&record, positions.into());
        (review.chances[3], review.judgements[2].class.is_mistake())
    };
    // White is to move, and the search says 800 for it.
    let searched = 1.0 - win_chance(Score::Cp(800));
    let [black, white] = [Color::Black, Color::White];
    for (ending, chance, is_mistake) in cases! {
        Ending::Resignation, searched => true;
        Ending::TimeUp, searched => true;
        Ending::Interrupted, searched => true;
        Ending::Unfinished, searched => true;
        Ending::Repetition, 0.5 => true;
        Ending::PerpetualCheck { loser: black }, 0.0 => true;
        Ending::PerpetualCheck { loser: white }, 1.0 => false;
        Ending::IllegalAction { loser: black }, 0.0 => true;
        Ending::Checkmate, 1.0 => false;
        Ending::Declaration, 0.0 => true;
        Ending::AdjudicatedWin { winner: black }, 1.0 => true;
        Ending::MaxMoves, 0.5 => true;
    } {
        assert_eq!(last(ending.clone()), (chance, is_mistake), "{ending}");
    }
}

#[test]
fn comments_say_that_a_game_is_lost_by_rule() {
    // The side to move has lost, or wins as by a mate in one.
    for (loser, moves, score) in [
        (Color::Black, "startpos moves 7g7f 3c3d", "-32000"),
        (Color::White, "startpos moves 7g7f 3c3d", "31999"),
        (Color::White, "startpos moves 7g7f 3c3d 2g2f", "32000"),
        (Color::Black, "startpos moves 7g7f 3c3d 2g2f", "-31999"),
    ] {
        let mut record = record(moves);
        record.ending = Ending::PerpetualCheck { loser };
        let positions = vec![position(Score::Cp(0), "7g7f"); record.moves.len() + 1];
        let review = Review::new(&record, positions);
        let lines = comments::lines(&record, &review);
        let last = lines.last().and_then(|lines| lines.last());
        let expected = format!("評価値 {score}");
        let is_there = last.is_some_and(|line| line.ends_with(&expected));
        assert!(is_there, "{last:?}");
    }
}

#[test]
fn nobody_is_to_blame_for_the_limit_of_moves() {
    let mut record = record("startpos moves 7g7f");
    record.ending = Ending::MaxMoves;
    let positions = positions(&[(3000, "2g2f"), (-3000, "3c3d")]);
    let review = Review::new(&record, positions.clone());
    assert_eq!(review.judgements[0].class, Class::Good);
    assert_eq!(review.chances, [win_chance(Score::Cp(3000)), 0.5]);
    record.ending = Ending::Repetition;
    let review = Review::new(&record, positions);
    assert_eq!(review.judgements[0].class, Class::Blunder);
}
