//! Curves of small matches.

use super::*;
use crate::arena::referee::Reason;
use crate::arena::summary::Summary;
use crate::arena::tally::Tally;
use crate::arena::tests::samples::{entry, settings};

/// A match of four games of which the first engine wins this many.
fn point(nodes: u64, wins: u64) -> CurvePoint {
    let settings = settings(&["new", "old"], Some(4));
    let mut tally = Tally::new(&settings);
    for game in 0..4 {
        let winner = if game < wins { "new" } else { "old" };
        let entry = entry(&settings, game, Some(winner), Reason::Resignation);
        assert_eq!(tally.add(&entry), Ok(()));
    }
    CurvePoint {
        nodes,
        summary: Summary::of(&tally, ""),
    }
}

#[test]
fn each_node_limit_has_a_row_and_a_point() {
    let curve = Curve {
        points: vec![point(2000, 3), point(50_000, 1), point(10_000, 4)],
    };
    let text = curve.to_string();
    let rows: Vec<Vec<&str>> = text
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(rows.len(), 5, "{text}");
    assert_eq!(rows[0], ["new", "against", "old"]);
    assert_eq!(rows[2][..5], ["2000", "4", "75.0", "%", "+190.8"]);
    assert_eq!(rows[3][..5], ["50000", "4", "25.0", "%", "-190.8"]);
    // All points won: no finite difference.
    assert_eq!(rows[4][..5], ["10000", "4", "100.0", "%", "-"]);
    let svg = curve.to_svg().expect("two points");
    assert!(svg.starts_with("<svg") && svg.contains("new against old"));
    assert_eq!(svg.matches("<circle").count(), 2, "{svg}");
    let json = serde_json::to_value(&curve).expect("numbers and texts");
    assert_eq!(json["points"][1]["nodes"], 50_000);
    assert_eq!(json["points"][1]["summary"]["pairings"][0]["wins"], 1);
}

#[test]
fn nothing_is_drawn_without_a_finite_difference() {
    let points = vec![point(1000, 4)];
    assert_eq!(Curve { points }.to_svg(), None);
    assert_eq!(Curve { points: Vec::new() }.to_string(), "");
}

#[test]
fn a_curve_begins_with_all_its_matches() {
    let name = format!("raicho-curve-{}", std::process::id());
    let path = std::env::temp_dir().join(name);
    let _ = std::fs::remove_dir_all(&path);
    let curve = CurveSettings {
        nodes: vec![100, 2000],
    };
    let settings_of = |nodes| {
        let mut settings = settings(&["new", "old"], Some(4));
        for engine in &mut settings.engines {
            engine.time_control.nodes = Some(nodes);
        }
        settings
    };
    assert!(matches!(
        CurveSettings::read(&path),
        Err(FolderError::Missing { .. })
    ));
    let matches = curve.nodes.iter().copied().map(settings_of);
    let matches: Vec<MatchSettings> = matches.collect();
    curve.create(&path, &matches).expect("a new folder");
    assert_eq!(CurveSettings::read(&path).expect("just written"), curve);
    for nodes in [100, 2000] {
        let (found, games) = crate::arena::journal::read(&match_folder(&path, nodes)).expect("one");
        assert_eq!((found, games.len()), (settings_of(nodes), 0));
    }
    let again = curve.create(&path, &matches);
    assert!(matches!(again, Err(FolderError::Occupied { .. })));
    std::fs::remove_dir_all(path).expect("our own folder");
}
