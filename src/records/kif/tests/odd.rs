//! Records that other programs and people write in their own way.

use std::time::Duration;

use super::super::*;
use super::again;
use crate::records::game::{Ending, GameRecord};
use crate::{records::sfen_line::SfenLine, types::Color};

fn good(text: &str) -> GameRecord {
    read(text).expect("a good record")
}

fn milliseconds(number: u64) -> Duration {
    Duration::from_millis(number)
}

#[test]
fn an_unknown_word_or_sentence_ends_a_game() {
    for text in [
        "手合割：平手\n   1 飽きた\n",
        "   1 ７六歩(77)\n   2 飽きた   ( 0:03/00:00:03)\n",
        "▲７六歩 △３四歩\nまで2手で飽きた\n",
        "   1 ７六歩(77)\n   2 ３四歩(33)\nまで2手で飽きた\n",
    ] {
        let game = good(text);
        assert_eq!(game.ending, Ending::Unfinished, "{text}");
        assert_eq!(game.closing.comments, ["飽きた"], "{text}");
    }
    let game = good("   1 ７六歩(77)\n   2 飽きた\nまで1手で中断\n");
    assert_eq!(game.ending, Ending::Interrupted);
    // Moves after it show that it was none.
    let error = read("   1 ７六歩(77)\n   2 ねこ\n   3 ２六歩(27)\n").expect_err("no word");
    let expected = "line 2: 'ねこ', move 2, is neither";
    assert!(error.to_string().starts_with(expected), "{error}");
}

#[test]
fn what_follows_the_end_is_left_out() {
    let end = "   1 ７六歩(77)\n   2 投了\n";
    for (rest, omission) in cases! {
        "   3 ３四歩(33)\n   4 ２六歩(27)\n" => "line 3: '３四歩(33)' after the end of the game";
        "   3 foo\n" => "line 3: 'foo' after the end of the game";
        "▲２六歩\n" => "line 3: '▲２六歩' after the end of the game";
        "手合割：香落ち\n   1 ３四歩(33)\n変化：1手\n   1 ８四歩(83)\n" =>
            "line 3: another game begins";
    } {
        let game = good(&format!("{end}{rest}"));
        assert_eq!(game.line().to_string(), "startpos moves 7g7f", "{rest}");
        assert_eq!(game.ending, Ending::Resignation, "{rest}");
        assert_eq!(game.omissions, [omission]);
        assert!(game.variations.is_empty());
    }
    // Variations may follow.
    let game = good(&format!("{end}   3 ３四歩(33)\n\n変化：1手\n   1 ２六歩(27)\n"));
    assert_eq!((game.variations.len(), game.omissions.len()), (1, 1));
}

#[test]
fn missing_rows_are_noted() {
    let game = good("   1 ７六歩(77)\n   2 ３四歩(33)\n   5 ２六歩(27)\n   6 ８四歩(83)\n");
    assert_eq!(game.moves.len(), 4);
    assert_eq!(game.omissions, ["line 3: the number 5, expected 3"]);
}

#[test]
fn an_illegal_move_keeps_its_time_and_comments() {
    let game = good(
        "   1 ７六歩(77)   ( 0:05/00:00:05)\n   2 １一玉(21)   ( 1:39/00:01:39)\n*oops\n   \
         3 反則勝ち\n",
    );
    assert_eq!(game.moves[0].time, Some(milliseconds(5000)));
    assert!(game.moves[0].comments.is_empty());
    assert_eq!(game.closing.time, Some(milliseconds(99_000)));
    assert_eq!(game.closing.comments, ["oops"]);
    let text = "１一玉(21)".to_owned();
    assert_eq!(game.ending, Ending::IllegalMove { text });
}

#[test]
fn comments_that_look_like_those_of_programs_stay() {
    let game = good(
        "   1 ７六歩(77)   ( 0:10/00:00:10)\n*time 3s\n*time 3.500s\n*depth 5\n*depth 6\n   \
         2 投了\n*illegal moves are common here\n*resignation\n",
    );
    assert_eq!(game.moves[0].time, Some(milliseconds(10_000)));
    let expected = ["time 3s", "time 3.500s", "depth 6"];
    assert_eq!(game.moves[0].comments, expected);
    assert_eq!(game.ending, Ending::Resignation);
    let comments = ["illegal moves are common here", "resignation"];
    assert_eq!(game.closing.comments, comments);
    let drawn = good("   1 ７六歩(77)\n   2 持将棋\n*illegal move by nobody\n");
    assert_eq!(drawn.ending, Ending::MaxMoves);
    assert_eq!(drawn.closing.comments, ["illegal move by nobody"]);
    // Only the first comment is that of the writer.
    let late = good("   1 ７六歩(77)\n   2 反則負け\n*word\n*illegal declaration\n");
    assert_eq!(late.closing.comments, ["word", "illegal declaration"]);
}

#[test]
fn every_time_limit_is_kept() {
    for limit in ["各4時間", "10分", "15分+60秒", "0:30", "00:10+05"] {
        let game = good(&format!("手合割：平手\n持ち時間：{limit}\n   1 ７六歩(77)\n"));
        for style in [Style::Kif, Style::Ki2] {
            let text = write(&game, style, "UTF-8");
            assert!(text.contains(&format!("持ち時間：{limit}\r\n")), "{text}");
            assert!(losses(&game, style).is_empty());
        }
    }
}

#[test]
fn times_have_decimals_or_are_noted() {
    let game = good(
        "   1 ７六歩(77)   ( 0:16.5/00:00:16)\n   2 ３四歩(33)   ( 1:02:03/01:02:03)\n   \
         3 ２六歩(27)   ( 0:1x/00:00:00)\n   4 ８四歩(83) (-1:00/)\n   5 ２五歩(26) (good)\n   \
         6 投了         ( 0:03.25/00:00:03)\n",
    );
    let times: Vec<_> = game.moves.iter().map(|played| played.time).collect();
    let known = [16_500, 3_723_000].map(|time| Some(milliseconds(time)));
    assert_eq!(times, [&known[..], &[None; 3]].concat());
    let expected = ["line 3: '0:1x/00:00:00' is no time, and 1 more"];
    assert_eq!(game.omissions, expected);
    let written = again(&game, Style::Kif);
    assert_eq!(written.moves[0].time, Some(milliseconds(16_500)));
    assert_eq!(written.closing, game.closing);
    let only_the_end = good("   1 ７六歩(77)\n   2 投了 ( 0:03/00:00:03)\n");
    assert_eq!(losses(&only_the_end, Style::Ki2), ["times"]);
}

#[test]
fn comments_before_the_first_move_of_a_variation_are_kept() {
    let game = good(
        "   1 ７六歩(77)\n   2 投了\n\n変化：1手\n*the other opening\n   1 ２六歩(27)\n*good\n\n\
         変化：2手\n*or not\n   2 中断\n",
    );
    let [first, second] = &game.variations[..] else {
        panic!("{game:?}");
    };
    assert_eq!(first.moves[0].comments, ["the other opening", "good"]);
    assert_eq!(second.closing.comments, ["or not"]);
    let written = again(&game, Style::Kif);
    assert_eq!(format!("{written:?}"), format!("{game:?}"));
}

#[test]
fn words_for_an_interruption_become_comments() {
    for text in ["   1 ７六歩(77)\n   2 封じ手\n", "▲７六歩\nまで1手で封じ手\n"] {
        let game = good(text);
        assert_eq!(game.ending, Ending::Interrupted);
        assert_eq!(game.closing.comments, ["封じ手"]);
        assert_eq!(again(&game, Style::Kif).closing, game.closing);
    }
}

#[test]
fn the_ending_may_stand_behind_the_last_move_of_ki2() {
    let game = good("▲７六歩△８四歩まで2手で中断\n");
    assert_eq!(game.line().to_string(), "startpos moves 7g7f 8c8d");
    assert_eq!(game.ending, Ending::Interrupted);
}

#[test]
fn the_last_move_before_a_diagram_is_known() {
    let line: SfenLine = "startpos moves 7g7f 3c3d 8h2b+".parse().expect("a line");
    let drawn = diagram(&line.position()).join("\n");
    let drawn = drawn.replace("手数＝3", "手数＝3  ▲２二角成  まで");
    let game = good(&format!("{drawn}\n   4 同　銀(31)\n"));
    assert_eq!(game.moves[0].mv.to_string(), "3a2b");
}

#[test]
fn the_side_before_the_word_wins_or_loses() {
    let (black, white) = (Color::Black, Color::White);
    let illegal = || Ending::IllegalMove { text: String::new() };
    for (sentence, ending) in cases! {
        "先手の反則により後手の勝ち" => illegal();
        "先手の反則負けにより後手の勝ち" => illegal();
        "下手の反則で上手の勝ち" => illegal();
        "後手の反則により先手の勝ち" => Ending::IllegalAction { loser: white };
        "先手の二歩により後手の勝ち" => illegal();
        "連続王手の千日手により後手の勝ち" => Ending::PerpetualCheck { loser: black };
        "千日手で先手の勝ち" => Ending::PerpetualCheck { loser: white };
        "不戦敗により先手の勝ち" => Ending::Forfeit { winner: black };
        "先手の不戦敗" => Ending::Forfeit { winner: white };
        "時間切れにより先手の勝ち" => Ending::AdjudicatedWin { winner: black };
        "先手の切れ負け" => Ending::TimeUp;
        "後手の入玉勝ち" => Ending::AdjudicatedWin { winner: white };
        "相入玉により持将棋" => Ending::MaxMoves;
        "千日手" => Ending::Repetition;
        "千日手により引き分け" => Ending::Repetition;
    } {
        for first in ["まで2手で", "以上2手で"] {
            let game = good(&format!("▲７六歩\n△３四歩\n{first}{sentence}\n"));
            assert_eq!(game.ending, ending, "{first}{sentence}");
        }
    }
    assert_eq!(good("▲７六歩\n△３四歩\n投了\n").ending, Ending::Resignation);
}

#[test]
fn a_game_that_was_cut_off_is_noted() {
    let game = good("▲７六歩 △３四歩\nまで5手で先手の勝ち\n");
    assert_eq!(game.omissions, ["line 2: 5 moves, of which 2 are there"]);
    for whole in [
        "▲７六歩 △３四歩\nまで2手で後手の勝ち\n",
        "▲７六歩 △３四角\nまで2手で後手の反則負け\n",
        "  11 ７六歩(77)\n  12 ３四歩(33)\nまで12手で後手の勝ち\n",
    ] {
        assert!(good(whole).omissions.is_empty(), "{whole}");
    }
}

#[test]
fn rows_before_the_first_move_are_errors_or_noted() {
    let rows = ["1. ７六歩(77)", "1: ７六歩(77) ( 0:01/0:00:01)", "1手目 ７六歩(77)", "７六歩(77)"];
    for row in rows {
        let error = read(&format!("手合割：平手\n{row}\n")).expect_err("no row");
        let expected = format!("line 2: '{row}', move 1, is neither");
        assert!(error.to_string().starts_with(&expected), "{error}");
    }
    let error = read("手合割：平手\n手数----指手---\n+7776FU\n").expect_err("no row");
    let expected = "line 3: '+7776FU', move 1";
    assert!(error.to_string().starts_with(expected), "{error}");
    let game = good("手合割：平手\n3rd game of the day\n   1 ７六歩(77)\n");
    let omission = "line 2: '3rd game of the day', expected a heading";
    assert_eq!(game.omissions, [omission]);
    assert!(game.headings.is_empty());
}

#[test]
fn tabs_are_blanks_and_comments_may_stand_in() {
    let game = good(
        "手合割：平手\n1\t７六歩(77)\t( 0:01/00:00:01)\n\t*comment\n  &mark\n\
         2\t投了\n",
    );
    assert_eq!(game.line().to_string(), "startpos moves 7g7f");
    assert_eq!(game.moves[0].time, Some(milliseconds(1000)));
    assert_eq!(game.moves[0].comments, ["comment"]);
    assert_eq!(game.moves[0].bookmark.as_deref(), Some("mark"));
    assert_eq!(game.ending, Ending::Resignation);
}

#[test]
fn a_variation_that_is_left_out_leaves_nothing() {
    let game = good(
        "   1 ７六歩(77)\n   2 ３四歩(33)\n\n変化：2手\n   2 ３四歩(77)\n\n\
         変化：1手\n   \
         1 ２六歩(27)\n\n変化：1手\n   1 ２六歩(33)\n",
    );
    assert_eq!(game.omissions.len(), 2);
    assert_eq!(game.variations.len(), 1);
    let text = write(&game, Style::Kif, "UTF-8");
    assert_eq!(text.matches("変化").count(), 1, "{text}");
    assert_eq!(again(&game, Style::Kif).variations.len(), 1);
}

#[test]
fn a_loss_by_a_foul_gets_no_comment() {
    for style in [Style::Kif, Style::Ki2] {
        let game = good("   1 ７六歩(77)\n   2 反則負け\n");
        let text = write(&game, style, "UTF-8");
        assert!(!text.contains('*'), "{text}");
        assert_eq!(again(&game, style).ending, game.ending);
    }
}

#[test]
fn a_sentence_may_end_with_a_mate_or_have_two_lines() {
    assert_eq!(good("▲７六歩\nまで1手詰\n").ending, Ending::Checkmate);
    let game = good("▲７六歩\n以上のとおり\nまで1手で\n先手の勝ち\n");
    assert!(game.closing.comments.is_empty(), "{game:?}");
}

#[test]
fn an_ending_may_have_the_mark_of_a_variation_or_a_tab() {
    for end in ["投了+", "投了 +", "投了\t( 0:02/00:00:02)", "投了( 0:02/00:00:02)+"] {
        let game = good(&format!("   1 ７六歩(77)\n   2 {end}\n\n変化：2手\n   2 ３四歩(33)\n"));
        assert_eq!(game.ending, Ending::Resignation, "{end}");
        let time = end.contains('0').then(|| milliseconds(2000));
        assert_eq!(game.closing.time, time, "{end}");
        let written = write(&game, Style::Kif, "UTF-8");
        let row = written.lines().find(|line| line.contains("投了"));
        assert!(row.is_some_and(|row| row.ends_with('+')), "{written}");
    }
}

#[test]
fn the_time_of_an_ending_without_a_word_is_said_to_be_lost() {
    let game = good("   1 ７六歩(77)   ( 0:01/00:00:01)\n   2 飽きた   ( 0:02.5/00:00:02)\n");
    assert_eq!(game.closing.time, Some(milliseconds(2500)));
    let read = again(&game, Style::Kif);
    assert_eq!(read.moves[0].time, Some(milliseconds(1000)));
    let expected = ["the time of an ending without a word"];
    assert_eq!(losses(&game, Style::Kif), expected);
    let csa = crate::records::csa::losses(&game);
    assert_eq!(csa, ["the time of an ending without a word"]);
}
