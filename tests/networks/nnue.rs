//! Values of networks against `YaneuraOu` and another program, to the last unit: files of random
//! weights in all formats, and one real network where it is at hand.

use std::fs;

use crate::common::{FEWER_KINGS, TWO_KINGS, corpora, position};
use raicho::eval::nnue::FeatureSet;
use raicho::eval::nnue::shape::Shape;
use raicho::eval::nnue::{Network, random, scalar};
use raicho::types::Color;

/// A table with positions in the first column and one column of evaluations for each shape in the
/// header. The seed of a network is the index of its column.
const EVALUATIONS: &str = include_str!("../data/nnue_evaluations.tsv");

/// More shapes in the same layout, with three positions of fewer pieces at the end.
const MORE_EVALUATIONS: &str = include_str!("../data/nnue_more_evaluations.tsv");

/// Networks of our own format in the same layout, evaluated by another program.
const OWN_EVALUATIONS: &str = include_str!("../data/own_evaluations.tsv");

/// Compares the evaluations of a network with its column of a table.
fn equals_table(table: &'static str, name: &str) {
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    let mut rows = lines.map(|line| line.split('\t').collect::<Vec<_>>());
    let header = rows.next().unwrap();
    let column = header.iter().position(|column| *column == name).unwrap();
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
    assert!(compared >= 200);
}

#[test]
fn values_are_those_of_other_programs() {
    let cases = cases! {
        EVALUATIONS => "halfkp_256x2-32-32";
        EVALUATIONS => "halfkpvm_256x2-32-32";
        EVALUATIONS => "halfkahm2_256x2-32-32";
        EVALUATIONS => "halfka1_512x2-16-32";
        EVALUATIONS => "SFNN_halfka2_256_7_32_k3k3";
        EVALUATIONS => "SFNN_halfkahm2_256_8_32_hand16_k9k9z_progress4";
        EVALUATIONS => "SFNN_halfkahm2_512_15_32_k3k3";
        MORE_EVALUATIONS => "SFNN_ka2_256_8_32_c128_s64x2_hand64z_k13k13z";
        MORE_EVALUATIONS => "SFNN_halfkahm1_128_16_32_hand1024_k3k3";
        MORE_EVALUATIONS => "SFNN_kp_128_7_32_hand64_k29k29";
        MORE_EVALUATIONS => "SFNN_halfkp_128_7_32_hand256_k9k9_progress3";
        MORE_EVALUATIONS => "ka2_256x2-8-64";
        MORE_EVALUATIONS => "halfka2_32x2-32-32";
        MORE_EVALUATIONS => "halfkahm1_96x2-16-64";
        MORE_EVALUATIONS => "SFNN_kp_32_7_32_k3k3";
        MORE_EVALUATIONS => "SFNN_halfka1_32_7_32_hand4_k21k21_progress2";
        MORE_EVALUATIONS => "SFNN_halfkpvm_96_8_64_hand256_progress16";
        OWN_EVALUATIONS => "raicho_64x2-8";
        OWN_EVALUATIONS => "raicho_192x2-8";
    };
    for (table, name) in cases {
        equals_table(table, name);
    }
}

#[test]
#[ignore = "takes more than a gigabyte of memory"]
fn attacked_pieces() {
    equals_table(MORE_EVALUATIONS, "halfkpe9_256x2-32-32");
}

#[test]
fn a_real_network() {
    let nets = corpora().map(|corpora| corpora.join("../nets"));
    let Some(folder) = nets.filter(|folder| folder.join("kp256.nn.bin").exists()) else {
        println!("kp256: skipped, beside RAICHO_CORPORA are no nets");
        return;
    };
    let (network, warnings) = Network::open(&folder.join("kp256.nn.bin")).unwrap();
    assert_eq!(network.shape().to_string(), "kp_256x2-32-32");
    assert!(warnings.is_empty(), "{warnings:?}");
    let table = fs::read_to_string(folder.join("kp256_evals.tsv")).unwrap();
    let mut compared = 0;
    for row in table.lines().filter(|line| !line.starts_with('#')) {
        let (sfen, expected) = row.split_once('\t').unwrap();
        let value = scalar::evaluate(&network, &position(sfen)).unwrap();
        assert_eq!(value.to_string(), expected, "{sfen}");
        compared += 1;
    }
    assert!(compared >= 450, "{compared}");
}

/// Reads a network of random weights and evaluates all kinds of positions.
fn reads_and_evaluates(name: &str) {
    let shape: Shape = name.parse().unwrap_or_else(|error| panic!("{name}: {error}"));
    let (network, warnings) = Network::read(&random::file(&shape, 9)).unwrap();
    assert_eq!((network.shape(), warnings.len()), (shape, 0), "{name}");
    let evaluate = |sfen: &&str| scalar::evaluate(&network, &position(sfen)).unwrap();
    let values: Vec<_> = TWO_KINGS.iter().map(evaluate).collect();
    let differ = values.iter().any(|&value| value != values[0]);
    assert!(differ, "{name}: {values:?}");
    for sfen in FEWER_KINGS {
        let position = position(sfen);
        let has_both = Color::ALL.map(|side| position.king(side).is_some()) == [true; 2];
        assert_eq!(scalar::evaluate(&network, &position).is_some(), has_both);
    }
}

#[test]
fn every_kind_of_inputs() {
    for set in FeatureSet::ALL {
        reads_and_evaluates(&format!("{}_64x2-8-32", set.word()));
        reads_and_evaluates(&format!("{}_64x2-8", set.word()));
        if set.count() < 1_000_000 {
            reads_and_evaluates(&format!("SFNN_{}_64_7_32_k3k3", set.word()));
        }
    }
}

#[test]
fn every_width_and_depth() {
    for layers in "256x2-32-32 512x2-8-64 512x2-16-32 768x2-16-64 1024x2-8-32 1024x2-8-64 \
        1536x2-16-32 2048x2-64-64 256x2-8 8192x2-8"
        .split_whitespace()
    {
        reads_and_evaluates(&format!("kp_{layers}"));
    }
    for layers in "1024_7_64_k3k3 512_8_32 256_31_96_hand4 3072_7_64_c1024_s256x8_k3k3 \
        2048_16_32_c0_s1024x2"
        .split_whitespace()
    {
        reads_and_evaluates(&format!("SFNN_ka2_{layers}"));
    }
    reads_and_evaluates("SFNN-1536");
}

#[test]
fn every_kind_of_buckets() {
    for buckets in "hand4 hand16 hand64 hand64z hand256 hand1024 k3k3 k9k9 k9k9z k13k13z k21k21 \
        k29k29 progress2 progress3 progress4 progress8 progress16 progress32 hand4_k13k13z \
        hand64_k3k3_progress8 hand1024_k3k3_progress2 hand16_k21k21"
        .split_whitespace()
    {
        reads_and_evaluates(&format!("SFNN_kp_64_8_32_{buckets}"));
    }
}
