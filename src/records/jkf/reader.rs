//! Reads JKF. Every move is checked, and an error names its entry.

use std::time::Duration;

use super::fault::{JkfError, JkfFault};
use super::schema::{Clock, Data, Entry, Initial, Piece, Place, Played, Record};
use crate::position::{Board, Position};
use crate::records::csa::{ending_of_word, kind};
use crate::records::game::{Builder, Ending, GameRecord, RecordedMove};
use crate::records::notation::handicap::Handicap;
use crate::records::notation::written::Written;
use crate::types::{Color, File, Move, PieceType, Rank, Square};
use crate::util::shorten;

/// Reads a game.
///
/// A variation (fork) that cannot be read is left out from its first bad entry on, which
/// [`GameRecord::omissions`] says.
///
/// # Errors
/// The text is not JSON, or the position, a move or an ending is wrong.
pub fn read(text: &str) -> Result<GameRecord, JkfError> {
    let text = text.trim_start_matches('\u{feff}');
    let record: Record = serde_json::from_str(text).map_err(JkfError::Json)?;
    let start = start_of(record.initial.as_ref()).map_err(JkfError::Start)?;
    let mut reader = Reader {
        game: Builder::new(start),
        illegal: None,
    };
    reader.line(&record.moves)?;
    let mut game = reader.game.into_record();
    for (name, value) in record.header.0 {
        match name.as_str() {
            "先手" | "下手" => game.players[0] = value,
            "後手" | "上手" => game.players[1] = value,
            "棋戦" => game.event = value,
            "開始日時" => game.started_at = Some(value),
            "手合割" => {}
            _ => game.headings.push((name, value)),
        }
    }
    let limit = game.headings.iter().position(|(name, value)| {
        let of_csa = |letter: u8| letter.is_ascii_digit() || matches!(letter, b':' | b'+');
        name == "持ち時間" && value.contains('+') && value.bytes().all(of_csa)
    });
    game.time_limit = limit.map(|index| game.headings.remove(index).1);
    Ok(game)
}

// --- The start position ---

fn start_of(initial: Option<&Initial>) -> Result<Position, JkfFault> {
    let Some(initial) = initial else {
        return Ok(Position::startpos());
    };
    if let Some(data) = &initial.data
        && (initial.preset == "OTHER" || Handicap::of_jkf(&initial.preset).is_none())
    {
        return drawn(data);
    }
    let handicap = Handicap::of_jkf(&initial.preset);
    let sfen = handicap.map(|handicap| handicap.sfen);
    sfen.and_then(|sfen| Position::from_sfen(sfen).ok())
        .ok_or_else(|| JkfFault::Preset(shorten(&initial.preset)))
}

fn drawn(data: &Data) -> Result<Position, JkfFault> {
    let mut board = Board::EMPTY;
    board.set_side_to_move(color_of(data.color)?);
    for (file, column) in data.board.iter().enumerate() {
        for (rank, piece) in column.iter().enumerate() {
            let Some(found) = piece_of(piece)? else {
                continue;
            };
            let place = File::from_index(file).zip(Rank::from_index(rank));
            let (file, rank) = place.ok_or_else(|| JkfFault::Setup {
                found: format!("a piece on {}, {}", file + 1, rank + 1),
                expected: "nine files of nine squares",
            })?;
            board.put(found, Square::new(file, rank));
        }
    }
    for (color, hand) in Color::ALL.into_iter().zip(&data.hands) {
        for (name, &count) in hand {
            if count == 0 {
                continue;
            }
            let kind = kind(name).filter(|kind| PieceType::HAND.contains(kind));
            let kind = kind.filter(|kind| count <= kind.count_in_set());
            let kind = kind.ok_or_else(|| JkfFault::Setup {
                found: format!("{count} of '{}' in hand", shorten(name)),
                expected: "pieces that can be in hand, no more than there are",
            })?;
            let hand = board.hand_mut(color);
            // The packed hand would overflow; the total is checked with the position.
            (0..count).for_each(|_| hand.add(kind));
        }
    }
    Position::from_board(board, 1).map_err(JkfFault::Impossible)
}

fn color_of(code: u8) -> Result<Color, JkfFault> {
    match code {
        0 => Ok(Color::Black),
        1 => Ok(Color::White),
        _ => Err(JkfFault::Setup {
            found: format!("the colour {code}"),
            expected: "0 or 1",
        }),
    }
}

fn piece_of(piece: &Piece) -> Result<Option<crate::types::Piece>, JkfFault> {
    let Some(name) = &piece.kind else {
        return Ok(None);
    };
    let kind = kind(name).ok_or_else(|| JkfFault::Setup {
        found: format!("the piece '{}'", shorten(name)),
        expected: "a piece such as FU",
    })?;
    let color = color_of(piece.color.unwrap_or_default())?;
    Ok(Some(crate::types::Piece::new(color, kind)))
}

fn square(place: Place) -> Option<Square> {
    let file = File::from_index(usize::from(place.x).checked_sub(1)?)?;
    let rank = Rank::from_index(usize::from(place.y).checked_sub(1)?)?;
    Some(Square::new(file, rank))
}

// --- Moves ---

struct Reader {
    game: Builder,
    /// An illegal move and its fault, which only an ending that says so may follow.
    illegal: Option<(String, JkfError)>,
}

impl Reader {
    /// Reads the entries of a line, and then the lines that branch off from it.
    fn line(&mut self, entries: &[Entry]) -> Result<(), JkfError> {
        let line = self.game.line();
        let mut forks = Vec::new();
        for (index, entry) in entries.iter().enumerate() {
            let after = self.game.ply();
            forks.extend(entry.forks.iter().map(|fork| (after, fork)));
            if let Err(fault) = self.entry(entry) {
                let error = JkfError::Entry {
                    entry: index,
                    number: after + 1,
                    fault,
                };
                let earlier = self.illegal.take().map(|(_, error)| error);
                let error = earlier.unwrap_or(error);
                if self.game.is_in_game() {
                    return Err(error);
                }
                self.omit(&format!("the rest of a variation: {error}"));
                break;
            }
            if let Some((_, JkfError::Entry { entry, number, .. })) = &mut self.illegal
                && *number == 0
            {
                (*entry, *number) = (index, after + 1);
            }
        }
        if let Some((_, error)) = self.illegal.take() {
            if self.game.is_in_game() {
                return Err(error);
            }
            self.omit(&format!("the rest of a variation: {error}"));
        }
        for (after, fork) in forks {
            if self.game.branch_from(line, after) {
                self.line(fork)?;
            } else {
                self.omit("a variation that begins behind its line");
            }
        }
        Ok(())
    }

    fn omit(&mut self, omission: &str) {
        let omissions = &mut self.game.record_mut().omissions;
        omissions.push(omission.to_owned());
    }

    fn entry(&mut self, entry: &Entry) -> Result<(), JkfFault> {
        let time = entry.time.as_ref().and_then(|time| duration(time.now));
        let has_moved = match &entry.played {
            Some(played) => self.play(played, time)?,
            None => false,
        };
        if let Some(word) = &entry.special {
            let illegal = self.illegal.as_ref().map(|(text, _)| text.as_str());
            let word = format!("%{word}");
            let ending = ending_of_word(&word, self.game.position(), illegal);
            let ending = ending.ok_or_else(|| JkfFault::Ending(shorten(&word[1..])))?;
            if illegal.is_none() || ending.explains_an_illegal_move() {
                self.illegal = None;
                self.game.end(ending);
            }
            self.game.closing_mut().time = time;
        }
        let lines = entry.comment.iter().chain(&entry.comments);
        for line in lines.flat_map(|text| text.lines().chain(text.is_empty().then_some(""))) {
            if self.game.has_ended() {
                match Ending::from_text(line) {
                    Some(exact) => self.game.end(exact),
                    None => self.game.closing_mut().comments.push(line.to_owned()),
                }
            } else if let Some(last) = self.game.last_mut().filter(|_| has_moved) {
                last.add_comment(line);
            } else if self.game.is_in_game() && self.game.ply() == 0 {
                self.game.record_mut().comments.push(line.to_owned());
            }
        }
        Ok(())
    }

    /// Makes a move; `false` if it is illegal, which the next entry must explain.
    fn play(&mut self, played: &Played, time: Option<Duration>) -> Result<bool, JkfFault> {
        let sfen = self.game.position().to_sfen();
        let fault = JkfFault::Illegal {
            found: describe(played),
            sfen,
        };
        if self.illegal.is_some() || self.game.has_ended() {
            return Err(fault);
        }
        if let Some(mv) = self.find(played) {
            self.game.push(RecordedMove {
                time,
                ..RecordedMove::from(mv)
            });
        } else {
            let entry = JkfError::Entry {
                entry: 0,
                number: 0,
                fault,
            };
            self.illegal = Some((describe(played), entry));
            return Ok(false);
        }
        Ok(true)
    }

    /// The legal move of an entry.
    fn find(&self, played: &Played) -> Option<Move> {
        let position = self.game.position();
        let to = match played.to {
            Some(place) => square(place)?,
            None => self
                .game
                .last_target()
                .filter(|_| played.same == Some(true))?,
        };
        let from = match played.from {
            Some(place) => Some(square(place)?),
            None => None,
        };
        let kind = match (&played.piece, from) {
            (Some(name), _) => kind(name)?,
            (None, from) => position.piece_on(from?)?.kind(),
        };
        let letters = played.relative.as_deref().unwrap_or_default();
        let words: String = letters.chars().filter_map(word_of_letter).collect();
        let promotes = played.promote == Some(true);
        Written::from_parts(to, kind, from, promotes, &words).find(position)
    }
}

/// The word of a letter of `relative`.
fn word_of_letter(letter: char) -> Option<char> {
    Some(match letter {
        'L' => '左',
        'C' => '直',
        'R' => '右',
        'U' => '上',
        'M' => '寄',
        'D' => '引',
        'H' => '打',
        _ => return None,
    })
}

/// A move in the notation of CSA, as far as it is known.
fn describe(played: &Played) -> String {
    let place = |place: Option<Place>| {
        place.map_or_else(|| "00".to_owned(), |Place { x, y }| format!("{x}{y}"))
    };
    let piece = played.piece.as_deref().unwrap_or_default();
    let promotion = if played.promote == Some(true) {
        "+"
    } else {
        ""
    };
    let text = format!(
        "{}{}{piece}{promotion}",
        place(played.from),
        place(played.to)
    );
    format!("'{}'", shorten(&text))
}

fn duration(clock: Clock) -> Option<Duration> {
    let hours = clock.h.unwrap_or_default().checked_mul(3600)?;
    let minutes = clock.m.checked_mul(60)?;
    let seconds = hours.checked_add(minutes)?.checked_add(clock.s)?;
    Some(Duration::from_secs(seconds))
}
