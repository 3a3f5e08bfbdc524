//! Divided passes, and passes that go on from a checkpoint.

use super::*;
use crate::runs::{RunFolder, RunKind, Shard};
use crate::train::data::pass::PassReport;
use crate::train::data::stats::Stats;
use crate::train::data::steps::{Checkpoint, Steps};

const KIND: RunKind = RunKind {
    noun: "pass",
    settings: "pass.json",
    journal: "pass.jsonl",
    format: 1,
};

fn convert(
    from: &[&PathBuf],
    to: &Path,
    mut steps: Steps<PassReport>,
) -> Result<PassReport, DataError> {
    watched(|watch| {
        let destination = to_file(to);
        pass::run(
            &sources(from),
            &destination,
            BadRecords::Skip,
            &mut steps,
            watch,
        )
    })
}

/// Two files of each format, one of them with a broken record where records have a fixed size.
fn inputs(folder: &Folder, ending: &str) -> [PathBuf; 2] {
    let paths = ["one", "other"].map(|name| folder.path(&format!("{name}.{ending}")));
    write(&paths[0], 40, 1);
    write(&paths[1], 23, 1);
    if ending == "psv" {
        let mut bytes = fs::read(&paths[0]).unwrap();
        bytes[40 * 300 + 38] = 9;
        fs::write(&paths[0], bytes).unwrap();
    }
    paths
}

#[test]
fn the_outputs_of_shards_joined_are_that_of_the_whole() {
    let folder = Folder::new("shards");
    for (from, to) in [
        ("pack", "psv"),
        ("psv", "pack"),
        ("psv", "hcpe"),
        ("hcpe", "pack"),
        ("psum", "pack"),
        ("hcpe3", "usi"),
        ("usi", "csa"),
        ("csa", "sfen"),
    ] {
        let inputs = inputs(&folder, from);
        let [first, second] = &inputs;
        let files = [first, second];
        let out = folder.path(&format!("whole.{to}"));
        let report = convert(&files, &out, Steps::whole()).unwrap();
        let whole = fs::read(&out).unwrap();
        assert!(whole.len() > 1000, "{from} to {to}");
        for count in [2, 3, 7, 200] {
            let (mut joined, mut sum, mut stats) =
                (Vec::new(), PassReport::default(), Stats::default());
            for number in 1..=count {
                let shard: Shard = format!("{number}/{count}").parse().unwrap();
                let part = folder.path(&format!("part.{to}"));
                sum.merge(&convert(&files, &part, Steps::new(shard, None, None)).unwrap());
                joined.extend(fs::read(&part).unwrap());
                let counted = watched(|watch| {
                    let mut steps = Steps::new(shard, None, None);
                    stats::run(&sources(&files), BadRecords::Skip, &mut steps, watch)
                });
                stats.merge(&counted.unwrap());
            }
            assert!(joined == whole, "{from} to {to} in {count} parts");
            assert_eq!(sum.to_string(), report.to_string());
            let undivided = watched(|watch| {
                let mut steps = Steps::whole();
                stats::run(&sources(&files), BadRecords::Skip, &mut steps, watch)
            });
            assert_eq!(stats.to_string(), undivided.unwrap().to_string());
        }
    }
}

#[test]
fn a_pass_goes_on_from_each_of_its_checkpoints() {
    let folder = Folder::new("checkpoints");
    for (from, to) in [
        ("pack", "psv"),
        ("psv", "pack"),
        ("psum", "pack"),
        ("hcpe3", "csa"),
    ] {
        let inputs = inputs(&folder, from);
        let [first, second] = &inputs;
        let files = [first, second];
        let out = folder.path(&format!("whole.{to}"));
        let work = folder.path(&format!("work-{from}"));
        let kept = RunFolder::create(&work, KIND, &0).unwrap();
        let steps = Steps::new(Shard::WHOLE, Some(kept), None).of_bytes(500);
        let report = convert(&files, &out, steps).unwrap().to_string();
        let whole = fs::read(&out).unwrap();
        let (kept, checkpoints): (_, Vec<Checkpoint<PassReport>>) =
            RunFolder::resume(&work, KIND).unwrap();
        drop(kept);
        assert!(checkpoints.len() > 3, "{}", checkpoints.len());
        for checkpoint in checkpoints.into_iter().filter(|c| !c.is_complete) {
            // As a kill leaves it: more than the checkpoint tells of.
            let partial = folder.path(&format!("whole.{to}.partial"));
            let torn = (checkpoint.output as usize + 7).min(whole.len());
            fs::write(&partial, &whole[..torn]).unwrap();
            fs::remove_file(&out).unwrap();
            let (kept, _) = RunFolder::resume::<Checkpoint<PassReport>>(&work, KIND).unwrap();
            let steps = Steps::new(Shard::WHOLE, Some(kept), Some(checkpoint));
            assert_eq!(convert(&files, &out, steps).unwrap().to_string(), report);
            assert!(fs::read(&out).unwrap() == whole, "{from} to {to}");
        }
    }
}

#[test]
fn games_end_with_their_file() {
    let folder = Folder::new("files-of-a-game");
    let [whole, one, other] =
        ["whole", "one", "other"].map(|name| folder.path(&(name.to_owned() + ".psv")));
    write(&whole, 20, 1);
    let bytes = fs::read(&whole).unwrap();
    // In the middle of a game.
    let middle = bytes.len() / 2 + 10 * PackedSfenValue::SIZE;
    fs::write(&one, &bytes[..middle]).unwrap();
    fs::write(&other, &bytes[middle..]).unwrap();
    let out = folder.path("out.pack");
    convert(&[&one, &other], &out, Steps::whole()).unwrap();
    let joined: Vec<u8> = [&one, &other]
        .into_iter()
        .flat_map(|path| {
            let part = folder.path("part.pack");
            convert(&[path], &part, Steps::whole()).unwrap();
            fs::read(&part).unwrap()
        })
        .collect();
    assert!(fs::read(&out).unwrap() == joined);
}
