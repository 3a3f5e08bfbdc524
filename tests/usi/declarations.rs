//! Wins by declaration, as the engine plays them with its own network.

use raicho::position::Position;
use raicho::types::Color;

use crate::driver::Driver;

/// The side to move has its king and ten pieces in the enemy's camp, and just points enough.
const DECLARABLE: [&str; 3] = [
    "K+N5+L1/G+L+P+B1+R+P2/3+P2G2/9/2+p+n5/3s2+ss1/3+p+p1+s1+r/7g+n/6g+nk b 2L8Pb4p 1",
    "K+N5+L1/G+P+P+B1+R+P2/+P+L1+P2G2/9/9/9/6b1+r/4+ss+sg+n/5+pg+nk w 2L5Psn7p 1",
    "4K4/9/9/9/9/9/+r+bgggg+b+r1/ssssk4/9 w - 1",
];

/// Black has all that it needs, but for a king one rank further on.
const ONE_STEP_AWAY: &str =
    "1+N2+P2+L1/G1+P+B1+R+P2/1+L1+P5/K8/2+p+n5/3s2+ss1/3+p+p1+s1+r/7g+n/6g+nk b G2L7Pb4p 1";

/// A game from there that is longer goes nowhere.
const MOST_PLIES: u32 = 60;

#[test]
fn wins_are_declared_at_once() {
    let mut driver = Driver::ready();
    for sfen in DECLARABLE {
        for go in ["go byoyomi 1000", "go depth 3", "go nodes 10"] {
            driver.send(&format!("position sfen {sfen}\n{go}"));
            assert_eq!(driver.answer("bestmove "), "bestmove win", "{sfen}");
        }
    }
}

/// With 5,000 nodes and more; with 3,000 it depends on the network whether the way is seen.
#[test]
fn a_king_before_the_camp_walks_in() {
    for nodes in [6000, 12_000, 24_000] {
        let winner = play_out(nodes);
        assert_eq!(winner, Some(Color::Black), "{nodes} nodes a move");
    }
}

/// Who wins by declaration, or because the other side resigns.
fn play_out(nodes: u32) -> Option<Color> {
    let mut driver = Driver::ready();
    let mut position: Position = Position::from_sfen(ONE_STEP_AWAY).expect("a good position");
    for _ in 0..MOST_PLIES {
        driver.send(&format!(
            "position sfen {}\ngo nodes {nodes}",
            position.to_sfen()
        ));
        let answer = driver.answer("bestmove ");
        let word = answer.split(' ').nth(1).expect("a move");
        let side = position.side_to_move();
        match word {
            "win" => return Some(side),
            "resign" => return Some(!side),
            mv => {
                let moves = raicho::movegen::legal_moves(&position);
                let mv = moves.into_iter().find(|found| found.to_string() == mv);
                position.do_move(mv.expect("a legal move"));
            }
        }
    }
    None
}
