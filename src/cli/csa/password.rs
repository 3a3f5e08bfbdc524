//! Where the password comes from: a file, an environment variable, or the terminal; never the
//! command line, which every user of the machine can read.

use std::fs;
use std::path::Path;

use anyhow::{Context, bail, ensure};

use crate::cli::output;
use crate::csa::client_line::Password;

/// The variable that is read where nothing else is said.
const VARIABLE: &str = "RAICHO_CSA_PASSWORD";

/// Reads the password of `account`.
///
/// # Errors
/// The file or variable cannot be read, or the password cannot be sent.
pub(super) fn read(
    file: Option<&Path>,
    variable: Option<&str>,
    account: &str,
) -> anyhow::Result<Password> {
    let text = match (file, variable) {
        (Some(path), _) => from_file(path)?,
        (None, Some(name)) => std::env::var(name).with_context(|| format!("variable {name}"))?,
        (None, None) => match std::env::var(VARIABLE) {
            Ok(text) => text,
            Err(_) => rpassword::prompt_password(format!("password of {account}: ")).with_context(
                || {
                    format!(
                        "no password: expected --password-file, --password-variable, the variable \
                        {VARIABLE} or a terminal"
                    )
                },
            )?,
        },
    };
    ensure!(!text.is_empty(), "the password is empty");
    ensure!(
        !text.contains(char::is_whitespace) && text.is_ascii(),
        "the password holds a space or a letter that is not ASCII, which the protocol cannot send"
    );
    Ok(Password::new(text))
}

fn from_file(path: &Path) -> anyhow::Result<String> {
    let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
    if is_readable_by_others(path) {
        output::eprint_line(format_args!(
            "warning: {} can be read by other users (chmod 600 {0})",
            path.display()
        ));
    }
    match text.lines().next() {
        Some(line) => Ok(line.trim().to_owned()),
        None => bail!("{} is empty", path.display()),
    }
}

#[cfg(unix)]
fn is_readable_by_others(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    /// Any right of the group or of others.
    const OTHERS: u32 = 0o077;
    fs::metadata(path).is_ok_and(|data| data.permissions().mode() & OTHERS != 0)
}

#[cfg(not(unix))]
const fn is_readable_by_others(_path: &Path) -> bool {
    false
}
