//! The command line: one program, `raicho`, whose default is the USI engine.
//!
//! Each subcommand is a file or a folder with its arguments and `run`. Errors become one message on
//! standard error.

mod analyze;
mod arena;
mod arguments;
mod book;
mod csa;
mod data;
mod engine;
mod error;
mod gensfen;
mod learn;
mod mate;
mod moved;
mod net;
mod output;
mod progress;
mod result_file;
mod shell;
mod spsa;

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::{env, fmt::Write as _, process::ExitCode};

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgAction, ArgMatches, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use clap::{builder::StyledStr, parser::ValueSource};

use self::arguments::{Given, Named};
use crate::lang::{self, Lang, help};
use crate::{usi::client, util::abbreviate};

/// Raicho (雷鳥), a USI shogi engine. Without a subcommand it speaks USI on standard input and
/// output.
#[derive(Parser)]
#[command(name = "raicho", version, about)]
struct Arguments {
    /// Language of what tools for people print [default: of the variable `RAICHO_LANG`, or of the
    /// locale]
    #[arg(long, global = true, value_name = "LANG",
          value_parser = Named::<Lang>::new(["ja", "en"]))]
    lang: Option<Lang>,

    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Analyse games and positions: tables, annotated records, a page
    Analyze(Box<analyze::Arguments>),
    /// Search fixed positions; the node count identifies a version
    Bench(engine::BenchArguments),
    /// Show, check, convert, probe and make opening books
    Book(book::Arguments),
    /// Print completions of the command line for a shell
    Completions(shell::Completions),
    /// Turn teacher data and games from one format into another
    Convert(data::convert::Arguments),
    /// Play on a CSA server such as floodgate, for as long as you like
    Csa(Box<csa::Arguments>),
    /// Write each position once, with the mean of its scores
    Dedup(data::DedupArguments),
    /// Make teacher data: games of the engine against itself
    Gensfen(Box<gensfen::Arguments>),
    /// Train a network from teacher data
    Learn(Box<learn::Arguments>),
    /// Write manual pages
    Man(shell::Man),
    /// Let engines play against each other, with error bars
    Match(Box<arena::Arguments>),
    /// Solve tsume problems: find mates by checks alone
    Mate(mate::Arguments),
    /// Show, scale, judge and make up network files
    Net(net::Arguments),
    /// Count the leaves of the tree of legal moves
    Perft(engine::PerftArguments),
    /// Search positions of teacher data again, for new scores
    Rescore(data::RescoreArguments),
    /// Choose start positions for `gensfen` out of game records
    Roots(data::RootsArguments),
    /// Put the positions of teacher data into random order
    Shuffle(data::ShuffleArguments),
    /// Tune the numbers of an engine by games against itself
    Spsa(Box<spsa::Arguments>),
    /// Count what is in teacher data
    Stats(data::StatsArguments),
    /// Speak USI, which is also what happens without a subcommand
    #[command(before_help = "Example: raicho usi")]
    Usi,
    /// Find the bad records of teacher data, and write the good ones
    Validate(data::ValidateArguments),
}

/// The status for an invalid command line, also that of clap.
const INVALID: u8 = 2;

/// The subcommands as the help lists them.
const GROUPS: [(&str, &[&str]); 6] = [
    ("Play and analyse", &["usi", "analyze", "mate"]),
    ("Books and servers", &["book", "csa"]),
    ("Matches", &["match", "spsa"]),
    (
        "Teacher data",
        &["gensfen", "convert", "rescore", "roots", "dedup", "shuffle", "stats", "validate"],
    ),
    ("Networks", &["learn", "net"]),
    ("Checks and the shell", &["bench", "perft", "completions", "man"]),
];

/// The command line, with its subcommands in groups.
fn command(lang: Lang) -> clap::Command {
    let mut command = Arguments::command();
    if lang == Lang::Ja {
        command = in_japanese(command, "");
    }
    let mut groups = String::new();
    for (title, names) in GROUPS {
        let _ = writeln!(groups, "\n{}:", heading(title, lang));
        for name in names {
            let about = command.find_subcommand(name).and_then(clap::Command::get_about);
            let about = about.map_or_else(String::new, ToString::to_string);
            let _ = writeln!(groups, "  {name:<11}  {about}");
        }
    }
    let [usage, options] = ["Usage", "Options"].map(|title| heading(title, lang));
    command.help_template(format!(
        "{{before-help}}{{about-with-newline}}\n{usage}: {{usage}}\n{groups}\n{options}:\n\
         {{options}}{{after-help}}"
    ))
}

/// A heading of the help.
fn heading(title: &'static str, lang: Lang) -> &'static str {
    help::japanese(title).filter(|_| lang == Lang::Ja).unwrap_or(title)
}

/// Columns before the texts of options in the help, and the least and most columns of a line.
const HELP_INDENT: usize = 10;
const HELP_COLUMNS: [usize; 2] = [40, 100];

/// A command whose help fits a terminal of this width in columns.
fn fitted(mut command: clap::Command, columns: usize) -> clap::Command {
    let [least, most] = HELP_COLUMNS;
    let columns = columns.clamp(least, most);
    let wrapped = |text: &StyledStr, room| lang::wrapped(&text.to_string(), room).join("\n");
    if let Some(text) = command.get_after_help().map(|text| wrapped(text, columns)) {
        command = command.after_help(text);
    }
    let command = command.next_line_help(true).mut_args(|argument| {
        let texts = [argument.get_help(), argument.get_long_help()];
        let [short, long] = texts.map(|text| text.map(|text| wrapped(text, columns - HELP_INDENT)));
        let argument = short.into_iter().fold(argument, clap::Arg::help);
        long.into_iter().fold(argument, clap::Arg::long_help)
    });
    command.mut_subcommands(|inner| fitted(inner, columns))
}

/// A command, of which `path` are the names, with the help that there is in Japanese.
fn in_japanese(command: clap::Command, path: &str) -> clap::Command {
    let command = match help::japanese(path) {
        Some(text) => command.about(text).long_about(text),
        None => command,
    };
    let command = match help::japanese(&format!("{path}:after")) {
        Some(text) => command.after_help(text),
        None => command,
    };
    let flag = |name: &'static str, short, action| {
        let text = help::japanese(name).unwrap_or(name);
        clap::Arg::new(name).short(short).long(name).action(action).help(text)
    };
    let mut command = command
        .disable_help_flag(true)
        .arg(flag("help", 'h', ArgAction::Help))
        .subcommand_help_heading(heading("Commands", Lang::Ja))
        .help_template(format!(
            "{{before-help}}{{about-with-newline}}\n{}: {{usage}}\n\n{{all-args}}{{after-help}}",
            heading("Usage", Lang::Ja)
        ));
    if path.is_empty() {
        let version = flag("version", 'V', ArgAction::Version);
        command = command.disable_version_flag(true).arg(version);
    }
    let command = command.mut_args(|argument| {
        let kind = if argument.is_positional() { "Arguments" } else { "Options" };
        let title = help::japanese(argument.get_help_heading().unwrap_or(kind));
        let argument = match help::japanese(&format!("{path}:{}", argument.get_id())) {
            Some(text) => argument.help(text).long_help(text),
            None => argument,
        };
        title.into_iter().fold(argument, clap::Arg::help_heading)
    });
    command.mut_subcommands(|inner| {
        let path = format!("{path} {}", inner.get_name());
        in_japanese(inner, path.trim_start())
    })
}

/// The language of the help: that of `--lang` in the command line, or of the environment.
fn lang_of_help() -> Lang {
    let words: Vec<String> = words().map(|word| word.to_string_lossy().into_owned()).collect();
    let named = words.iter().position(|word| word == "--lang").and_then(|at| words.get(at + 1));
    let named = named.map(String::as_str);
    let named = named.or_else(|| words.iter().find_map(|word| word.strip_prefix("--lang=")));
    named.and_then(|name| name.parse().ok()).unwrap_or_else(Lang::of_environment)
}

/// The argument with which the program starts itself as the guard of an engine; not for people.
const GUARD: &str = "guard-engine";

/// The words of the command line, of which the first is the program.
#[cfg(not(windows))]
use std::env::args_os as words;
/// The same with the names of files in place of patterns such as `*.kif`.
#[cfg(windows)]
use wild::args_os as words;

/// Runs the program. Its status is 0 for success, 1 for an error, 2 for an invalid command line.
pub fn run() -> ExitCode {
    if cfg!(unix) && words().nth(1).is_some_and(|argument| argument == GUARD) {
        // Its end is that of its process group.
        return client::guard().map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS);
    }
    if let Some(program) = own_program() {
        client::guard_engines(program, GUARD);
    }
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("off")).init();
    let lang_of_help = lang_of_help();
    let help = fitted(command(lang_of_help), output::columns());
    let parsed = help.clone().try_get_matches_from(words()).and_then(|matches| {
        let arguments = Arguments::from_arg_matches(&matches);
        let given = Given::new(matches.subcommand().map(|(_, matches)| matches));
        check_places(&matches)?;
        Ok((arguments.map_err(|error| error.format(&mut help.clone()))?, given))
    });
    let (arguments, given) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => return print_usage(error, lang_of_help),
    };
    let lang = arguments.lang.unwrap_or_else(lang_of_environment);
    let result = match arguments.command {
        Some(Command::Analyze(arguments)) => analyze::run(&arguments, lang),
        Some(Command::Bench(arguments)) => engine::run_bench(&arguments),
        Some(Command::Completions(arguments)) => shell::completions(&arguments, command(Lang::En)),
        Some(Command::Book(arguments)) => book::run(&arguments, lang),
        Some(Command::Convert(arguments)) => data::convert::run(&arguments),
        Some(Command::Csa(arguments)) => csa::run(&arguments, lang),
        Some(Command::Dedup(arguments)) => data::dedup(&arguments),
        Some(Command::Gensfen(arguments)) => gensfen::run(&arguments),
        Some(Command::Learn(arguments)) => learn::run(&arguments, &given),
        Some(Command::Man(arguments)) => shell::man(&arguments, command(Lang::En)),
        Some(Command::Match(arguments)) => arena::run(&arguments, &given, lang),
        Some(Command::Mate(arguments)) => mate::run(&arguments, lang),
        None | Some(Command::Usi) => engine::run(lang),
        Some(Command::Net(arguments)) => net::run(&arguments),
        Some(Command::Perft(arguments)) => engine::run_perft(&arguments),
        Some(Command::Rescore(arguments)) => data::rescore(&arguments),
        Some(Command::Roots(arguments)) => data::roots(&arguments),
        Some(Command::Shuffle(arguments)) => data::shuffle(&arguments),
        Some(Command::Spsa(arguments)) => spsa::run(&arguments, &given),
        Some(Command::Stats(arguments)) => data::stats(&arguments),
        Some(Command::Validate(arguments)) => data::validate(&arguments),
    };
    match result.and_then(|()| Ok(output::stdout().flush()?)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => report(&error, lang),
    }
}

/// Checks that no option stands before a subcommand to which it does not belong, as in
/// `raicho match --games 2 merge`. The attribute `args_conflicts_with_subcommands` would refuse
/// `--lang` too.
fn check_places(matches: &ArgMatches) -> Result<(), clap::Error> {
    let mut command = command(Lang::En);
    let Some((name, matches)) = matches.subcommand() else {
        return Ok(());
    };
    let (Some(inner), Some(outer)) = (matches.subcommand_name(), command.find_subcommand(name))
    else {
        return Ok(());
    };
    let is_given = |argument: &&clap::Arg| {
        matches.value_source(argument.get_id().as_str()) == Some(ValueSource::CommandLine)
    };
    let Some(option) = outer.get_arguments().find(is_given) else {
        return Ok(());
    };
    let option = option.get_long().unwrap_or_default();
    let text = format!("the argument '--{option}' cannot be used with '{name} {inner}'");
    Err(command.error(ErrorKind::ArgumentConflict, text))
}

/// Our executable. On Linux also when its file was replaced by that of another version.
fn own_program() -> Option<PathBuf> {
    if cfg!(target_os = "linux") {
        return Some(PathBuf::from("/proc/self/exe"));
    }
    env::current_exe().ok()
}

/// The language of the environment. Says if that names none.
fn lang_of_environment() -> Lang {
    if let Some(fault) = Lang::fault_of_environment() {
        output::eprint_line(format_args!("warning: RAICHO_LANG: {fault}; taking en"));
    }
    Lang::of_environment()
}

/// Prints why the program fails, and returns its status.
fn report(error: &anyhow::Error, lang: Lang) -> ExitCode {
    match output::failure(error) {
        Some(failure) if failure.is_closed_pipe() => return ExitCode::SUCCESS,
        Some(failure) => output::eprint_line(lang.error(failure)),
        None => output::eprint_line(lang.error(output::message(error))),
    }
    if error::is_usage(error) {
        return ExitCode::from(INVALID);
    }
    ExitCode::FAILURE
}

/// Prints the help that was asked for, or what is wrong with the command line, and returns the
/// status.
fn print_usage(mut error: clap::Error, lang: Lang) -> ExitCode {
    for kind in [ContextKind::InvalidArg, ContextKind::InvalidSubcommand, ContextKind::InvalidValue]
    {
        if let Some(ContextValue::String(text)) = error.get(kind) {
            let text = abbreviate(text.clone());
            error.insert(kind, ContextValue::String(text));
        }
    }
    let option = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(text)) if error.kind() == ErrorKind::UnknownArgument => text,
        _ => "",
    };
    let words = words().map(|word| word.to_string_lossy().into_owned());
    let words: Vec<String> = words.collect();
    if let Some(note) = moved::replacement(&words, option) {
        output::eprint_line(format_args!("{}\n", lang.error(note)));
    }
    if error.kind() == ErrorKind::InvalidSubcommand
        && let Some(file) = words.get(1).filter(|word| Path::new(word).exists())
    {
        output::eprint_line(format_args!("{}\n", lang.did_you_mean(file)));
    }
    let printed = error.print().and_then(|()| io::stdout().flush());
    match printed {
        Err(failure) if !error.use_stderr() => report(&output::wrap(failure).into(), lang),
        _ => ExitCode::from(error.exit_code() as u8),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// What rows of the help could be about, below a command.
    fn keys(command: &clap::Command, path: &str, keys: &mut BTreeSet<String>) {
        keys.insert(path.to_owned());
        keys.extend(
            command.get_arguments().map(|argument| format!("{path}:{}", argument.get_id())),
        );
        let headings = command.get_arguments().filter_map(clap::Arg::get_help_heading);
        keys.extend(headings.map(str::to_owned));
        if command.get_after_help().is_some() {
            keys.insert(format!("{path}:after"));
        }
        for inner in command.get_subcommands() {
            self::keys(inner, format!("{path} {}", inner.get_name()).trim_start(), keys);
        }
    }

    #[test]
    fn help_in_japanese_is_about_what_there_is_and_complete_where_players_look() {
        let own = ["Usage", "Commands", "Arguments", "Options", "help", "version"];
        let titles = GROUPS.iter().map(|&(title, _)| title).chain(own);
        let mut all: BTreeSet<String> = titles.map(str::to_owned).collect();
        keys(&Arguments::command(), "", &mut all);
        let rows: BTreeSet<String> = help::ROWS.iter().map(|row| row.0.to_owned()).collect();
        assert_eq!(rows.len(), help::ROWS.len(), "a row stands twice");
        assert_eq!(rows.difference(&all).collect::<Vec<_>>(), [""; 0], "rows about nothing");
        let is_complete = |key: &&String| {
            let (path, argument) = key.split_once(':').unwrap_or((key, ""));
            let of_players = ["analyze", "mate", "csa"].contains(&path) && argument != "lang";
            let is_command = argument.is_empty()
                && (!path.contains(' ') || path.starts_with("book ") || path.starts_with("match "));
            of_players || is_command
        };
        let missing = all.iter().filter(is_complete).filter(|key| !rows.contains(*key));
        assert_eq!(missing.collect::<Vec<_>>(), [""; 0], "no Japanese");
        let help = command(Lang::Ja).render_help().to_string();
        assert!(help.contains("棋譜や局面を解析する") && help.contains("対局と解析:"), "{help}");
    }

    #[test]
    fn help_fits_the_terminal() {
        for lang in [Lang::En, Lang::Ja] {
            let mut help = fitted(command(lang), 80);
            help.build();
            let names: Vec<String> =
                help.get_subcommands().map(|inner| inner.get_name().to_owned()).collect();
            let of_tools =
                names.iter().filter(|name| ["csa", "analyze", "mate"].contains(&&***name));
            let mut texts = vec![help.render_long_help().to_string()];
            for name in of_tools {
                let inner = help.find_subcommand_mut(name).expect("a subcommand");
                texts.push(inner.render_long_help().to_string());
            }
            for line in texts.iter().flat_map(|text| text.lines()) {
                // An example stays on one line, so that it can be copied.
                let is_example = line.starts_with("Example: ");
                assert!(is_example || lang::width(line) <= 80, "{lang}: {line}");
                let is_english =
                    ["Usage:", "Options:", "Print help"].iter().any(|word| line.contains(word));
                assert!(lang == Lang::En || !is_english, "{line}");
            }
        }
    }
}
