//! Folders of three-piece files with random names and sizes: whatever they hold, they are refused
//! with a message or read, and never read as something that they are not.

use std::fs::File;

use raicho::eval::kppt::Tables;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use crate::folder::Folder;
use crate::networks::kppt_names::{NAMES, SIZES, is_whole_kpp};

#[test]
fn random_folders_are_refused_with_a_message() {
    let mut random = ChaCha8Rng::seed_from_u64(41);
    let mut messages = std::collections::BTreeSet::new();
    for _ in 0..600 {
        let folder = Folder::new();
        for name in NAMES {
            if random.random_range(0..3) == 0 {
                continue;
            }
            let right = SIZES[random.random_range(0..SIZES.len())];
            let size = match random.random_range(0..8) {
                0 => 0,
                1 => right - 1,
                2 => right + 1,
                3 => random.random_range(0..right),
                4 => right / 2,
                _ => right,
            };
            let size = if is_whole_kpp(name, size) {
                size - random.random_range(1..size)
            } else {
                size
            };
            if random.random_range(0..20) == 0 {
                std::fs::create_dir_all(folder.file(name)).expect("a folder in its place");
            } else {
                let file = File::create(folder.file(name)).expect("a file can be written");
                file.set_len(size).expect("a sparse file");
            }
        }
        let error = Tables::open(&folder.0).expect_err("no KPP of a right size");
        let message = error.to_string();
        assert!(!message.is_empty() && !message.contains('\n'), "{message}");
        // The numbers of bytes differ from round to round.
        messages.insert(message.split(" has ").next().map(str::to_owned));
    }
    assert!(messages.len() >= 4, "{messages:?}");
}
