//! Tests of the comments.

use super::*;

/// Comments of people and of other programs, as a reader finds them.
const OTHERS: [&str; 3] = [
    "*注意：この手は悪い",
    "*解析 0 ○ 時間 00:01.0 評価値 55 読み筋 △８四歩(83)",
    "悪手 だと思う",
];

fn commented() -> (GameRecord, Vec<PositionAnalysis>) {
    let mut record = record("startpos moves 7g7f");
    record.moves[0].comments = OTHERS.map(str::to_owned).into();
    let mut before = position(Score::Mate(5), "2g2f");
    before.mate = Some(5);
    (record, vec![before, position(Score::Cp(0), "3c3d")])
}

fn add(record: &mut GameRecord, positions: Vec<PositionAnalysis>) {
    let review = Review::new(record, positions, Thresholds::default());
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
    assert_eq!(
        comments[3],
        "悪手 勝率 -50%、詰み逃し 5手詰、最善 ▲２六歩(27)"
    );
}

#[test]
fn another_analysis_replaces_the_earlier_one() {
    let (mut record, positions) = commented();
    add(&mut record, positions.clone());
    let once = record.clone();
    comments::remove(&mut record);
    assert!(record.comments.is_empty(), "{:?}", record.comments);
    assert_eq!(record.moves[0].comments, OTHERS);
    add(&mut record, positions);
    assert_eq!(record.comments, once.comments);
    assert_eq!(record.moves[0].comments, once.moves[0].comments);

    // People may use our words.
    let words = [
        "悪手 勝率 -12%だと言われた",
        "詰み逃し 5手詰めだった",
        "詰み逃し",
    ];
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
