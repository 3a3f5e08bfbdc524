//! The report on small matches whose figures were computed by hand.

use super::super::referee::Reason;
use super::super::samples::{entry, settings};
use super::super::settings::MatchSettings;
use super::*;

#[test]
fn print() {
    let s = small();
    println!("{s}");
    println!("{}", serde_json::to_string_pretty(&s).unwrap());
}

/// Two pairs in which the first engine makes 1½ points and 1 point, the latter with a loss on time.
fn tally(settings: &MatchSettings) -> Tally {
    let mut late = entry(settings, 3, Some("old"), Reason::TimeLoss);
    late.detail = "120ms used where 100ms were left".to_owned();
    late.dialogue = Some("faults/3.txt".into());
    let mut tally = Tally::new(settings);
    for entry in [
        entry(settings, 0, Some("new-version"), Reason::Resignation),
        entry(settings, 1, None, Reason::Repetition),
        entry(settings, 2, Some("new-version"), Reason::Resignation),
        late,
    ] {
        assert_eq!(tally.add(&entry), Ok(()));
    }
    tally
}

fn small() -> Summary {
    let mut settings = settings(&["new-version", "old"], Some(6));
    settings.sprt = Some(Sprt::default());
    Summary::of(&tally(&settings), "some/match")
}
