//! Options of version 1 that went, and what replaces them.

/// Subcommand, option, what to do instead.
const MOVED: &[(&str, &str, &str)] = &[];

/// What replaces an option of version 1 that `words`, a command line, has.
pub(super) fn replacement(words: &[String], option: &str) -> Option<String> {
    let name = option.split('=').next().unwrap_or_default();
    let (_, _, instead) = MOVED.iter().find(|(command, moved, _)| {
        let mut command = command.split(' ');
        *moved == name && command.all(|word| words.iter().any(|given| given == word))
    })?;
    Some(format!("{name} of version 1 is gone: {instead}"))
}
