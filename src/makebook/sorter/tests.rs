//! Records come out in order, whatever fits into memory, and files are those of one sorter.

use proptest::prelude::*;

use super::*;

#[test]
fn two_sorters_cannot_share_their_files() {
    let folder = std::env::temp_dir().join(format!("raicho-sorters-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let output = folder.join("book.db");
    let abandoned = folder.join("book.db.sort-7.partial");
    let others = ["book.db.sort-x.partial", "other.db.sort-7.partial"];
    fs::write(&abandoned, "left behind").expect("it can be written");
    for other in others {
        fs::write(folder.join(other), "").expect("it can be written");
    }
    let spilled = || {
        let mut sorter = Sorter::new(&output, 0);
        sorter.push(b"key", b"value").expect("memory");
        sorter.spill().map(|()| sorter)
    };
    let first = spilled().expect("nobody sorts there");
    assert!(!abandoned.exists());
    let Err(error) = spilled() else {
        panic!("the names are taken");
    };
    let expected = format!("{}: another run is writing this file", output.display());
    assert_eq!(error.to_string(), expected);
    let sorted = first.finish().expect("its files are there");
    assert!(spilled().is_err(), "the files are still read");
    drop(sorted);
    drop(spilled().expect("nobody sorts there any more"));
    let left: Vec<_> = fs::read_dir(&folder).expect("a folder").flatten().collect();
    assert_eq!(left.len(), others.len(), "{left:?}");
    fs::remove_dir_all(&folder).expect("it is there");
}

fn sort(records: &[Record], memory: u64, name: &str) -> Vec<Record> {
    let folder = std::env::temp_dir();
    let output = folder.join(format!("raicho-sorter-{name}-{}", std::process::id()));
    let mut sorter = Sorter::new(&output, 0);
    // Smaller than any real run, so that there are many.
    sorter.memory = memory as usize;
    for (key, value) in records {
        sorter.push(key, value).expect("a file");
    }
    let mut records = sorter.finish().expect("files");
    let mut found = Vec::new();
    while let Some(record) = records.next().expect("files") {
        found.push(record);
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn sorting_in_files_gives_what_sorting_in_memory_gives(
        keys in prop::collection::vec(prop::collection::vec(0_u8..4, 0..4), 0..300),
        memory in 40_u64..2_000,
    ) {
        let numbers = (0_u32..).map(|number| number.to_le_bytes().to_vec());
        let records: Vec<Record> = keys.into_iter().zip(numbers).collect();
        let mut expected = records.clone();
        expected.sort_by(|a, b| a.0.cmp(&b.0));
        prop_assert_eq!(&sort(&records, u64::MAX, "memory"), &expected);
        prop_assert_eq!(&sort(&records, memory, "files"), &expected);
    }
}
