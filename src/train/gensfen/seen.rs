//! The positions written so far, so that games do not repeat samples.

use super::game::Segment;
use crate::types::Key64;

const BYTES_PER_MEGABYTE: usize = 1 << 20;

/// A table of position keys with a fixed size. A new key replaces the one in its slot, so a
/// repetition can be missed after many positions. A false repetition needs a collision of 64-bit
/// keys.
pub(super) struct SeenPositions {
    /// 0 for a free slot. An empty table remembers nothing.
    keys: Vec<u64>,
}

impl SeenPositions {
    /// Creates a table of this size in MB; 0 disables it.
    pub(super) fn new(megabytes: usize) -> Self {
        Self {
            keys: vec![0; megabytes * BYTES_PER_MEGABYTE / size_of::<u64>()],
        }
    }

    /// Enters every position of the segments.
    pub(super) fn enter(&mut self, segments: &[Segment]) {
        if self.keys.is_empty() {
            return;
        }
        for segment in segments {
            for key in keys(segment) {
                let slot = self.slot(key);
                self.keys[slot] = key.low64();
            }
        }
    }

    /// Removes the moves of a game up to the last position that another game had, and returns their
    /// number. Games that share a position mostly share all positions before it.
    pub(super) fn cut(&self, segments: &mut Vec<Segment>) -> u64 {
        if self.keys.is_empty() {
            return 0;
        }
        let mut last = None;
        for (index, segment) in segments.iter().enumerate() {
            for (ply, key) in keys(segment).enumerate() {
                if self.keys[self.slot(key)] == key.low64() {
                    last = Some((index, ply + 1));
                }
            }
        }
        let Some((index, plies)) = last else {
            return 0;
        };
        let before: usize = segments.drain(..index).map(|s| s.moves.len()).sum();
        let segment = &mut segments[0];
        for (mv, _) in segment.moves.drain(..plies) {
            segment.start.do_move(mv);
        }
        if segment.moves.is_empty() {
            segments.remove(0);
        }
        (before + plies) as u64
    }

    /// The slot of a key, from its upper bits; bit 0 is the side to move.
    fn slot(&self, key: Key64) -> usize {
        ((u128::from(key.low64()) * self.keys.len() as u128) >> u64::BITS) as usize
    }
}

/// The keys of the positions before each move.
fn keys(segment: &Segment) -> impl Iterator<Item = Key64> {
    let mut position = segment.start.clone();
    segment.moves.iter().map(move |&(mv, _)| {
        let key = position.key();
        position.do_move(mv);
        key
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::sfen_line::SfenLine;

    fn segment(line: &str) -> Segment {
        let line: SfenLine = line.parse().expect("a good line");
        Segment {
            start: line.start,
            moves: line.moves.into_iter().map(|mv| (mv, 0)).collect(),
        }
    }

    #[test]
    fn what_another_game_had_is_cut_off() {
        let mut seen = SeenPositions::new(1);
        let first = segment("startpos moves 7g7f 3c3d 2g2f 8c8d");
        let mut segments = vec![first.clone()];
        assert_eq!(seen.cut(&mut segments), 0, "nothing has been seen");
        seen.enter(&segments);
        // After another order of moves the same position, then new ones.
        let mut segments = vec![segment("startpos moves 2g2f 3c3d 7g7f 4c4d 6i7h 8b3b")];
        assert_eq!(seen.cut(&mut segments), 4);
        assert_eq!(segments[0].moves.len(), 2);
        assert_eq!(segments[0].start.game_ply(), 5);
        let mut segments = vec![first.clone(), first];
        assert_eq!(seen.cut(&mut segments), 8);
        assert!(segments.is_empty());
    }

    #[test]
    fn without_memory_nothing_is_cut() {
        let mut seen = SeenPositions::new(0);
        let mut segments = vec![segment("startpos moves 7g7f 3c3d")];
        seen.enter(&segments);
        assert_eq!(seen.cut(&mut segments), 0);
    }
}
