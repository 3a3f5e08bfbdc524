//! Tests of run folders: what is kept, and what is read after a kill.

use super::*;

const KIND: RunKind = RunKind {
    noun: "count",
    settings: "count.json",
    journal: "count.jsonl",
    format: 3,
};

/// A folder that is removed at the end of the test.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Self {
        let name = format!("raicho-run-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&path);
        Self(path)
    }

    fn with(name: &str, entries: &[u32]) -> Self {
        let place = Self::new(name);
        let mut folder = RunFolder::create(&place.0, KIND, &[1, 2]).expect("it is free");
        for entry in entries {
            folder.append(entry).expect("it can be written");
        }
        place
    }

    fn append_text(&self, text: &str) {
        let path = self.0.join(KIND.journal);
        let old = fs::read_to_string(&path).expect("it is there");
        fs::write(path, old + text).expect("it can be written");
    }

    fn resume(&self) -> Result<(RunFolder, Vec<u32>), FolderError> {
        RunFolder::resume(&self.0, KIND)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn refusal<T>(result: Result<T, FolderError>) -> String {
    result.err().expect("this is refused").to_string()
}

#[test]
fn a_run_is_found_as_it_was_left() {
    let place = Place::with("left", &[12, 345]);
    place.append_text("6");
    let settings: [u32; 2] = read_settings(&place.0, KIND).expect("they are whole");
    assert_eq!(settings, [1, 2]);
    let entries: Vec<u32> = read_entries(&place.0, KIND).expect("two whole lines");
    assert_eq!(entries, [12, 345]);
    let (mut folder, entries) = place.resume().expect("a kill does no harm");
    assert_eq!(entries, [12, 345]);
    folder.append(&6).expect("it can be written");
    drop(folder);
    assert_eq!(place.resume().expect("a third time").1, [12, 345, 6]);
}

#[test]
fn entries_that_never_reached_the_disk_are_dropped() {
    let place = Place::with("dropped", &[1, 2, 30, 40]);
    let is_complete = |&entry: &u32| entry < 10;
    let resumed = RunFolder::resume_where(&place.0, KIND, is_complete);
    assert_eq!(resumed.expect("two are left").1, [1, 2]);
    assert_eq!(place.resume().expect("for good").1, [1, 2]);
}

#[test]
fn broken_lines_and_other_formats_are_named() {
    let place = Place::with("broken", &[1]);
    let other = RunKind { format: 4, ..KIND };
    let words = refusal(read_settings::<[u32; 2]>(&place.0, other));
    assert!(words.contains("format 3 of raicho"), "{words}");
    place.append_text("x\n");
    let words = refusal(place.resume());
    assert!(words.contains("count.jsonl line 2: "), "{words}");
}

#[test]
fn one_process_at_a_time() {
    let place = Place::new("alone");
    let first = RunFolder::create(&place.0, KIND, &[1, 2]).expect("it is free");
    assert!(matches!(place.resume(), Err(FolderError::InUse(_))));
    drop(first);
    assert!(place.resume().is_ok());
}

/// As the rest of a process that was killed while it started another one.
#[test]
fn a_lock_that_is_about_to_be_released_is_waited_for() {
    let place = Place::new("released");
    let first = RunFolder::create(&place.0, KIND, &[1, 2]).expect("it is free");
    std::thread::scope(|scope| {
        scope.spawn(move || {
            std::thread::sleep(std::time::Duration::from_millis(100));
            drop(first);
        });
        assert!(place.resume().is_ok());
    });
}

#[test]
fn a_run_begins_only_where_there_is_none_and_goes_on_only_where_there_is_one() {
    let place = Place::with("occupied", &[1]);
    let create = || RunFolder::create(&place.0, KIND, &[1, 2]);
    assert!(refusal(create()).contains("holds a count already"));
    fs::remove_file(place.0.join(KIND.settings)).expect("it is there");
    let words = refusal(create());
    assert!(words.contains("count.json: is gone"), "{words}");
    let file = place.0.join("a.file");
    fs::write(&file, "").expect("it can be written");
    let words = refusal(RunFolder::create(&file, KIND, &[1, 2]));
    assert!(words.contains("is a file, expected a folder"), "{words}");
    let words = refusal(place.resume());
    assert!(words.contains("holds no count: expected a file count.json"));
}

#[test]
fn a_journal_that_is_gone_is_noticed() {
    let place = Place::with("gone", &[1]);
    fs::remove_file(place.0.join(KIND.journal)).expect("it is there");
    let words = refusal(place.resume());
    assert!(words.contains("count.jsonl: is gone"), "{words}");
}

#[test]
fn other_settings_do_not_go_on() {
    let place = Place::with("other", &[1]);
    let resume = |settings: &[u32; 2]| {
        RunFolder::resume_same(&place.0, KIND, settings, |_: &u32| true).map(drop)
    };
    assert!(resume(&[1, 2]).is_ok());
    let words = refusal(resume(&[1, 3]));
    assert!(words.contains("holds another count: "), "{words}");
}
