//! Holds words that Japanese players do not use out of the Japanese texts: the catalogue, the
//! pages, the chapters and the README. What players say instead is the second column.

use std::fs;
use std::path::{Path, PathBuf};

/// What is wrong, what is right, and phrases in which the wrong one is right. `#` stands for a
/// digit or the value of a format; a blank before a unit is wrong, too.
const WRONG: &[(&str, &str, &[&str])] = &[
    ("端末", "ターミナル", &["あらかじめ端末に"]),
    ("時計", "持ち時間、秒読み", &[]),
    ("持ち駒", "持駒", &[]),
    ("持時間", "持ち時間", &[]),
    ("詰め将棋", "詰将棋", &[]),
    ("手詰み", "N手詰、N手で詰み", &[]),
    ("手詰逃し", "詰み逃し（N手詰）", &[]),
    ("詰め逃し", "詰み逃し", &[]),
    ("読みすじ", "読み筋", &[]),
    ("Elo差", "レーティング差、レート差", &[]),
    ("得点率", "勝率", &[]),
    ("歩一枚", "1歩", &[]),
    ("枚分", "評価値", &[]),
    ("手数制限", "最大手数", &[]),
    ("判定引き分け", "引き分け（判定）", &[]),
    ("（反則手）", "反則により", &[]),
    ("、勝敗なし", "中断", &[]),
    ("手番側から見た評価値", "先手から見た値", &[]),
    ("審判", "対局管理", &[]),
    ("停滞", "処理の遅れ", &[]),
    ("先後一組", "先後入れ替え2局1組", &[]),
    ("抽選", "乱数", &[]),
    ("混んだマシン", "負荷の高いパソコン", &[]),
    ("メモリが揃う", "メモリを確保し終える", &[]),
    ("自分のシステム", "お使いのOS", &[]),
    ("見つかったものと期待", "検出した内容と対応する形式", &[]),
    ("期待したもの", "正しい書式", &[]),
    ("入力で落ちません", "異常終了しません", &[]),
    ("図巧", "将棋図巧", &["将棋図巧"]),
    ("詰将棋用の表", "詰将棋用の置換表", &[]),
    ("「検討」→「詰将棋」", "「詰み探索」", &[]),
    ("「対局開始」", "「対局」", &[]),
    ("毎秒", "NPS", &[]),
    ("ノード/秒", "NPS", &[]),
    ("☗", "▲", &["☗ {"]),
    ("☖", "△", &["☖ {"]),
    ("½", "0.5", &[]),
    ("第 #", "第N局、第N問", &[]),
    ("# 秒", "N秒", &[]),
    ("# ミリ秒", "Nミリ秒", &[]),
    ("# %", "N%", &[]),
    ("# 枚", "N枚", &[]),
    ("# 件", "N件", &[]),
    ("# 局", "N局", &[]),
    ("# 手", "N手", &[]),
    ("# 問", "N問", &[]),
    // But in the comments of KIF: `深さ 18/31 ノード数 893512`.
    ("# ノード", "Nノード", &["1 ノード数"]),
];

/// English words before a message, which no Japanese string has.
const ENGLISH: &[&str] = &["note: ", "warning: ", "error: "];

/// What is counted in Arabic numbers, but for the names of handicaps.
const COUNTERS: &[&str] = &[
    "秒",
    "ミリ秒",
    "分の",
    "手",
    "局",
    "問",
    "枚",
    "件",
    "回",
    "行",
    "割",
    "番目",
    "世代",
    "種類",
    "コア",
    "スレッド",
    "レベル",
    "ページ",
    "ノード",
    "ファイル",
    "バイト",
];
const NUMERALS: &str = "一二三四五六七八九十";
const NAMES: &[&str] = &["枚落ち", "歩", "手損角換わり"];

/// What is wrong in a text, with what is right.
fn faults(text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    for &(wrong, right, allowed) in WRONG {
        let at = (0..text.len()).filter(|&at| text.is_char_boundary(at));
        let found = at.filter(|&at| begins(&text[at..], wrong));
        let is_allowed = |at: usize| {
            let phrases = allowed.iter().flat_map(|phrase| text.match_indices(phrase));
            phrases.into_iter().any(|(begin, phrase)| (begin..begin + phrase.len()).contains(&at))
        };
        if found.into_iter().any(|at| !is_allowed(at)) {
            faults.push(format!("{wrong}, expected {right}"));
        }
    }
    let is_numeral = |letter: char| NUMERALS.contains(letter);
    let numerals = text.char_indices().filter(|(_, letter)| is_numeral(*letter));
    for (index, numeral) in numerals.filter(|(index, _)| !text[..*index].ends_with(is_numeral)) {
        let rest = text[index + numeral.len_utf8()..].trim_start_matches(is_numeral);
        let counter = COUNTERS.iter().find(|counter| rest.starts_with(**counter));
        let is_name = NAMES.iter().any(|name| rest.starts_with(name));
        if let Some(counter) = counter.filter(|_| !is_name) {
            faults.push(format!("{numeral}…{counter}, expected Arabic numbers"));
        }
    }
    faults
}

/// Whether the text begins with a pattern of [`WRONG`].
fn begins(text: &str, pattern: &str) -> bool {
    let mut letters = text.chars();
    pattern.chars().all(|expected| match (expected, letters.next()) {
        ('#', Some(letter)) => letter.is_ascii_digit() || matches!(letter, '{' | '}'),
        (expected, letter) => letter == Some(expected),
    })
}

fn is_japanese(letter: char) -> bool {
    matches!(letter, '\u{3040}'..='\u{30ff}' | '\u{4e00}'..='\u{9fff}')
}

/// The files below a folder with one of these extensions.
fn files(folder: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder of the repository");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let (folders, files): (Vec<_>, Vec<_>) = paths.partition(|path| path.is_dir());
    let is_wanted = |path: &PathBuf| {
        path.extension().is_some_and(|found| extensions.iter().any(|wanted| found == *wanted))
    };
    let below = folders.iter().flat_map(|folder| self::files(folder, extensions));
    files.into_iter().filter(is_wanted).chain(below).collect()
}

#[test]
fn japanese_texts_use_the_words_of_players() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut all = Vec::new();
    for path in
        [files(&root.join("src/lang"), &["rs"]), files(&root.join("src/page"), &["rs", "js"])]
            .concat()
    {
        let text = fs::read_to_string(&path).expect("a source");
        for (line, number) in text.lines().zip(1..).filter(|(line, _)| !line.contains("//")) {
            let strings = line.split(['"', '`']).filter(|text| text.contains(is_japanese));
            for string in strings {
                let english = ENGLISH.iter().filter(|word| string.contains(**word));
                let english = english.map(|word| format!("{word}in a Japanese text"));
                let found = faults(string).into_iter().chain(english);
                all.extend(found.map(|fault| format!("{}:{number}: {fault}", path.display())));
            }
        }
    }
    let mut chapters = files(&root.join("book/ja/src"), &["md"]);
    chapters.push(root.join("README.ja.md"));
    assert!(chapters.len() > 9, "{chapters:?}");
    for path in chapters {
        let text = fs::read_to_string(&path).expect("a chapter");
        for (line, number) in text.lines().zip(1..) {
            let found = faults(line).into_iter();
            all.extend(found.map(|fault| format!("{}:{number}: {fault}", path.display())));
        }
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
fn wrong_words_are_found() {
    for (text, count) in cases! {
        "ターミナルで11手詰を解く。持ち時間は10秒、5,000ノード" => 0;
        "九枚落ちと二枚落ち、二歩" => 0;
        "あらかじめ端末にコピー" => 0;
        "端末で開く" => 1;
        "深さ 5、{nodes} ノード" => 1;
        "5手詰み、第 {game} 局" => 3;
        "十一世代" => 1;
        "二手目まで" => 1;
        "『将棋図巧』第100番、図巧99番" => 1;
    } {
        assert_eq!(faults(text).len(), count, "{text}: {:?}", faults(text));
    }
}
