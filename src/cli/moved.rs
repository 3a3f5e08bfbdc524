//! Options of version 1 that went, and what replaces them.

/// Subcommand, options, what to do instead.
const MOVED: &[(&str, &[&str], &str)] = &[
    ("analyze", &["--jkf"], "--kif, then raicho convert"),
    ("analyze", &["--movetime"], "--time"),
    (
        "book extend",
        &["--own-width", "--other-width"],
        "they are 2 and 4",
    ),
    (
        "book extend",
        &["--own-loss", "--other-loss"],
        "they are 20 and 80",
    ),
    ("book extend", &["--decided"], "it is 500"),
    ("book extend", &["--batch"], "it is 64"),
    (
        "book extend",
        &["--list"],
        "--out FILE.sfen lists positions",
    ),
    ("book extend", &["--time"], "--nodes"),
    ("book extend", &["--hash"], "it is 64"),
    (
        "book from-games",
        &["--side"],
        "raicho book merge --sides b",
    ),
    (
        "book from-games",
        &["--win-rates"],
        "--results FILE has the rates",
    ),
    ("book merge", &["--threads"], "the disk limits it"),
    (
        "book minimax",
        &["--draw-black", "--draw-white"],
        "a draw counts 0",
    ),
    (
        "book minimax",
        &["--separate-colors"],
        "positions that differ in colours alone are one",
    ),
    (
        "book minimax",
        &["--shrink"],
        "raicho book convert --loss 1",
    ),
    (
        "book minimax",
        &["--threads"],
        "all cores; RAYON_NUM_THREADS=N takes N",
    ),
    ("book sort", &["--threads"], "the disk limits it"),
    ("book think", &["--each"], "list the positions in a file"),
    ("book think", &["--enough"], "--depth says it"),
    ("book think", &["--hash"], "it is 64"),
    ("book think", &["--time"], "--nodes"),
    ("book validate", &["--force"], "remove the file first"),
    ("convert", &["--seed"], "it is 1"),
    ("convert", &["--work", "--resume", "--shard"], ONE_PASS),
    ("csa", &["--board"], "the full-screen view shows the board"),
    (
        "csa",
        &["--early-ponder"],
        "Raicho itself always ponders early, other engines never",
    ),
    (
        "csa",
        &["--no-comments"],
        "comments = false in the configuration file",
    ),
    ("gensfen", &["--entering-king-maxply"], "it is 400"),
    (
        "gensfen",
        &["--eval-limit"],
        "scores do not end games, but --win-limit",
    ),
    ("gensfen", &["--entering-king-rule"], "it is CSARule27"),
    ("gensfen", &["--entering-king-share"], "it is 0.04"),
    ("gensfen", &["--file-mb"], "files have 32 MB"),
    (
        "gensfen",
        &["--name"],
        "files are named games, with the number of the shard",
    ),
    ("gensfen", &["--opponent"], "both sides are the engine"),
    ("gensfen", &["--random-move-minply"], "it is 1"),
    ("gensfen", &["--random-multi-pv-temperature"], "it is 50"),
    ("gensfen", &["--tree-min-depth"], "it is 3"),
    ("gensfen", &["--win-plies"], "it is 6"),
    (
        "gensfen",
        &["--write-minply"],
        "games are written from their first move on",
    ),
    ("learn", &["--factors"], "all are learnt"),
    ("learn", &["--king-constants"], "they are learnt"),
    ("learn", &["--last-rate"], "it is 0.00001"),
    ("learn", &["--max-ply"], "all later positions are used"),
    ("learn", &["--min-ply"], "all earlier positions are used"),
    ("learn", &["--power"], "it is 2"),
    ("learn", &["--schedule"], "it is half a cosine wave"),
    ("learn", &["--spread-kings"], "KK is written as it is"),
    ("learn", &["--tree-full-depth"], "it is 8"),
    ("learn", &["--width"], "--shape raicho_256x2-8 says it"),
    ("match", &["--rounds"], "--games 2N"),
    ("net difference", &["--limit"], "it is 500"),
    ("net loss", &["--entering-king-rule"], "it is CSARule27"),
    (
        "rescore",
        &["--shard"],
        "give each machine some of the files",
    ),
    (
        "roots",
        &[
            "--check-repetition",
            "--check-games",
            "--check-nodes",
            "--check-plies",
            "--check-rate",
            "--eval",
            "--threads",
            "--seed",
            "--work",
            "--resume",
        ],
        "no games are played, and gensfen writes no position twice",
    ),
    ("roots", &["--percentile"], "--min-count"),
    ("roots", &["--shard"], ONE_PASS),
    (
        "roots",
        &["--max-count"],
        "a position may stand in any number of games",
    ),
    ("spsa", &["--alpha"], "it is 0.602"),
    ("spsa", &["--gamma"], "it is 0.101"),
    ("spsa", &["--stability"], "it is a tenth of the iterations"),
    (
        "stats",
        &["--work", "--resume", "--shard", "--merge"],
        ONE_PASS,
    ),
    (
        "validate",
        &["--work", "--resume", "--shard", "--merge"],
        ONE_PASS,
    ),
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
