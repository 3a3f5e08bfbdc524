//! Explanations of all heads end with the value, and those of the material network are exact.

use super::*;
use crate::eval::nnue::{material_network, random};

const MIDDLE_GAME: &str = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1";

fn position(sfen: &str) -> Position {
    Position::from_sfen(sfen).expect("the test gives a good position")
}

#[test]
fn material_is_explained_by_its_values() {
    let network = material_network();
    let text = explain(&network, &position("4k4/9/9/9/4+r4/9/4P4/9/4K4 w 2Pb 1"));
    let cells = |line: &str| {
        let cells = line.split('|').map(str::trim);
        cells
            .filter(|cell| !cell.is_empty())
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "raicho_64x2-8");
    assert_eq!(lines[2], "white in hand:  B -9.50");
    let after = |piece: &str| {
        let line = lines
            .iter()
            .position(|line| cells(line).first().is_some_and(|cell| cell == piece));
        cells(lines[line.expect("the piece is drawn") + 1])
    };
    assert_eq!(after("+r"), ["-15.50"]);
    assert_eq!(after("P"), ["+1.00"]);
    assert!(after("K").is_empty() && after("k").is_empty());
    assert!(
        lines.contains(&"black in hand:  one of 2 P +1.00"),
        "{text}"
    );
    let marked: Vec<_> = lines.iter().filter(|line| line.contains("<-")).collect();
    assert_eq!(marked.len(), 1);
    assert!(marked[0].trim_start().starts_with('2'), "{text}");
    let value = 1395 + 855 - 270;
    assert!(
        text.contains("for black: -2200 centipawns (-1980 units)"),
        "{text}"
    );
    assert_eq!(
        *lines.last().expect("lines"),
        format!("static eval {value}")
    );
}

#[test]
fn every_kind_of_network_ends_with_its_value() {
    for (name, buckets) in [
        ("kp_64x2-8-32", ""),
        ("SFNN_kp_64_7_32_k3k3", "  0  "),
        ("SFNN_ka2_64_7_32_hand16", "bucket "),
        ("raicho_128x2-8", "  7  "),
    ] {
        let shape = name.parse().expect("a good name");
        let (network, _) = Network::read(&random::file(&shape, 3)).expect("a good file");
        let position = position(MIDDLE_GAME);
        let value = scalar::evaluate(&network, &position).expect("two kings");
        let text = explain(&network, &position);
        assert_eq!(text.lines().last(), Some(&*format!("static eval {value}")));
        assert!(text.lines().any(|line| line.starts_with(buckets)), "{text}");
    }
}

#[test]
fn without_a_king_there_is_no_value() {
    let position = position("9/9/9/9/9/9/ppp5K/3r5/2S6 w BGrb3g3s4n4l15p 1");
    let text = explain(&material_network(), &position);
    assert!(text.ends_with("white has no king, without which this network cannot evaluate"));
}
