//! Arguments of long work that can be interrupted, resumed and divided.

use std::ops::Deref;
use std::path::PathBuf;

use anyhow::ensure;
use clap::Args;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::usage::ensure_usage;
use crate::runs::{FolderError, RunFolder, RunKind, Shard, Stop};

/// Long work of one machine.
#[derive(Args)]
#[command(next_help_heading = "Long work")]
pub(super) struct KeptWork {
    /// Folder that stores each finished piece, so that the work can be resumed after a kill
    #[arg(long, value_name = "FOLDER")]
    work: Option<PathBuf>,

    /// Resume the work in the folder of --work; begin it if the folder has none yet
    #[arg(long, requires = "work")]
    resume: bool,
}

/// Long work that can be divided among machines.
#[derive(Args)]
#[command(next_help_heading = "Long work")]
pub(super) struct WorkArguments {
    #[command(flatten)]
    kept: KeptWork,

    /// Do only shard I of N, such as 3/16
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
}

impl WorkArguments {
    /// The shard that is done here.
    pub(super) fn shard(&self) -> Shard {
        self.shard.unwrap_or(Shard::WHOLE)
    }
}

impl Deref for WorkArguments {
    type Target = KeptWork;

    fn deref(&self) -> &KeptWork {
        &self.kept
    }
}

impl KeptWork {
    /// Opens the folder, if one was requested, and returns the journal entries that it holds.
    ///
    /// # Errors
    /// The folder holds other work, or cannot be read or written.
    pub(super) fn open<S: Serialize + DeserializeOwned, E: DeserializeOwned>(
        &self,
        kind: RunKind,
        settings: &S,
    ) -> Result<(Option<RunFolder>, Vec<E>), FolderError> {
        let Some(path) = &self.work else {
            return Ok((None, Vec::new()));
        };
        if self.resume && RunFolder::exists(path, kind) {
            let (folder, entries) = RunFolder::resume_same(path, kind, settings, |_: &E| true)?;
            return Ok((Some(folder), entries));
        }
        Ok((Some(RunFolder::create(path, kind, settings)?), Vec::new()))
    }

    /// Whether finished pieces are kept.
    pub(super) const fn is_kept(&self) -> bool {
        self.work.is_some()
    }

    /// Fails if the work was interrupted, so that a script does not take a part for the whole.
    pub(super) fn check_complete(&self, stop: &Stop) -> anyhow::Result<()> {
        let advice = if self.work.is_some() {
            "; the same command with --resume continues"
        } else {
            ""
        };
        ensure!(!stop.is_requested(), "interrupted{advice}");
        Ok(())
    }
}

/// `--shard` of commands that cannot be divided, to refuse it with the reason.
#[derive(Args)]
pub(super) struct Indivisible {
    /// Not supported by this command
    #[arg(long, value_name = "I/N", hide = true)]
    shard: Option<String>,
}

impl Indivisible {
    /// Refuses `--shard`. `reason` is a clause that completes the message.
    ///
    /// # Errors
    /// `--shard` was given.
    pub(super) fn check(&self, reason: &str) -> anyhow::Result<()> {
        ensure_usage!(
            self.shard.is_none(),
            "--shard is not for this command: {reason}"
        );
        Ok(())
    }
}
