//! The log of the dialogue with the server: one file a day, each line with its time. Our lines come
//! with the password blanked; where a server repeats it, it is blanked here.

use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::client_line::Password;

/// The log files in a folder.
#[derive(Debug)]
pub(super) struct DialogueLog {
    folder: PathBuf,
    password: Password,
    day: String,
    file: Option<File>,
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
        if let Some(file) = &mut self.file {
            let line = self.password.blanked(line);
            let line = format!("{} {direction} {line}\n", now.strftime("%H:%M:%S%.3f"));
            if let Err(error) = file.write_all(line.as_bytes()) {
                log::warn!("the dialogue log: {error}");
            }
        }
    }
}

fn open(folder: &Path, day: &str) -> Option<File> {
    let path = folder.join(format!("{day}.log"));
    let file = fs::create_dir_all(folder)
        .and_then(|()| OpenOptions::new().create(true).append(true).open(&path));
    match file {
        Ok(file) => Some(file),
        Err(error) => {
            log::warn!("{}: {error}", path.display());
            None
        }
    }
}
