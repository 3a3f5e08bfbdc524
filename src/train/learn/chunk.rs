//! A part of a batch, ready for the network: the inputs of its positions, and the same turned round, the positions of each
//! input.
//!
//! Forward, a position adds up the weights of its inputs; backward, an input adds up the gradients of its positions. Both
//! are then the same loop, which only reads, and no two threads ever add to the same sum.

use super::sample::{Active, INPUTS, MOST_ACTIVE, Sample};

/// Positions in a chunk: the rows that one block of columns makes of them stay in the cache.
pub(super) const CHUNK: usize = 2048;

/// A position has two views, the side to move's first: view 2n and 2n + 1 of position n.
pub(super) const VIEWS: usize = 2 * CHUNK;

const _: () = assert!(VIEWS <= 1 << u16::BITS);

/// Some positions of a batch. Its memory is used again and again.
#[derive(Debug)]
pub(super) struct Chunk {
    inputs: Vec<[Active; 2]>,
    facts: Vec<Facts>,
    /// Where each input's views begin in [`Self::views`]; one more at the end.
    starts: Vec<u32>,
    views: Vec<u16>,
}

/// What else is known of a position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facts {
    /// Inputs of each side.
    active: u8,
    /// Which output judges it.
    pub(super) phase: u8,
    /// What the output should say, as a share of points: 0 to 1.
    pub(super) target: f32,
}

impl Chunk {
    pub(super) fn new() -> Self {
        Self {
            inputs: Vec::with_capacity(CHUNK),
            facts: Vec::with_capacity(CHUNK),
            starts: vec![0; INPUTS + 1],
            views: Vec::with_capacity(VIEWS * MOST_ACTIVE),
        }
    }

    /// Takes in up to [`CHUNK`] positions instead of those that were there.
    pub(super) fn fill<'a>(
        &mut self,
        samples: impl Iterator<Item = &'a Sample>,
        target: impl Fn(&Sample) -> f32,
    ) {
        self.inputs.clear();
        self.facts.clear();
        let mut inputs = [[0; MOST_ACTIVE]; 2];
        for sample in samples.take(CHUNK) {
            let active = sample.inputs(&mut inputs);
            self.inputs.push(inputs);
            self.facts.push(Facts {
                active: active as u8,
                phase: sample.phase() as u8,
                target: target(sample),
            });
        }
        self.transpose();
    }

    /// Counting sort of the views by their inputs.
    fn transpose(&mut self) {
        let Self {
            inputs,
            facts,
            starts,
            views,
        } = self;
        starts.fill(0);
        for (inputs, facts) in inputs.iter().zip(&*facts) {
            for &input in inputs.iter().flat_map(|side| &side[..facts.active.into()]) {
                starts[usize::from(input) + 1] += 1;
            }
        }
        let mut total = 0;
        for start in starts.iter_mut() {
            total += *start;
            *start = total;
        }
        views.resize(total as usize, 0);
        // Each input's place moves from its start to its end, which is the start of the next one.
        for (position, (inputs, facts)) in inputs.iter().zip(facts).enumerate() {
            for (side, inputs) in inputs.iter().enumerate() {
                for &input in &inputs[..facts.active.into()] {
                    let place = &mut starts[usize::from(input)];
                    views[*place as usize] = (2 * position + side) as u16;
                    *place += 1;
                }
            }
        }
        starts.rotate_right(1);
        starts[0] = 0;
    }

    /// Positions in it.
    pub(super) fn len(&self) -> usize {
        self.facts.len()
    }

    pub(super) fn facts(&self) -> &[Facts] {
        &self.facts
    }

    /// The inputs of a position, of the side to move (0) or the other one (1).
    #[inline(always)]
    pub(super) fn inputs(&self, position: usize, side: usize) -> &[u16] {
        &self.inputs[position][side][..self.facts[position].active.into()]
    }

    /// The views in which an input is 1, in ascending order.
    #[inline(always)]
    pub(super) fn views(&self, input: usize) -> &[u16] {
        &self.views[self.starts[input] as usize..self.starts[input + 1] as usize]
    }
}
