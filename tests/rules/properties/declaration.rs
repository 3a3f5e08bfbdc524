//! Declarations against a count over the letters of the SFEN, on random positions with kings that
//! have entered.

use raicho::movegen::legal_moves;
use raicho::position::{Declaration, Position};
use raicho::types::{Color, EnteringKingRule, PieceType};

use crate::common::{Random, TWO_KINGS, position, random_move};

/// Pieces of one side and what they count.
#[derive(Default)]
struct Count {
    all_points: u32,
    points: u32,
    pieces_in_camp: u32,
    king_in_camp: bool,
}

/// Reads board and hands of an SFEN for `color`.
fn count(sfen: &str, color: Color) -> Count {
    let fields: Vec<&str> = sfen.split(' ').collect();
    let mut count = Count::default();
    let is_own = |letter: char| letter.is_ascii_uppercase() == (color == Color::Black);
    let value = |letter: char| if "RrBb".contains(letter) { 5 } else { 1 };
    for (rank, text) in fields[0].split('/').enumerate() {
        let in_camp = [rank < 3, rank > 5][color.index()];
        for letter in text.chars().filter(char::is_ascii_alphabetic) {
            if !is_own(letter) {
                continue;
            }
            if letter.eq_ignore_ascii_case(&'k') {
                count.king_in_camp = in_camp;
                continue;
            }
            count.all_points += value(letter);
            if in_camp {
                count.points += value(letter);
                count.pieces_in_camp += 1;
            }
        }
    }
    let mut number = String::new();
    for letter in fields[2].chars().filter(|&letter| letter != '-') {
        if letter.is_ascii_digit() {
            number.push(letter);
            continue;
        }
        if is_own(letter) {
            let held = value(letter) * number.parse::<u32>().unwrap_or(1);
            count.points += held;
            count.all_points += held;
        }
        number.clear();
    }
    count
}

/// All points of black and of white.
fn all_points(sfen: &str) -> [u32; 2] {
    Color::ALL.map(|color| count(sfen, color).all_points)
}

/// The points that a side needs, from all points of both where the game began.
fn required(rule: EnteringKingRule, color: Color, [black, white]: [u32; 2]) -> u32 {
    let missing = 54 - black - white;
    let is_handicap_giver = match color {
        Color::Black => black < white,
        Color::White => white < black,
    };
    let by_27 = if color == Color::Black { 28 } else { 27 };
    let deduction = if is_handicap_giver { missing } else { 0 };
    match rule {
        EnteringKingRule::CsaRule24 => 31,
        EnteringKingRule::CsaRule24Handicap => 31_u32.saturating_sub(deduction),
        EnteringKingRule::CsaRule27 => by_27,
        EnteringKingRule::CsaRule27Handicap => by_27.saturating_sub(deduction),
        EnteringKingRule::NoEnteringKing | EnteringKingRule::TryRule => u32::MAX,
    }
}

/// The verdict, where `counted` is of the side to move and `start` as in [`required`].
fn expected(
    position: &Position,
    rule: EnteringKingRule,
    counted: &Count,
    start: [u32; 2],
) -> Option<Declaration> {
    let us = position.side_to_move();
    match rule {
        EnteringKingRule::NoEnteringKing => None,
        EnteringKingRule::TryRule => {
            let goal = if us == Color::Black { "5a" } else { "5i" };
            let is_try = |mv: &&raicho::types::Move| {
                mv.piece().kind() == PieceType::King && mv.to().to_string() == goal
            };
            let moves = legal_moves(position);
            moves.iter().find(is_try).map(|&mv| Declaration::Try(mv))
        }
        _ => {
            let is_win = counted.king_in_camp
                && !position.in_check()
                && counted.pieces_in_camp >= 10
                && counted.points >= required(rule, us, start);
            is_win.then_some(Declaration::Win)
        }
    }
}

/// A random position whose kings tend to stand in the enemy's camp, as text that may be impossible.
fn random_sfen(random: &mut Random) -> String {
    let mut squares = vec![String::new(); 81];
    let mut hands = String::new();
    let black_share = 1 + random.below(9);
    let missing_share = if random.one_in(3) { random.below(5) } else { 0 };
    let mut put = |letter: char, to_camp: bool, random: &mut Random| {
        let is_black = letter.is_ascii_uppercase();
        let mut tries = 0;
        let square = loop {
            let rank = match (to_camp && tries < 20, is_black) {
                (true, true) => random.below(3),
                (true, false) => 6 + random.below(3),
                (false, _) => random.below(9),
            };
            tries += 1;
            let square = rank * 9 + random.below(9);
            if squares[square].is_empty() {
                break square;
            }
        };
        // Promoted where it could be stuck, or stand twice on a file.
        let promotes = "PLNplnBRbr".contains(letter) && (to_camp || !random.one_in(8));
        squares[square] = format!("{}{letter}", if promotes { "+" } else { "" });
    };
    for king in ['K', 'k'] {
        let to_camp = !random.one_in(4);
        put(king, to_camp, random);
    }
    for letter in "RRBBGGGGSSSSNNNNLLLLPPPPPPPPPPPPPPPPPP".chars() {
        let is_black = random.below(10) < black_share;
        let letter = if is_black { letter } else { letter.to_ascii_lowercase() };
        match random.below(10) {
            0..5 => put(letter, true, random),
            5 => put(letter, false, random),
            _ if random.below(10) < missing_share => (),
            _ => hands.push(letter),
        }
    }
    let square = |piece: &String| {
        if piece.is_empty() { "1".to_owned() } else { piece.clone() }
    };
    let ranks = squares.chunks(9).map(|rank| rank.iter().map(square).collect());
    let ranks: Vec<String> = ranks.collect();
    let side = if random.one_in(2) { "b" } else { "w" };
    let hands = if hands.is_empty() { "-" } else { &hands };
    format!("{} {side} {hands} 1", ranks.join("/"))
}

#[test]
fn declarations_equal_a_count_over_the_text() {
    let random = &mut Random(7);
    let (mut compared, mut wins, mut tries, mut handicap_wins) = (0, 0, 0, 0);
    let mut check = |position: &Position, start: [u32; 2]| {
        let counted = count(&position.to_sfen(), position.side_to_move());
        for rule in EnteringKingRule::ALL {
            let declaration = position.declaration(rule);
            let expected = expected(position, rule, &counted, start);
            assert_eq!(declaration, expected, "{rule} {position:?}");
            compared += 1;
            wins += usize::from(declaration == Some(Declaration::Win));
            tries += usize::from(matches!(declaration, Some(Declaration::Try(_))));
            for color in Color::ALL {
                let points = position.required_points(rule, color);
                assert_eq!(points, required(rule, color, start), "{rule} {start:?}");
            }
        }
        let by_27 = position.declaration(EnteringKingRule::CsaRule27);
        let with_handicap = position.declaration(EnteringKingRule::CsaRule27Handicap);
        handicap_wins += usize::from(with_handicap.is_some() && by_27.is_none());
    };
    let mut positions = 0;
    for _ in 0..20_000 {
        let Ok(mut position) = Position::from_sfen(&random_sfen(random)) else {
            continue;
        };
        let start = all_points(&position.to_sfen());
        positions += 1;
        // The deduction is that of the first position, whatever happens on the board.
        for _ in 0..6 {
            check(&position, start);
            let moves = legal_moves(&position);
            if moves.is_empty() {
                break;
            }
            position.do_move(random_move(&position, &moves, random));
        }
    }
    println!(
        "{positions} games, {compared} verdicts: {wins} wins, {handicap_wins} by the handicap \
         alone, {tries} tries"
    );
    assert!(positions > 2000 && wins > 2000 && tries > 200 && handicap_wins > 50);
}

/// Points needed at the start of even and handicap games, black's and white's.
#[test]
fn required_points_of_handicap_games() {
    let start = TWO_KINGS[0];
    let two_pieces = "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1";
    let four_pieces = "1nsgkgsn1/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1";
    let lance = "lnsgkgsn1/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1";
    for (sfen, by_24, by_27) in [
        (start, [31, 31], [28, 27]),
        (two_pieces, [31, 21], [28, 17]),
        (four_pieces, [31, 19], [28, 15]),
        (lance, [31, 30], [28, 26]),
    ] {
        let position = position(sfen);
        let points = |rule| Color::ALL.map(|color| position.required_points(rule, color));
        assert_eq!(points(EnteringKingRule::CsaRule24Handicap), by_24, "{sfen}");
        assert_eq!(points(EnteringKingRule::CsaRule27Handicap), by_27, "{sfen}");
        assert_eq!(points(EnteringKingRule::CsaRule24), [31, 31]);
        assert_eq!(points(EnteringKingRule::CsaRule27), [28, 27]);
    }
}
