//! Options of version 1 that went, and what replaces them.

/// Subcommand, options, what to do instead.
#[rustfmt::skip]
const MOVED: &[(&str, &[&str], &str)] = &[
    ("analyze", &["--blunder"], "it is 20 %"),
    ("analyze", &["--csa", "--jkf"], "--kif, then raicho convert"),
    ("analyze", &["--doubtful"], "it is 10 %"),
    ("analyze", &["--movetime"], "--time"),
    ("analyze", &["--order"], "it is backward"),
    ("analyze", &["--svg"], "the page of --html has the graph"),
    ("analyze", &["--work", "--resume"], "give it fewer games at a time"),
    ("book from-games", &["--win-rates"], "--results FILE has the rates"),
    ("book merge", &["--threads"], "the disk limits it"),
    ("book minimax", &["--draw-black", "--draw-white"], "a draw counts 0"),
    ("book minimax", &["--separate-colors"], "positions that differ in colours alone are one"),
    ("book sort", &["--threads"], "the disk limits it"),
    ("book think", &["--each"], "list the positions in a file"),
    ("book think", &["--enough"], "--depth says it"),
    ("convert", &["--work", "--resume", "--shard"], ONE_PASS),
    ("csa", &["--all"], "--account for each"),
    ("csa", &["--board"], "the full-screen view shows the board"),
    ("csa", &["--early-ponder"], "Raicho itself always ponders early, other engines never"),
    ("csa", &["--no-comments"], "comments = false in the configuration file"),
    ("csa", &["--no-screen"], "a pipe: raicho csa … | cat"),
    ("csa", &["--option"], "--engine option.NAME=VALUE"),
    ("csa", &["--password-variable"], "the variable RAICHO_CSA_PASSWORD or the configuration file"),
    ("csa", &["--port"], "--host HOST:PORT"),
    ("csa", &["--resign-score", "--resign-after"], "the configuration file has it"),
    ("csa stats", &["--json"], "games.jsonl in the folder has the games"),
    ("csa stats", &["--ratings"], "floodgate publishes ratings"),
    ("gensfen", &["--entering-king-maxply"], "it is 400"),
    ("gensfen", &["--eval-limit"], "scores do not end games, but --win-limit"),
    ("gensfen", &["--file-mb"], "files have 32 MB"),
    ("gensfen", &["--name"], "files are named games, with the number of the shard"),
    ("gensfen", &["--opponent"], "both sides are the engine"),
    ("gensfen", &["--win-plies"], "it is 6"),
    ("gensfen", &["--write-minply"], "games are written from their first move on"),
    ("learn", &["--factors"], "all are learnt"),
    ("learn", &["--king-constants"], "they are learnt"),
    ("learn", &["--max-ply"], "all later positions are used"),
    ("learn", &["--power"], "it is 2"),
    ("learn", &["--schedule"], "it is half a cosine wave"),
    ("learn", &["--spread-kings"], "KK is written as it is"),
    ("learn", &["--tree-full-depth"], "it is 8"),
    ("learn", &["--width"], "--shape raicho_256x2-8 says it"),
    ("match", &["--check-pv"], "moves are checked, lines are not"),
    ("match", &["--html-games"], "it is 500"),
    ("match", &["--movetime"], "--each movetime=TIME"),
    ("match", &["--nodes-time"], "--each nodes-time=N"),
    ("match", &["--own-book"], "--each option.USI_OwnBook=true"),
    ("match", &["--rounds"], "--games 2N"),
    ("net loss", &["--entering-king-rule"], "it is CSARule27"),
    ("roots", &["--check-plies"], "it is 30"),
    ("roots", &["--check-rate"], "it is 0.5"),
    ("roots", &["--max-count"], "a position may stand in any number of games"),
    ("spsa", &["--alpha"], "it is 0.602"),
    ("spsa", &["--gamma"], "it is 0.101"),
    ("spsa", &["--movetime"], "--each movetime=TIME"),
    ("spsa", &["--nodes-time"], "--each nodes-time=N"),
    ("spsa", &["--own-book"], "--each option.USI_OwnBook=true"),
    ("spsa", &["--stability"], "it is a tenth of the iterations"),
    ("stats", &["--work", "--resume", "--shard", "--merge"], ONE_PASS),
    ("usi", &["--tunables"], "cargo build --release --features tune makes them options"),
    ("validate", &["--work", "--resume", "--shard", "--merge"], ONE_PASS),
];

const ONE_PASS: &str = "it is one pass, run it again";

/// What replaces an option of version 1 that `words`, a command line, has.
pub(super) fn replacement(words: &[String], option: &str) -> Option<String> {
    let name = option.split('=').next().unwrap_or_default();
    let (_, _, instead) = MOVED.iter().find(|(command, options, _)| {
        let is_given = |word| words.iter().any(|given| given == word);
        options.contains(&name) && command.split(' ').all(is_given)
    })?;
    Some(format!("{name} of version 1 is gone: {instead}"))
}
