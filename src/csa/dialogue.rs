//! The log of the dialogue with the server: one file a day, each line with its time. Our lines come
//! with the password blanked; where a server repeats it, it is blanked here.
//!
//! It takes at most [`MOST_BYTES`] a day for [`MOST_FILES`] days, whatever a server sends.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::client_line::Password;

/// Size in bytes at which the file of a day ends; a day of games on floodgate takes a few MB.
const MOST_BYTES: u64 = 32 << 20;
/// Files that are kept when a new day begins; older ones are removed.
const MOST_FILES: usize = 60;

/// The log files in a folder.
#[derive(Debug)]
pub(super) struct DialogueLog {
    folder: PathBuf,
    password: Password,
    day: String,
    /// The file of the day, and its length in bytes.
    file: Option<(File, u64)>,
}

impl DialogueLog {
    pub(super) fn new(folder: &Path, password: Password) -> Self {
        Self {
            folder: folder.to_owned(),
            password,
            day: String::new(),
            file: None,
        }
    }

    /// Writes a line: `>` to the server, `<` from it, `-` for what happened. A log that cannot be
    /// written never stops a game.
    pub(super) fn note(&mut self, direction: char, line: &str) {
        let now = jiff::Zoned::now();
        let day = now.strftime("%Y-%m-%d").to_string();
        if day != self.day || self.file.is_none() {
            self.file = open(&self.folder, &day);
            self.day = day;
        }
        let Some((file, length)) = &mut self.file else {
            return;
        };
        if *length >= MOST_BYTES {
            return;
        }
        let line = self.password.blanked(line);
        let mut line = format!("{} {direction} {line}\n", now.strftime("%H:%M:%S%.3f"));
        *length += line.len() as u64;
        if *length >= MOST_BYTES {
            line.push_str("the file is full; nothing more of this day is written\n");
        }
        if let Err(error) = file.write_all(line.as_bytes()) {
            log::warn!("the dialogue log: {error}");
        }
    }
}

fn open(folder: &Path, day: &str) -> Option<(File, u64)> {
    let path = folder.join(format!("{day}.log"));
    let file = fs::create_dir_all(folder).and_then(|()| {
        if !path.exists() {
            make_room(folder)?;
        }
        let file = OpenOptions::new().create(true).append(true).open(&path)?;
        let length = file.metadata()?.len();
        Ok((file, length))
    });
    file.inspect_err(|error| log::warn!("{}: {error}", path.display()))
        .ok()
}

/// Removes the oldest files, so that there is room for another one.
fn make_room(folder: &Path) -> io::Result<()> {
    let mut days = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        let is_log = path.extension().is_some_and(|extension| extension == "log");
        if is_log && stem.is_some_and(is_day) {
            days.push(path);
        }
    }
    // Their names sort as the days do.
    days.sort();
    let spare = days.len().saturating_sub(MOST_FILES - 1);
    days[..spare].iter().try_for_each(fs::remove_file)
}

/// Whether a text is a day such as 2026-01-31.
fn is_day(text: &str) -> bool {
    let is_right = |(place, byte): (usize, u8)| match place {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    };
    text.len() == 10 && text.bytes().enumerate().all(is_right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_stays_within_its_limits() {
        let name = format!("raicho-dialogue-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("it can be made");
        for number in 0..MOST_FILES + 5 {
            let name = format!("20{number:02}-01-31.log");
            fs::write(folder.join(name), "old").expect("it can be written");
        }
        fs::write(folder.join("notes.log"), "of the user").expect("it can be written");
        let mut log = DialogueLog::new(&folder, Password::new("secret"));
        log.note('<', "LOGIN:x OK");
        let count = || fs::read_dir(&folder).expect("the folder").count();
        assert_eq!(count(), MOST_FILES + 1, "with the file of the user");
        assert!(!folder.join("2005-01-31.log").exists());
        assert!(folder.join("2006-01-31.log").exists());

        let line = "x".repeat(1 << 20);
        for _ in 0..40 {
            log.note('<', &line);
        }
        let path = folder.join(format!("{}.log", log.day));
        let length = path.metadata().expect("it was written").len();
        assert!((MOST_BYTES..MOST_BYTES + (2 << 20)).contains(&length));
        let text = fs::read_to_string(&path).expect("it is text");
        assert!(text.ends_with("nothing more of this day is written\n"));
        let _ = fs::remove_dir_all(&folder);
    }
}
