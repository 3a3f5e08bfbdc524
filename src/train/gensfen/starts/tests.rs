//! Tests of reading starting positions.

use std::fs;

use super::super::random::{Purpose, generator};
use super::*;

/// A file that goes with its test.
struct Temporary(PathBuf);

impl Temporary {
    fn new(name: &str, content: &[u8]) -> Self {
        let name = format!("raicho-starts-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::write(&path, content).expect("the folder for such files can be written");
        Self(path)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

fn error(name: &str, content: &[u8]) -> String {
    let file = Temporary::new(name, content);
    Starts::of_roots(&file.0)
        .expect_err("a bad file")
        .to_string()
}

#[test]
fn roots_come_as_lines_or_packed() {
    let text = "# two\n\nstartpos moves 7g7f 3c3d\nsfen \
        8l/1l+R2P3/p2pBG1pp/kps1p4/Nn1P2G2/P1P1P2PP/1PS6/1KSG3+r1/LN2+p3L w Sbgn3p 124\n";
    let file = Temporary::new("roots.sfen", text.as_bytes());
    let read = Starts::of_roots(&file.0).expect("good lines");
    assert_eq!(read.len(), 2);
    let positions: Vec<Position> = read
        .positions
        .iter()
        .map(|start| start.position())
        .collect();
    assert_eq!(positions[0].game_ply(), 3);
    assert!(positions[1].to_sfen().ends_with("w Sbgn3p 124"));
    let records: Vec<u8> = positions
        .iter()
        .flat_map(|position| HuffmanCodedPos::of(position).to_bytes())
        .collect();
    let file = Temporary::new("roots.hcp", &records);
    let packed = Starts::of_roots(&file.0).expect("good records");
    for (start, position) in packed.positions.iter().zip(&positions) {
        let unpacked = start.position();
        assert_eq!(unpacked.key(), position.key());
        assert_eq!(unpacked.game_ply(), 1);
    }
    let mut random = generator(Purpose::Opening, 1, 1, 1);
    let chosen: Vec<_> = (0..20).map(|_| packed.choose(&mut random).key()).collect();
    assert!(
        positions
            .iter()
            .all(|position| chosen.contains(&position.key()))
    );
}

#[test]
fn files_are_known_by_their_content() {
    let identity = |content: &str| {
        let file = Temporary::new("same.sfen", content.as_bytes());
        let starts = Starts::of_roots(&file.0).expect("good lines");
        starts.files().to_vec()
    };
    let one = identity("startpos\n");
    assert_eq!(one, identity("startpos\n"));
    assert_ne!(one, identity("startpos moves 7g7f\n"));
    assert!(one[0].contains("same.sfen, checksum "), "{one:?}");
}

#[test]
fn bad_files_are_named_with_the_place() {
    let message = error("bad.sfen", b"startpos\nstartpos moves 7g7e\n");
    assert!(
        message.contains("bad.sfen line 2") && message.contains("7g7e"),
        "{message}"
    );
    let message = error("bad-text.sfen", b"startpos\n\xff\xfe\n");
    assert!(message.contains("line 2"), "{message}");
    let message = error("short.hcp", &[0; 33]);
    assert!(
        message.contains("33 bytes, expected a multiple of 32"),
        "{message}"
    );
    let mut records = HuffmanCodedPos::of(&Position::startpos())
        .to_bytes()
        .to_vec();
    records.extend([0xff; 32]);
    let message = error("record.hcp", &records);
    assert!(message.contains("record.hcp record 2"), "{message}");
    assert!(error("empty.hcp", b"").contains("no positions"));
    assert!(error("empty.sfen", b"# nothing\n").contains("no positions"));
}

#[test]
fn without_an_entry_there_is_nothing_to_begin_from() {
    let file = Temporary::new("none.pack", b"");
    let paths = [file.0.clone()];
    let message = Starts::of_entering_kings(&paths).expect_err("no games");
    assert!(
        message.to_string().contains("any of the 0 games"),
        "{message}"
    );
    let file = Temporary::new("bad.pack", b"\x01\x02");
    let paths = [file.0.clone()];
    let message = Starts::of_entering_kings(&paths).expect_err("no game");
    assert!(
        message.to_string().contains("bad.pack: game 1"),
        "{message}"
    );
}
