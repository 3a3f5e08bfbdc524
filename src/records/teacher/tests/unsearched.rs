//! Games in which not every move was searched.

use super::*;

#[test]
fn moves_without_a_search_are_not_learnt_from() {
    let mut game = Hcpe3Game::from_pack(&game(1));
    let moves = game.moves.len();
    for index in [0, 7, 8] {
        game.moves[index].candidates.clear();
    }
    let other = game.moves[9].mv.to_move16();
    game.moves[9].candidates.push((other, 3));
    game.opponent = 3;
    let mut bytes = Vec::new();
    game.write(&mut bytes).unwrap();
    let [Record::Game(read_game)] = &read(&bytes, Format::Hcpe3)[..] else {
        panic!("one game");
    };
    // New scores leave candidates and the opponent as they are.
    let scores: Vec<i16> = (0..moves as i16).collect();
    for (played, &score) in game.moves.iter_mut().zip(&scores) {
        played.score = score;
    }
    let mut expected = Vec::new();
    game.write(&mut expected).unwrap();
    let rescored = Record::Game(Box::new(read_game.as_ref().clone().with_scores(&scores)));
    assert!(write(&[rescored], Format::Hcpe3) == expected);
    // The archive has no moves without a score.
    let parts = read(
        &convert(&expected, Format::Hcpe3, Format::Pack),
        Format::Pack,
    );
    let scores = |record: &Record| {
        let mut scores = Vec::new();
        record.for_each_sample(|sample| scores.push(sample.score));
        scores
    };
    let parts: Vec<Vec<i16>> = parts.iter().map(scores).collect();
    assert_eq!(
        parts,
        [(1..7).collect(), (9..moves as i16).collect::<Vec<_>>()]
    );
}
