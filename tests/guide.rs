//! Compares what is written in English with its Japanese twin: the guide and the README.
//!
//! What one names, the other names too: options of tools, USI options, and figures (decimal ones,
//! those of three digits or more, and those with a unit). Smaller ones are often words in English.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::runner::RAICHO;
use raicho::usi::client::{Client, Program};

/// Headings of sections that have no twin, with all below them.
const ONE_LANGUAGE: &[(&str, &[&str])] = &cases! {
    "book/src/books.md" => &["## Odd and broken files"];
    "book/src/browser.md" => &["## Speed", "## How it is made"];
    "book/src/networks.md" => &["## Files of our own"];
    "book/ja/src/books.md" => &["## 変わったファイル、壊れたファイル"];
};

/// The spellings of units behind a figure. A unit of letters ends where no other letter follows.
const UNITS: &[(&str, &str)] = &cases! {
    "ミリ秒" => "ms";
    "ms" => "ms";
    "秒" => "s";
    "seconds" => "s";
    "s" => "s";
    "分の" => "";
    "分" => "min";
    "minutes" => "min";
    "時間" => "h";
    "hours" => "h";
    "%" => "%";
    "MB" => "MB";
    "GB" => "GB";
};

/// What multiplies a figure.
const SCALES: &[(&str, f64)] = &cases! {
    "million" => 1e6;
    "億" => 1e8;
    "万" => 1e4;
};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The text of a file without the sections that have no twin.
fn shared_text(name: &str) -> String {
    let text = fs::read_to_string(root().join(name)).expect(name);
    let (_, headings) = ONE_LANGUAGE.iter().find(|(file, _)| *file == name).unwrap_or(&("", &[]));
    for heading in *headings {
        assert!(text.lines().any(|line| line == *heading), "{name} has no section '{heading}'");
    }
    let level = |line: &str| line.bytes().take_while(|byte| *byte == b'#').count();
    let (mut left_out, mut shared) = (0, String::new());
    for line in text.lines() {
        if left_out > 0 && (1..=left_out).contains(&level(line)) {
            left_out = 0;
        }
        if headings.contains(&line) {
            left_out = level(line);
        }
        if left_out == 0 {
            shared += line;
            shared += "\n";
        }
    }
    shared
}

/// The options and figures of a text in Markdown.
fn facts(text: &str, usi_options: &[String]) -> BTreeSet<String> {
    let mut facts = BTreeSet::new();
    // Between backquotes, of which a block has three.
    for (index, part) in text.split('`').enumerate() {
        if index % 2 == 0 {
            add_figures(part, &mut facts);
            continue;
        }
        for word in part.split(|c: char| !(c.is_ascii_alphanumeric() || "_-".contains(c))) {
            if word.len() > 3 && word.starts_with("--") || usi_options.iter().any(|o| o == word) {
                facts.insert(word.to_owned());
            }
        }
    }
    facts
}

fn add_figures(text: &str, facts: &mut BTreeSet<String>) {
    // Digits of a word such as ISO-2022-JP are no figure.
    let (mut rest, mut in_word) = (text, false);
    while let Some(first) = rest.chars().next() {
        // The target of a link is no figure.
        if let Some(end) = rest.strip_prefix("](").and_then(|target| target.find(')')) {
            rest = &rest[end + 2..];
        } else if first.is_ascii_digit() && !in_word {
            let (figure, after) = figure(rest);
            facts.extend(figure);
            (rest, in_word) = (after, true);
            continue;
        }
        in_word = first.is_ascii_alphanumeric() || in_word && first == '-';
        rest = &rest[rest.chars().next().map_or(0, char::len_utf8)..];
    }
}

/// The figure at the beginning of a text, if it is to be compared, and the text behind it.
fn figure(text: &str) -> (Option<String>, &str) {
    let (mut value, mut rest) = (String::new(), text);
    let mut scaled = 0.0;
    loop {
        let digits = rest.find(|c: char| !(c.is_ascii_digit() || ",.".contains(c)));
        let number = rest[..digits.unwrap_or(rest.len())].trim_end_matches([',', '.']);
        rest = &rest[number.len()..];
        value.clear();
        value += &number.replace(',', "");
        let Some((after, scale)) = begun_by(rest, SCALES) else { break };
        scaled += value.parse::<f64>().unwrap_or_default() * scale;
        value = scaled.round().to_string();
        rest = after;
        if !rest.starts_with(|c: char| c.is_ascii_digit()) {
            break;
        }
    }
    let unit = begun_by(rest, UNITS);
    rest = unit.map_or(rest, |(after, _)| after);
    let unit = unit.map_or("", |(_, unit)| unit);
    let is_small = value.parse::<u32>().is_ok_and(|value| {
        value < 100 && unit.is_empty() || value <= 12 && ["ms", "s", "min", "h"].contains(&unit)
    });
    ((!is_small).then(|| format!("{value} {unit}").trim_end().to_owned()), rest)
}

/// Which word of a table the text begins with, after a blank or without, and what is behind it.
fn begun_by<'a, T: Copy>(text: &'a str, table: &[(&str, T)]) -> Option<(&'a str, T)> {
    let text = text.strip_prefix(' ').unwrap_or(text);
    table.iter().find_map(|(word, meaning)| {
        let after = text.strip_prefix(word)?;
        let goes_on = word.ends_with(|c: char| c.is_ascii_alphabetic())
            && after.starts_with(|c: char| c.is_ascii_alphanumeric());
        (!goes_on).then_some((after, *meaning))
    })
}

#[test]
fn figures_are_read_in_both_languages() {
    for (text, expected) in cases! {
        "It took 1,234 nodes, 0.5 s and 99 MB." => &["0.5 s", "1234", "99 MB"][..];
        "1,234ノード、0.5秒、99MBでした。" => &["0.5 s", "1234", "99 MB"];
        "129.1 million, 2.2 million" => &["129100000", "2200000"];
        "1億2910万、220万" => &["129100000", "2200000"];
        "10分の1、40分の1、20分" => &["20 min"];
        "12 games in 10 seconds, 13 minutes, 5 %" => &["13 min", "5 %"];
        "x86-64, SSE4.2, ISO-2022-JP, [8 to 12](a-1234.md#567)" => &[];
        "`--threads 4000` and ``` --x ``` `option.Threads=1`" => &["--threads", "Threads"];
    } {
        let found = facts(text, &["Threads".to_owned()]);
        assert_eq!(found.iter().map(String::as_str).collect::<Vec<_>>(), *expected, "{text}");
    }
}

#[test]
fn the_japanese_texts_name_what_the_english_ones_name() {
    let mut engine = Client::start(&Program::new(RAICHO)).expect("the engine starts");
    engine.handshake(Duration::from_mins(1), &|| false).expect("the engine speaks USI");
    let usi_options: Vec<_> = engine.options().iter().map(|option| option.name.clone()).collect();
    let facts_of = |name: &str| facts(&shared_text(name), &usi_options);
    let mut twins = vec![("README.md".to_owned(), "README.ja.md".to_owned())];
    for entry in fs::read_dir(root().join("book/ja/src")).expect("the Japanese guide") {
        let name = entry.expect("a chapter").file_name().into_string().expect("ASCII");
        if Path::new(&name).extension().is_some_and(|extension| extension == "md") {
            twins.push((format!("book/src/{name}"), format!("book/ja/src/{name}")));
        }
    }
    let mut faults = Vec::new();
    for (english, japanese) in &twins {
        let both = [facts_of(english), facts_of(japanese)];
        for (name, own, other) in [(japanese, 1, 0), (english, 0, 1)] {
            let missing: Vec<_> = both[other].difference(&both[own]).cloned().collect();
            if !missing.is_empty() {
                faults.push(format!("{name} lacks {}", missing.join(", ")));
            }
        }
    }
    // The notes in Japanese are shorter, but invent nothing.
    let notes = facts_of("CHANGELOG.ja.md");
    faults.extend(
        notes
            .difference(&facts_of("CHANGELOG.md"))
            .map(|fact| format!("CHANGELOG.md lacks {fact}")),
    );
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}
