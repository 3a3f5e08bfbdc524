//! Options of version 1 that went, and what replaces them.

/// Subcommand, option, what to do instead.
const MOVED: &[(&str, &str, &str)] = &[
    ("convert", "--work", "it is one pass: run it again"),
    ("convert", "--resume", "it is one pass: run it again"),
    ("convert", "--shard", "it is one pass: run it again"),
    ("validate", "--work", "it is one pass: run it again"),
    ("validate", "--resume", "it is one pass: run it again"),
    ("validate", "--shard", "it is one pass: run it again"),
    ("validate", "--merge", "it is one pass: run it again"),
    ("stats", "--work", "it is one pass: run it again"),
    ("stats", "--resume", "it is one pass: run it again"),
    ("stats", "--shard", "it is one pass: run it again"),
    ("stats", "--merge", "it is one pass: run it again"),
    ("learn", "--max-ply", "all later positions are used"),
    ("learn", "--width", "--shape raicho_256x2-8 says it"),
    ("learn", "--schedule", "it is half a cosine wave"),
    ("learn", "--power", "it is 2"),
    ("learn", "--tree-full-depth", "it is 8"),
    ("learn", "--factors", "all are learnt"),
    ("learn", "--king-constants", "they are learnt"),
    ("learn", "--spread-kings", "KK is written as it is"),
    ("net loss", "--entering-king-rule", "it is CSARule27"),
    ("gensfen", "--opponent", "both sides are the engine"),
    (
        "gensfen",
        "--name",
        "files are named games, with the number of the shard",
    ),
    ("gensfen", "--file-mb", "files have 32 MB"),
    (
        "gensfen",
        "--write-minply",
        "games are written from their first move on",
    ),
    ("gensfen", "--eval-limit", "games are played to their end"),
    ("gensfen", "--win-plies", "it is 6"),
    ("gensfen", "--entering-king-maxply", "it is 400"),
    ("match", "--rounds", "--games 2N"),
    ("spsa", "--alpha", "it is 0.602"),
    ("spsa", "--gamma", "it is 0.101"),
    ("spsa", "--stability", "it is a tenth of the iterations"),
    ("csa", "--board", "the full-screen view shows the board"),
    ("csa", "--early-ponder", "Raicho always ponders early"),
    (
        "csa",
        "--no-comments",
        "comments = false in the configuration file",
    ),
    ("roots", "--max-count", "all that fit are taken"),
    ("roots", "--check-rate", "it is 0.5"),
    ("roots", "--check-plies", "it is 30"),
    ("book minimax", "--draw-black", "draws count 0"),
    ("book minimax", "--draw-white", "draws count 0"),
    (
        "book minimax",
        "--separate-colors",
        "both sides are evaluated together",
    ),
    ("book merge", "--threads", "the disk limits it"),
    ("book sort", "--threads", "the disk limits it"),
    (
        "book from-games",
        "--win-rates",
        "--results FILE has the rates",
    ),
    ("book think", "--each", "list the positions in a file"),
    ("book think", "--enough", "--depth says it"),
    ("analyze", "--movetime", "--time"),
    ("analyze", "--jkf", "--kif FOLDER, then raicho convert"),
];

/// What replaces an option of version 1 that `words`, a command line, has.
pub(super) fn replacement(words: &[String], option: &str) -> Option<String> {
    let name = option.split('=').next().unwrap_or_default();
    let (_, _, instead) = MOVED.iter().find(|(command, moved, _)| {
        let mut command = command.split(' ');
        *moved == name && command.all(|word| words.iter().any(|given| given == word))
    })?;
    Some(format!("{name} of version 1 is gone: {instead}"))
}
