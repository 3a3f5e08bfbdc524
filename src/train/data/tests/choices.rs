//! Which files are read, and which of their positions are taken.

use super::*;

#[test]
fn a_folder_stands_for_the_folders_in_it() {
    let folder = Folder::new("folders");
    let deep = folder.path("2026/11/21");
    fs::create_dir_all(&deep).unwrap();
    write(&deep.join("a.pack"), 3, 1);
    write(&folder.path("b.psv"), 1, 1);
    fs::write(deep.join("notes.txt"), "no teacher data").unwrap();
    let sources = Sources::new(std::slice::from_ref(&folder.0), None).unwrap();
    let names: Vec<_> = sources.files().iter().map(|file| &file.path).collect();
    assert_eq!(names, [&deep.join("a.pack"), &folder.path("b.psv")]);
}

#[test]
fn positions_with_entered_kings_can_be_chosen() {
    let folder = Folder::new("entered");
    let (from, to) = (folder.path("a.psv"), folder.path("b.psv"));
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
    let destination = Destination {
        entered_kings: true,
        ..to_file(&to)
    };
    let sources = Sources::new(&[from], None).unwrap();
    let stop = BadRecords::Stop;
    let report =
        watched(|watch| pass::run(&sources, &destination, stop, &mut Steps::whole(), watch))
            .unwrap();
    assert_eq!((report.samples, report.tally.written), (5, 3));
    let plies: Vec<u16> = fs::read(&to)
        .unwrap()
        .chunks(PackedSfenValue::SIZE)
        .map(|bytes| PackedSfenValue::from_bytes(bytes.try_into().unwrap()).ply)
        .collect();
    assert_eq!(plies, [2, 3, 5]);
}
