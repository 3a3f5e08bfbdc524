//! A game of CSA after its position was set up.

use super::endings::{ending_of_word, is_exact, is_renamed, word_of_ending};
use super::fault::CsaFault;
use super::notation::{legal_move, parse_move};
use crate::position::Position;
use crate::records::game::{Closing, Ending, RecordedMove, UnreadTimes, parse_seconds};
use crate::util::shorten;

/// The game so far.
pub(super) struct Game {
    pub(super) start: Position,
    pub(super) position: Position,
    pub(super) moves: Vec<RecordedMove>,
    /// An illegal move and its line, which only an ending that says so may follow.
    pub(super) illegal: Option<(usize, String)>,
    pub(super) ending: Option<Ending>,
    /// The word for the ending if it was just read, so that a comment may tell the exact one.
    word: Option<String>,
    pub(super) closing: Closing,
    pub(super) unread_times: UnreadTimes,
}

impl Game {
    pub(super) fn new(start: Position) -> Self {
        Self {
            position: start.clone(),
            start,
            moves: Vec::new(),
            illegal: None,
            ending: None,
            word: None,
            closing: Closing::default(),
            unread_times: UnreadTimes::default(),
        }
    }

    pub(super) fn make(&mut self, text: &str, number: usize) -> Result<(), CsaFault> {
        if self.illegal.is_some() {
            return Err(CsaFault::AfterTheEnd(shorten(text)));
        }
        parse_move(text).ok_or_else(|| CsaFault::NotAMove(shorten(text)))?;
        match legal_move(&self.position, text) {
            Some(mv) => {
                self.position.do_move(mv);
                self.moves.push(mv.into());
            }
            None => self.illegal = Some((number, text.to_owned())),
        }
        Ok(())
    }

    /// Reads the time of the last move or of the ending, to which an illegal move belongs.
    pub(super) fn time(&mut self, text: &str, number: usize) {
        let time = parse_seconds(text[1..].trim());
        if time.is_none() {
            self.unread_times.add(&format!("line {number}"), text);
        }
        if self.is_closing() {
            self.closing.add_time(time);
        } else if let Some(last) = self.moves.last_mut() {
            last.time = time;
        }
    }

    /// Adds a comment where it belongs: to the ending, to the last move, or to the `start`.
    pub(super) fn comment(&mut self, text: &str, start: &mut Vec<String>) {
        if self.is_closing() {
            match self.exact_ending(text) {
                Some(exact) => self.ending = Some(exact),
                None => self.closing.add_comment(text),
            }
        } else if let Some(last) = self.moves.last_mut() {
            last.add_comment(text);
        } else {
            start.push(text.to_owned());
        }
    }

    fn is_closing(&self) -> bool {
        self.ending.is_some() || self.illegal.is_some()
    }

    /// The exact ending that a comment right behind the word tells, as the writer puts it there. A
    /// comment that only looks like one stays a comment.
    fn exact_ending(&mut self, comment: &str) -> Option<Ending> {
        let word = self.word.take()?;
        let side = self.position.side_to_move();
        let is_it =
            |exact: &Ending| !is_exact(exact) && word_of_ending(exact, side) == Some(&*word);
        Ending::from_text(comment).filter(is_it)
    }

    /// Ends the game with a word. A word that is unknown becomes a comment.
    pub(super) fn end(&mut self, word: &str) {
        let illegal = self.illegal.as_ref().map(|(_, text)| text.as_str());
        let known = ending_of_word(word, &self.position, illegal);
        if known.is_some() && !is_renamed(word) {
            self.word = Some(word.to_owned());
        } else {
            self.closing.comments.push(word[1..].to_owned());
        }
        self.ending = Some(known.unwrap_or(Ending::Unfinished));
    }
}
