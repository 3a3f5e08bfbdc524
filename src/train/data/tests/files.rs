//! Passes over several files.

use super::*;

fn convert(from: &[&PathBuf], to: &Path) {
    let destination = to_file(to);
    let sources = sources(from).skipping_bad_records(true);
    let converted = watched(|watch| pass::run(&sources, &destination, watch));
    converted.unwrap();
}

#[test]
fn games_end_with_their_file() {
    let folder = TestFolder::new();
    let [whole, one, other] =
        ["whole", "one", "other"].map(|name| folder.file(&(name.to_owned() + ".psv")));
    write(&whole, 20, 1);
    let bytes = fs::read(&whole).unwrap();
    // In the middle of a game.
    let middle = bytes.len() / 2 + 10 * PackedSfenValue::SIZE;
    fs::write(&one, &bytes[..middle]).unwrap();
    fs::write(&other, &bytes[middle..]).unwrap();
    let out = folder.file("out.pack");
    convert(&[&one, &other], &out);
    let joined: Vec<u8> = [&one, &other]
        .into_iter()
        .flat_map(|path| {
            let part = folder.file("part.pack");
            convert(&[path], &part);
            fs::read(&part).unwrap()
        })
        .collect();
    assert!(fs::read(&out).unwrap() == joined);
}
