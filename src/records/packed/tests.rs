//! The bytes of cshogi, round trips, and every kind of invalid position.

use super::*;
use crate::position::START_SFEN;

/// An SFEN, its hcp and its packed SFEN as cshogi 1.1.0 writes them.
const FOREIGN: [[&str; 3]; 5] = [
    [
        START_SFEN,
        "58a449210cd757217e8e4d212caf427814c2ab109e4d212cd75f213e8e49210c",
        "58a451220ceb67227e9653221caf447824c22b119e53221ceb6f223e9651220c",
    ],
    [
        "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
        "2381490986eb1565014b3cbee40200a0c417b84a0004c744113fc3f9912467bd",
        "2381510a86f515e900473c3ed5010020c52758530004cb48123fc3f99024ebbc",
    ],
    [
        "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
        "59a449210c9742fc1c9b42585e85f0288457213c9b42582e85f8382685303c5e",
        "59a451220cab44fc2ca744385e89f0488457223ca744385689f858468930bc7e",
    ],
    [
        "8k/+P+B+R+S+N+L+P2/9/9/9/9/9/2+p+l+n+s+r+b+p/K8 b 2GSNL7P2gsnl7p 1",
        "a000a001be49f0cf08764e70b382995fd07c0224000000c228e79024c938ebbd",
        "a000a001be29f0cf046e36b07381993fd07c01140000004219e79024c958e7bd",
    ],
    [
        "4k4/9/4P4/9/9/9/9/9/4K4 b G 1",
        "5824000000001000000000008e244992244992524a69adb55a6badf7fe78bc5e",
        "5824000000001000000000008e244992244992524aa9b5d6d65a6beffd7afd7e",
    ],
];

/// Boards with a king or both missing, from a full set to nothing else at all.
const FEWER_KINGS: [&str; 6] = [
    "lpg6/3s2R2/1kpppp3/p8/9/P8/2N6/9/9 b BGNrb2g3s2n3l10p 1",
    "4k4/9/4P4/9/9/9/9/9/9 b G 1",
    "9/9/9/9/9/9/9/9/9 b - 1",
    "9/9/9/9/9/9/9/9/9 w 2R2B4G4S4N4L18P 1",
    "9/9/9/9/9/9/9/9/9 w 2r2b4g4s4n4l18p 1",
    "lnsg1gsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSG1GSNL b - 1",
];

fn position(sfen: &str) -> Position {
    Position::from_sfen(sfen).expect("the SFEN of a test")
}

fn hex(bytes: &[u8]) -> String {
    let digits = bytes.iter().map(|byte| format!("{byte:02x}"));
    digits.collect::<Vec<_>>().concat()
}

#[test]
fn bytes_are_those_of_cshogi() {
    for [sfen, hcp, packed] in FOREIGN {
        let position = position(sfen);
        assert_eq!(hex(&HuffmanCodedPos::of(&position).0), hcp, "{sfen}");
        assert_eq!(hex(&PackedSfen::of(&position).0), packed, "{sfen}");
    }
}

#[test]
fn positions_come_back() {
    let foreign = FOREIGN.iter().map(|[sfen, ..]| *sfen);
    for sfen in foreign.chain(FEWER_KINGS) {
        let position = position(sfen);
        let packed = PackedSfen::of(&position).unpack(1);
        let hcp = HuffmanCodedPos::of(&position).unpack(1);
        for unpacked in [packed, hcp] {
            let text = unpacked.map_or_else(|error| error.to_string(), |found| found.to_sfen());
            assert_eq!(text, sfen);
        }
    }
}

#[test]
fn the_ply_is_what_the_caller_says() {
    let packed = PackedSfen::of(&position(START_SFEN));
    assert_eq!(packed.unpack(77).map(|found| found.game_ply()), Ok(77));
}

#[test]
fn hands_in_any_order_and_without_a_box_are_read() {
    // YaneuraOu 7.6: silver, bishop, rook, gold. Here the gold of a full set comes last.
    let even = position("lnsgk1snl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGS1L b NG 1");
    let mut bits = Bits::from_bytes(&PackedSfen::of(&even).0);
    let hands = CAPACITY - 10;
    bits.skip(hands);
    assert_eq!((bits.take(5), bits.take(5)), (0b0_0101, 0b0_0111));
    let mut bytes = PackedSfen::of(&even).0;
    for bit in hands..CAPACITY {
        let value = (0b00101_00111_u32 >> (bit - hands) & 1) as u8;
        let byte = &mut bytes[bit as usize / 8];
        *byte = *byte & !(1 << (bit % 8)) | value << (bit % 8);
    }
    let read = PackedSfen(bytes).unpack(1).map(|found| found.to_sfen());
    assert_eq!(read, Ok(even.to_sfen()));

    // Two pieces and a pawn fewer, black has a pawn in hand, and nothing stands for the box.
    let handicap = "lnsgkgsnl/9/pppppppp1/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w P 1";
    let mut bytes = PackedSfen::of(&position(handicap)).0;
    let end_of_hands = CAPACITY - 14;
    for bit in end_of_hands..CAPACITY {
        bytes[bit as usize / 8] &= !(1 << (bit % 8));
    }
    let read = PackedSfen(bytes).unpack(1).map(|found| found.to_sfen());
    assert_eq!(read, Ok(handicap.to_owned()));
}

#[test]
fn what_is_wrong_is_named() {
    let start = PackedSfen::of(&position(START_SFEN)).0;
    let message = |bytes: [u8; 32]| {
        let error = PackedSfen(bytes).unpack(1).err();
        error.map_or_else(String::new, |error| error.to_string())
    };
    let with = |index: usize, byte: u8| {
        let mut bytes = start;
        bytes[index] = byte;
        message(bytes)
    };
    let outside = "black king on square 127, expected 0 to 80, or 81 for no king";
    assert_eq!(with(0, 0xff), outside);
    // 5一 is square 36: its field is bits 8 to 14, black's 44 on 5九 bits 1 to 7.
    let both = "both kings on 5a, expected different squares";
    assert_eq!(with(0, 36 << 1), both);
    assert_eq!(message([0xff; 32]).split(' ').next(), Some("black"));
    let mut crowded = [0xff; 32];
    (crowded[0], crowded[1]) = (start[0], start[1]);
    assert_eq!(message(crowded), "the board takes more than 256 bits");
    // An empty board, then nothing but 1: five in a row begin no piece in hand.
    let mut nothing = [0xff; 32];
    nothing[..12].fill(0);
    (nothing[0], nothing[1]) = (start[0], start[1]);
    let part = "no code of a piece in hand begins at bit";
    assert!(message(nothing).starts_with(part), "{}", message(nothing));
}

#[test]
fn impossible_positions_are_named() {
    // Two white pawns on the first file, made by hand because no SFEN says so.
    let mut board = Board::EMPTY;
    board.put(Piece::WhitePawn, Square::S13);
    board.put(Piece::WhitePawn, Square::S14);
    let error = PackedSfen::of_board(&board).unpack(1).err();
    let expected = Some("impossible position: two white pawns on file 1");
    assert_eq!(error.map(|error| error.to_string()).as_deref(), expected);
    let error = HuffmanCodedPos::of_board(&board).unpack_board().err();
    assert!(matches!(error, Some(PackedError::Impossible(InvalidPosition::DoublePawn { .. }))));
}

#[test]
fn packed_positions_are_ordered_by_their_bytes() {
    for place in 0..32 {
        for (low, high) in [(0, 1), (0x7f, 0x80), (1, 0xff)] {
            let mut bytes = [0x55; 32];
            bytes[place] = low;
            let less = PackedSfen::from_bytes(bytes);
            bytes[place] = high;
            bytes[place + 1..].fill(0);
            let more = PackedSfen::from_bytes(bytes);
            assert!(less < more, "byte {place}");
            assert_eq!(less.cmp(&less), Ordering::Equal);
        }
    }
}

#[test]
fn every_move_comes_back() {
    let mut possible = 0;
    for bits in 0..=u16::MAX {
        if let Some(mv) = from_apery(bits) {
            assert_eq!(to_apery(mv), bits, "{mv}");
            assert!(mv.to().is_some() && (mv.from().is_some() || mv.dropped_kind().is_some()));
            possible += 1;
        }
    }
    assert_eq!(possible, 81 * 80 * 2 + 81 * 7);
}

#[test]
fn known_values() {
    // Computed with cshogi: `Board().move_from_usi(text) & 0xffff`.
    for (text, bits) in [("7g7f", 7739), ("8h2b+", 25354), ("P*5e", 10408), ("G*5e", 11176)] {
        assert_eq!(text.parse().map(to_apery), Ok(bits), "{text}");
    }
}
