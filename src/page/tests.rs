//! Tests of the pages.

use std::time::Duration;

use super::*;
use crate::position::Position;
use crate::records::game::{Ending, GameRecord, RecordedMove};

fn page(names: [String; 2]) -> Page {
    let game = Game {
        names,
        start: crate::position::START_SFEN.to_owned(),
        moves: "7g7f 3c3d".to_owned(),
        ..Game::default()
    };
    Page {
        kind: Kind::Analysis,
        title: "{{script}} </title><script>".to_owned(),
        lang: Lang::En,
        program: PROGRAM,
        effort: String::new(),
        thresholds: None,
        games: vec![game],
        of_match: None,
    }
}

/// The JSON of a page, as a browser would cut it out.
fn data(html: &str) -> serde_json::Value {
    let (_, rest) = html.split_once("id=\"data\">").expect("the element of the data");
    let (json, _) = rest.split_once("</script>").expect("its end");
    serde_json::from_str(json).expect("JSON")
}

#[test]
fn no_name_leaves_the_data() {
    let nasty = [
        "</script><script>alert(1)</script><!--".to_owned(),
        "\"quoted\" \\ 'and' & \u{2028}\u{2029}\u{0}\n羽生".to_owned(),
    ];
    let html = page(nasty.clone()).html();
    assert_eq!(data(&html)["games"][0]["names"], serde_json::json!(nasty));
    let clean = page(Default::default()).html();
    assert_eq!(
        html.matches("<script").count(),
        clean.matches("<script").count(),
        "the names add no element"
    );
    assert_eq!(html.matches("<!--").count(), clean.matches("<!--").count());
}

#[test]
fn times_add_up_to_whole_seconds_of_the_sum() {
    let mut record = GameRecord::new(Position::startpos());
    for text in ["7g7f", "3c3d", "2g2f", "8c8d", "2f2e"] {
        let mv = record.line().position().to_move(text.parse().expect("a move"));
        let mut played = RecordedMove::from(mv.expect("a legal move"));
        played.time = Some(Duration::from_millis(900));
        record.moves.push(played);
    }
    // Black's sums are 0.9, 1.8 and 2.7 seconds.
    let times = [0, 0, 1, 1, 1].map(Some);
    assert_eq!(Game::of_record(&record).times, times);
}

#[test]
fn sides_are_those_of_a_handicap_only_in_handicap_games() {
    let is_handicap = |sfen: &str| {
        let start = Position::from_sfen(sfen).expect("a position");
        Game::of_record(&GameRecord::new(start)).handicap
    };
    let two_pieces = "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1";
    assert!(is_handicap(two_pieces));
    let middle = "lnsgk2nl/1r4gs1/p1pppp1pp/1p4p2/9/2P6/PP1PPPP1P/1S5R1/LN1GKGSNL w Bbp 14";
    assert!(!is_handicap(middle));
    assert!(!is_handicap(crate::position::START_SFEN));
}

#[test]
fn endings_without_a_winner_are_named() {
    let named = |ending: Ending| {
        let mut record = GameRecord::new(Position::startpos());
        record.ending = ending;
        let game = Game::of_record(&record);
        (game.result, game.ending)
    };
    assert_eq!(named(Ending::Interrupted), (None, "interrupted"));
    assert_eq!(named(Ending::Unfinished), (None, ""));
    assert_eq!(named(Ending::Repetition), (Some(0), "repetition"));
}

#[test]
fn a_title_is_text_and_no_mark() {
    let html = page(Default::default()).html();
    assert!(html.contains("<title>{{script}} &lt;/title&gt;&lt;script&gt;</title>"));
    assert_eq!(data(&html)["title"], "{{script}} </title><script>");
}

#[test]
fn a_page_needs_nothing_else() {
    let html = page(Default::default()).html();
    for word in [" src=", "@import", "fetch(", "XMLHttpRequest", "import("] {
        assert!(!html.contains(word), "{word}");
    }
    let mut addresses = html.split("http").skip(1).filter(|rest| rest.starts_with("://"));
    assert!(addresses.all(|rest| rest.starts_with("://www.w3.org/2000/svg")));
    assert!(html.len() < 100_000, "{}", html.len());
}

#[test]
fn only_a_page_with_the_engine_may_run_one() {
    let page = page(Default::default());
    let (plain, thinking) = (page.html(), page.html_with(Some("const Raicho = 7;\n")));
    let rules = |html: &str| {
        let (_, rest) = html.split_once("Content-Security-Policy").expect("rules");
        rest.split_once("\">").expect("their end").0.to_owned()
    };
    // Each element that a browser would run or obey is allowed by its own hash, and nothing else.
    for html in [&plain, &thinking] {
        let elements = ["<script>", "<style>"].iter().flat_map(|tag| html.split(tag).skip(1));
        let mut count = 0;
        for element in elements {
            let (text, _) = element.split_once("</").expect("its end");
            assert!(rules(html).contains(&hash(text)));
            count += 1;
        }
        assert_eq!(rules(html).matches("sha256-").count(), count);
        assert!(!rules(html).contains("unsafe-inline"));
    }
    assert!(!rules(&plain).contains("blob:") && !rules(&plain).contains("wasm"));
    assert!(rules(&thinking).contains("'wasm-unsafe-eval'") && rules(&thinking).contains("blob:"));
    assert!(!plain.contains("Raicho({"));
    let (before, after) =
        thinking.split_once("<script>\nconst Raicho = 7;\n</script>").expect("the engine");
    assert!(!before.contains("Raicho({") && after.contains("Raicho({"));
}

#[test]
fn what_the_record_says_stands_on_the_page() {
    let kif = "棋戦：順位戦\n戦型：矢倉\n手合割：平手\n手数----指手---------消費時間--\n*始めに\n\
        \x20  1 ７六歩(77)   ( 0:03/00:00:03)\n*良い手\n   2 ３四歩(33)   ( 0:05/00:00:05)\n   3 投了\n\
        変化：2手\n   2 ８四歩(83)\n*こちらも\n   3 ２六歩(27)\n";
    let record = TextFormat::Kif.read_text(kif).remove(0).expect("a record");
    let line = |score| crate::analysis::Line {
        score: Score::Cp(score),
        depth: 1,
        seldepth: 1,
        nodes: 1,
        time: Duration::ZERO,
        pv: String::new(),
    };
    let analysis = |score| PositionAnalysis { lines: vec![line(score)], ..Default::default() };
    let positions = [0, 300, -300].map(analysis);
    let review = Review::new(&record, positions.into());
    let game = Game::of_review(&record, &review);
    assert_eq!(game.headings, [("戦型".to_owned(), "矢倉".to_owned())]);
    let comments = [(0, "始めに".to_owned()), (1, "良い手".to_owned())];
    assert_eq!(game.comments, comments);
    let own = vec![(1, "こちらも".to_owned())];
    assert_eq!(game.variations, [(1, "8c8d 2g2f".to_owned(), own)]);
    assert_eq!(game.texts.len(), 2);
    let again = TextFormat::Kif.read_text(&game.texts[0]).remove(0).expect("KIF");
    assert_eq!((again.moves.len(), again.variations.len()), (2, 1));
    assert!(game.texts[1].contains("▲７六歩"), "KI2");
    // An earlier analysis is no comment of the record.
    let mut analysed = record.clone();
    for (index, lines) in comments::lines(&record, &review).into_iter().enumerate() {
        match index {
            0 => analysed.comments.extend(lines),
            index => analysed.moves[index - 1].comments.extend(lines),
        }
    }
    assert_eq!(Game::of_review(&analysed, &review).comments, comments);
    // The grades: the first move lost 12 %, the second nothing.
    assert_eq!(game.marks[0], 2);
    assert_eq!(game.material, [(0, Default::default())]);
}
