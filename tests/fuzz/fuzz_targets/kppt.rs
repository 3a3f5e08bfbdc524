//! Folders of three-piece files with any sizes, under the names of all kinds or none: refused with
//! a message of one line. KPP files of a right size are left out, as folders that can be read take
//! seconds; what right files hold cannot be wrong.

#![no_main]

use std::fs::{self, File};
use std::path::PathBuf;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use raicho::eval::kppt::Tables;

#[path = "../../networks/kppt_names.rs"]
mod kppt_names;

use kppt_names::{NAMES, SIZES, is_whole_kpp};

static FOLDER: LazyLock<PathBuf> =
    LazyLock::new(|| std::env::temp_dir().join(format!("raicho-fuzz-kppt-{}", std::process::id())));

fn name(number: u8) -> &'static str {
    NAMES[usize::from(number) % NAMES.len()]
}

/// A file of each entry: numbers of its name and of its size, what is added to that, first bytes.
type Entry<'a> = (u8, u8, i16, &'a [u8]);

fuzz_target!(|input: (Vec<Entry<'_>>, Option<u8>)| {
    let (entries, folder_in_place) = input;
    let _ = fs::remove_dir_all(&*FOLDER);
    fs::create_dir_all(&*FOLDER).expect("a temporary folder");
    for (number, size, change, start) in entries.into_iter().take(NAMES.len()) {
        let path = FOLDER.join(name(number));
        fs::write(&path, start).expect("a file can be written");
        let right = SIZES[usize::from(size) % SIZES.len()];
        let mut size = right.saturating_add_signed(i64::from(change));
        if is_whole_kpp(name(number), size) {
            size -= 1;
        }
        let file = File::options().write(true).open(&path);
        let file = file.expect("the file was written");
        file.set_len(size).expect("a sparse file");
    }
    if let Some(number) = folder_in_place {
        let path = FOLDER.join(name(number));
        let _ = fs::remove_file(&path);
        fs::create_dir_all(path).expect("a folder in place of the file");
    }
    let error = Tables::open(&FOLDER).expect_err("no KPP of a right size");
    let message = error.to_string();
    assert!(!message.is_empty() && !message.contains('\n'), "{message}");
});
