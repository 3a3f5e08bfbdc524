//! Positions of search trees: they never mix with samples, nor bounds with exact values.

use super::*;
use crate::{records::packed::PackedSfen, records::sample::TreePosition, runs::Watch};
use crate::{train::data::stats, types::Bound};

const BOUNDS: [Bound; 3] = [Bound::Upper, Bound::Lower, Bound::Exact];

/// Positions of a made-up game, each with several bounds and depths.
fn nodes() -> Vec<TreePosition> {
    let game = game(1, 1);
    let mut position = game.start.clone();
    let mut nodes = Vec::new();
    for (ply, &(mv, score)) in game.moves.iter().enumerate() {
        for number in 0..4 {
            nodes.push(TreePosition {
                position: PackedSfen::of(&position),
                score: score + number as i16,
                mv: (number % 2 == 0).then_some(mv.to_move16()),
                ply: ply as u16 + 1,
                depth: 3 + number as u8 % 3,
                bound: BOUNDS[(ply + number) % 3],
            });
        }
        position.do_move(mv);
    }
    nodes
}

fn write_nodes(path: &Path) -> Vec<TreePosition> {
    let nodes = nodes();
    let bytes = nodes.iter().flat_map(TreePosition::to_bytes);
    fs::write(path, bytes.collect::<Vec<u8>>()).unwrap();
    nodes
}

fn read_nodes(path: &Path) -> Vec<TreePosition> {
    let records = records(path, TreePosition::SIZE);
    let nodes = records.iter().map(|bytes| {
        let bytes = bytes.as_slice().try_into().unwrap();
        TreePosition::from_bytes(bytes).unwrap()
    });
    nodes.collect()
}

#[test]
fn conversions_leave_out_what_a_format_cannot_keep_and_count_it() {
    let folder = TestFolder::new();
    let [tree, pack] = ["in.tree", "in.pack"].map(|name| folder.file(name));
    let nodes = write_nodes(&tree);
    write(&pack, 3, 1);
    for (name, written, left_out) in [
        ("out.psv", 60, nodes.len()),
        ("out.hcpe", 60, nodes.len()),
        ("out.pack", 60, nodes.len()),
        ("out.tree", nodes.len(), 60),
        ("out.sfen", 60 + nodes.len(), 0),
    ] {
        let out = folder.file(name);
        let both = sources(&[&tree, &pack]);
        let run = |watch: &Watch<'_>| pass::run(&both, &to_file(&out), watch).unwrap();
        let report = watched(run);
        let found = (report.tally.written, report.tally.left_out);
        assert_eq!(found, (written as u64, left_out as u64), "{name}");
        assert_eq!((report.samples, report.tree_positions), (60, 80));
    }
    assert_eq!(fs::read(folder.file("out.tree")).unwrap(), fs::read(&tree).unwrap());
}

#[test]
fn shuffled_trees_are_the_same_in_another_order() {
    let folder = TestFolder::new();
    let [tree, pack, out] = ["in.tree", "in.pack", "out.tree"].map(|name| folder.file(name));
    let nodes = write_nodes(&tree);
    write(&pack, 3, 1);
    let both = sources(&[&tree, &pack]);
    let tally =
        watched(|watch| sort::shuffle(&both, (&out, Format::Tree), 1000, 1, watch)).unwrap();
    assert_eq!((tally.written, tally.left_out), (80, 60));
    let bytes = |nodes: &[TreePosition]| {
        let mut bytes: Vec<_> = nodes.iter().map(TreePosition::to_bytes).collect();
        bytes.sort_unstable();
        bytes
    };
    let shuffled = read_nodes(&out);
    assert_ne!(shuffled, nodes);
    assert_eq!(bytes(&shuffled), bytes(&nodes));
}

#[test]
fn the_deepest_of_each_kind_of_bound_remains() {
    let folder = TestFolder::new();
    let [tree, pack, out] = ["in.tree", "in.pack", "out.tree"].map(|name| folder.file(name));
    let mut expected: BTreeMap<([u8; 32], u8), TreePosition> = BTreeMap::new();
    for node in write_nodes(&tree) {
        let key = (node.position.to_bytes(), node.bound as u8);
        let kept = expected.entry(key).or_insert(node);
        if node.depth > kept.depth {
            *kept = node;
        }
    }
    write(&pack, 3, 1);
    for memory in [1 << 20, 500] {
        let both = sources(&[&tree, &pack]);
        let report =
            watched(|watch| sort::dedup(&both, (&out, Format::Tree), memory, watch)).unwrap();
        assert_eq!((report.tally.written, report.tally.left_out), (60, 60));
        assert_eq!((report.repeated, report.contested), (20, 0));
        let found = read_nodes(&out).into_iter();
        let found: BTreeMap<_, _> =
            found.map(|node| ((node.position.to_bytes(), node.bound as u8), node)).collect();
        assert_eq!(found, expected, "{memory}");
    }
    let trees = sources(&[&tree]);
    let psum = folder.file("out.psum");
    let report = watched(|watch| sort::dedup(&trees, (&psum, Format::Psum), 1 << 20, watch));
    let tally = report.unwrap().tally;
    assert_eq!((tally.written, tally.left_out), (0, 80));
}

#[test]
fn trees_are_counted_by_bound() {
    let folder = TestFolder::new();
    let tree = folder.file("in.tree");
    let nodes = write_nodes(&tree);
    let trees = sources(&[&tree]);
    let stats = watched(|watch| stats::run(&trees, watch)).unwrap();
    let count = |bound| nodes.iter().filter(|node| node.bound == bound).count() as u64;
    assert_eq!(stats.trees.positions, BOUNDS.map(count));
    assert_eq!(stats.samples, [0; 3]);
    let text = stats.to_string();
    assert!(text.contains("80  positions of search trees, 3"), "{text}");
    let part = "depth of a position of a search tree";
    assert!(text.contains(part), "{text}");
}

#[test]
fn bad_trees_are_found_at_their_place() {
    let folder = TestFolder::new();
    let tree = folder.file("in.tree");
    write_nodes(&tree);
    let mut bytes = fs::read(&tree).unwrap();
    bytes[40 + 39] = 0;
    bytes[80] = 0xff;
    bytes[160 + 34] = 2;
    bytes[160 + 35] = 0;
    bytes.truncate(bytes.len() - 1);
    fs::write(&tree, &bytes).unwrap();
    let report = watched(|watch| {
        let trees = sources(&[&tree]).skipping_bad_records(true);
        pass::run(&trees, &Destination::default(), watch)
    })
    .unwrap();
    let classes: Vec<_> = report.tally.faults.keys().map(String::as_str).collect();
    let expected = ["bad bound", "bad king", "cut off", "illegal move"];
    assert_eq!(classes, expected);
}
