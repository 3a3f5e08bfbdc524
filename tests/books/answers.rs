//! The choice of a move against the answers of `YaneuraOu`. Needs `RAICHO_CORPORA`.

use crate::common::{corpora, rows};
use raicho::book::{Book, BookOptions, Library, ponder_move, probe};
use raicho::position::Position;
use raicho::records::sfen_line::SfenLine;

/// The options of a set of the corpus; see its README.
fn options_of(set: &str) -> BookOptions {
    let open = BookOptions {
        max_ply: 10_000,
        value_differences: [99_999; 2],
        value_limits: [-99_999; 2],
        depth_limits: [0; 2],
        ..BookOptions::default()
    };
    let mut options = if ["A", "J", "K"].contains(&set) { BookOptions::default() } else { open };
    match set {
        "A" | "B" => {}
        "C" => options.considers_counts = true,
        "D" => options.is_narrow = true,
        "E" => options.ignores_ply = true,
        "F" => options.finds_flipped = false,
        "G" => options.value_differences = [0; 2],
        "H" => {
            options.ignores_ply = true;
            options.on_the_fly = true;
        }
        "I" => options.on_the_fly = true,
        "J" => {
            options.max_ply = 12;
            options.value_differences = [50; 2];
            options.value_limits = [-50, -100];
            options.depth_limits = [10; 2];
            options.is_narrow = true;
            options.considers_counts = true;
        }
        "K" => {
            options.max_ply = 24;
            options.value_differences = [10; 2];
            options.ignores_ply = true;
            options.on_the_fly = true;
        }
        other => panic!("unknown set {other}"),
    }
    options
}

/// `hit` or `miss`, and the candidates as the corpus writes them.
fn answer(library: &Library, position: &Position, options: &BookOptions) -> (String, String) {
    let probed = probe(library, position, options);
    let candidates = probed.candidates().map(|candidate| {
        let ponder = ponder_move(library, position, candidate, options);
        let ponder = ponder.map_or("-".to_owned(), |mv| mv.to_string());
        format!("{}:{}:{ponder}", candidate.mv, candidate.weight)
    });
    let candidates: Vec<String> = candidates.collect();
    if candidates.is_empty() {
        ("miss".to_owned(), "-".to_owned())
    } else {
        ("hit".to_owned(), candidates.join(","))
    }
}

#[test]
fn books_answer_as_in_yaneuraou() {
    for name in ["games.db", "games.ybb", "games.bin"] {
        compare(name);
    }
}

fn compare(name: &str) {
    let Some(corpora) = corpora() else {
        return;
    };
    let path = corpora.join("books").join(name);
    let open = |on_the_fly| Library::new(vec![Book::open(&path, on_the_fly).expect("a book")]);
    let libraries = [open(false), open(true)];
    let mut faults = Vec::new();
    for [set, kind, text, result, _, candidates] in rows(&format!("books/{name}.answers.tsv"), 1) {
        let options = options_of(&set);
        let library = &libraries[usize::from(options.on_the_fly)];
        let line: SfenLine = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
        let found = answer(library, &line.position(), &options);
        if (&found.0, &found.1) != (&result, &candidates) {
            faults.push(format!("{set} {kind} {text}\n{result} {candidates}\n{found:?}"));
        }
    }
    let shown = faults[..faults.len().min(10)].join("\n\n");
    assert!(faults.is_empty(), "{name}: {} faults\n{shown}", faults.len());
}
