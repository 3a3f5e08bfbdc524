//! Which files are read, and which of their positions are taken.

use super::*;
use crate::runs::{Stop, Watch};

#[test]
fn a_folder_stands_for_the_folders_in_it() {
    let folder = TestFolder::new();
    let deep = folder.file("2026/11/21");
    fs::create_dir_all(&deep).unwrap();
    write(&deep.join("a.pack"), 3, 1);
    write(&folder.file("b.psv"), 1, 1);
    fs::write(deep.join("notes.txt"), "no teacher data").unwrap();
    for name in ["nn.bin", "KPP_synthesized.bin", "checkpoint.bin", "user_book.bin"] {
        fs::write(deep.join(name), "no teacher data").unwrap();
    }
    let sources = Sources::new(std::slice::from_ref(&folder.0), None).unwrap();
    let names: Vec<_> = sources.files().iter().map(|file| &file.path).collect();
    assert_eq!(names, [&deep.join("a.pack"), &folder.file("b.psv")]);
}

#[test]
fn positions_with_entered_kings_can_be_chosen() {
    let folder = TestFolder::new();
    let (from, to) = (folder.file("a.psv"), folder.file("b.psv"));
    let mut writer = TeacherWriter::new(Vec::new(), Format::Psv);
    for sfen in [
        "4k4/9/9/9/9/9/9/9/4K4 b - 1",
        "4k4/9/4K4/9/9/9/9/9/9 b - 2",
        "9/9/9/9/9/9/4k4/9/4K4 b - 3",
        "9/9/9/9/9/4k4/9/9/4K4 b - 4",
        "9/9/9/4K4/9/9/9/9/4k4 w - 5",
    ] {
        let position: Position = Position::from_sfen(sfen).unwrap();
        let mv = legal_moves(&position)[0];
        let game = PackGame {
            start: position,
            moves: vec![(mv, 100)],
            result: GameResult::Draw,
            reason: PackReason::RESIGNATION,
        };
        writer.write(&game.into()).unwrap();
    }
    fs::write(&from, writer.finish().unwrap().0).unwrap();
    let destination = Destination { entered_kings: true, ..to_file(&to) };
    let sources = Sources::new(&[from], None).unwrap();
    let report = watched(|watch| pass::run(&sources, &destination, watch)).unwrap();
    assert_eq!((report.samples, report.tally.written), (5, 3));
    let plies: Vec<u16> = fs::read(&to)
        .unwrap()
        .chunks(PackedSfenValue::SIZE)
        .map(|bytes| PackedSfenValue::from_bytes(bytes.try_into().unwrap()).ply)
        .collect();
    assert_eq!(plies, [2, 3, 5]);
}

#[test]
fn statistics_count_everything() {
    let folder = TestFolder::new();
    let pack = folder.file("in.pack");
    write(&pack, 30, 1);
    let stats = watched(|watch| stats::run(&sources(&[&pack]), watch)).unwrap();
    assert_eq!((stats.games, stats.samples), ([10; 3], [200; 3]));
    let text = stats.to_string();
    assert!(text.contains("30  games, 33.3 % black won"), "{text}");
    let part = "plies of the game\n      20            30  ####";
    assert!(text.contains(part), "{text}");
    let picture = stats.svg().unwrap();
    assert!(picture.starts_with("<svg") && picture.contains("ply of the position"));
}

#[test]
fn interrupted_work_leaves_nothing_behind() {
    let folder = TestFolder::new();
    let path = folder.file("in.pack");
    write(&path, 400, 1);
    let stop = Stop::new();
    stop.finish();
    let watch = Watch { stop: &stop, progress: &|_, _| {} };
    let out = folder.file("out.psv");
    let shuffled = sort::shuffle(&sources(&[&path]), (&out, Format::Psv), 1000, 1, &watch);
    assert!(matches!(shuffled, Err(error) if error.is::<Interrupted>()));
    let converted = pass::run(&sources(&[&path]), &to_file(&out), &watch);
    assert!(matches!(converted, Err(error) if error.is::<Interrupted>()));
    assert_eq!(folder.count(), 1);
}
