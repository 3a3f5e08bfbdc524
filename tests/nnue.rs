//! Networks against `YaneuraOu`: files of made-up weights, and one real network where it is at hand, must give its evaluations to
//! the last point.

mod common;

use std::fs;
use std::path::PathBuf;

use common::position;
use raicho::eval::nnue::shape::Shape;
use raicho::eval::nnue::{Network, random, scalar};

/// A header with a shape in each column, then positions with an evaluation by each.
const EVALUATIONS: &str = include_str!("data/nnue_evaluations.tsv");

fn rows() -> impl Iterator<Item = Vec<&'static str>> {
    let lines = EVALUATIONS.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.split('\t').collect())
}

/// Compares column `column` of the table, whose seed is the same number.
fn equals_yaneuraou(column: usize, name: &str) {
    let mut rows = rows();
    let header = rows.next().unwrap();
    assert_eq!(header[column], name);
    let shape: Shape = name.parse().unwrap();
    let file = random::file(&shape, column as u64);
    let (network, warnings) = Network::read(&file).unwrap();
    assert_eq!((network.shape(), warnings), (shape, Vec::new()));
    let mut compared = 0;
    for row in rows {
        let value = scalar::evaluate(&network, &position(row[0])).unwrap();
        assert_eq!(value.to_string(), row[column], "{name}: {}", row[0]);
        compared += 1;
    }
    assert_eq!(compared, 200);
}

#[test]
fn half_kp() {
    equals_yaneuraou(1, "halfkp_256x2-32-32");
}

#[test]
fn half_kp_vm() {
    equals_yaneuraou(2, "halfkpvm_256x2-32-32");
}

#[test]
fn half_ka_hm2() {
    equals_yaneuraou(3, "halfkahm2_256x2-32-32");
}

#[test]
fn half_ka1() {
    equals_yaneuraou(4, "halfka1_512x2-16-32");
}

#[test]
fn stacks_with_a_shortcut() {
    equals_yaneuraou(5, "SFNN_halfka2_256_7_32_k3k3");
}

#[test]
fn stacks_by_hands_kings_and_progress() {
    equals_yaneuraou(6, "SFNN_halfkahm2_256_8_32_hand16_k9k9z_progress4");
}

#[test]
fn stacks_of_the_classic_shape() {
    equals_yaneuraou(7, "SFNN_halfkahm2_512_15_32_k3k3");
}

#[test]
fn a_real_network() {
    let folder =
        std::env::var_os("RAICHO_CORPORA").map(|corpora| PathBuf::from(corpora).join("../nets"));
    let Some(folder) = folder.filter(|folder| folder.join("kp256.nn.bin").exists()) else {
        println!("kp256: skipped, beside RAICHO_CORPORA are no nets");
        return;
    };
    let (network, warnings) = Network::open(&folder.join("kp256.nn.bin")).unwrap();
    assert_eq!(network.shape().to_string(), "kp_256x2-32-32");
    assert_eq!(warnings, []);
    let table = fs::read_to_string(folder.join("kp256_evals.tsv")).unwrap();
    let rows: Vec<&str> = table
        .lines()
        .filter(|line| !line.starts_with('#'))
        .collect();
    for row in &rows {
        let (sfen, expected) = row.split_once('\t').unwrap();
        let value = scalar::evaluate(&network, &position(sfen)).unwrap();
        assert_eq!(value.to_string(), expected, "{sfen}");
    }
    println!("{} positions", rows.len());
    assert!(rows.len() >= 450);
}
