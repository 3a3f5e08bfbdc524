//! Which shape a file has, by header and size.

use super::LEB128_MAGIC;
use super::error::{NetError, Warning};
use crate::eval::nnue::inputs::Inputs;
use crate::eval::nnue::shape::{Shape, WIDTH_STEP, text};
use crate::util::shorten;

/// Widths that are tried where the text does not help: multiples of [`WIDTH_STEP`] up to this.
const WIDEST: usize = 2048;

/// Likewise the neurons of the first hidden layer.
const FIRST: [usize; 5] = [8, 16, 32, 64, 128];

/// Likewise the neurons of the second one.
const SECOND: [usize; 4] = [16, 32, 64, 128];

/// Bytes of the two hashes between the sections of a plain network, which some writers leave out.
const HASHES: usize = 2 * size_of::<u32>();

/// What a text must be like where the weights are compressed.
const STACKS_TEXT: &str = "ModelType=SFNNWithoutPsqt;Features=...,Network=SFNN_...{LayerStack=...}";

/// What a file says of itself.
pub(super) struct Header {
    /// The hash of the whole.
    pub(super) hash: u32,
    text: String,
}

/// What a file is.
pub(super) struct Found {
    pub(super) shape: Shape,
    /// Whether there are hashes between the sections.
    pub(super) has_hashes: bool,
}

impl Header {
    pub(super) fn new(hash: u32, text: &[u8]) -> Self {
        // Messages that quote it are single lines.
        let printable = |letter: char| if letter.is_control() { '?' } else { letter };
        let text = String::from_utf8_lossy(text)
            .chars()
            .map(printable)
            .collect();
        Self { hash, text }
    }

    /// The scale that the text tells.
    pub(super) fn scale(&self) -> Option<usize> {
        text::scale(&self.text)
    }

    /// The text, without control characters.
    pub(super) fn into_text(self) -> String {
        self.text
    }

    /// The beginning of the text, for messages.
    fn shown(&self) -> String {
        shorten(&self.text)
    }

    fn refused(&self, problem: String) -> NetError {
        NetError::Text {
            problem,
            text: self.shown(),
        }
    }
}

/// The shape of a file with these bytes behind its header.
pub(super) fn shape(
    header: &Header,
    body: &[u8],
    warnings: &mut Vec<Warning>,
) -> Result<Found, NetError> {
    let size = body.len();
    if let Some(word) = text::foreign_activation(&header.text) {
        return Err(header.refused(format!("{word} is not known here")));
    }
    if text::tells_stacks(&header.text) {
        let shape =
            Shape::from_stacks_text(&header.text).map_err(|problem| header.refused(problem))?;
        let has_hashes = true;
        return Ok(Found { shape, has_hashes });
    }
    if is_compressed(body) {
        // Compressed, any shape may have any size.
        return Err(header.refused(format!(
            "the weights are compressed, expected '{STACKS_TEXT}'"
        )));
    }
    let told = Shape::from_plain_text(&header.text);
    let shape = match told {
        Some(told) if fits(&told, size) => told,
        _ => by_size(header, size, told)?,
    };
    if told != Some(shape) {
        let text = header.shown();
        warnings.push(Warning::Text { text, shape });
    }
    let has_hashes = size != shape.plain_bytes();
    if !has_hashes {
        warnings.push(Warning::NoHashes);
    }
    Ok(Found { shape, has_hashes })
}

/// Whether the transformer, with or without a hash before it, is compressed.
fn is_compressed(body: &[u8]) -> bool {
    let starts_at = |offset: usize| {
        body.get(offset..)
            .is_some_and(|rest| rest.starts_with(LEB128_MAGIC))
    };
    starts_at(0) || starts_at(size_of::<u32>())
}

fn fits(shape: &Shape, size: usize) -> bool {
    let bytes = shape.plain_bytes();
    size == bytes || size == bytes + HASHES
}

/// The only known shape that fits; of several, the one with the hash of the header. Where none fits, what the text tells is
/// read as far as it goes, to name what is missing.
fn by_size(header: &Header, size: usize, told: Option<Shape>) -> Result<Shape, NetError> {
    let mut fitting: Vec<Shape> = known().filter(|shape| fits(shape, size)).collect();
    if fitting.len() > 1 && fitting.iter().any(|shape| shape.file_hash() == header.hash) {
        fitting.retain(|shape| shape.file_hash() == header.hash);
    }
    match (&fitting[..], told) {
        ([shape], _) => Ok(*shape),
        ([], Some(told)) => Ok(told),
        ([], None) => Err(no_fit(header, size)),
        (several, _) => Err(NetError::Several {
            found: size,
            shapes: several
                .iter()
                .map(Shape::to_string)
                .collect::<Vec<_>>()
                .join(", "),
            text: header.shown(),
        }),
    }
}

fn no_fit(header: &Header, size: usize) -> NetError {
    let expected = |shape: &Shape| shape.plain_bytes() + HASHES;
    let distance = |shape: &Shape| expected(shape).abs_diff(size);
    let smallest = Shape::plain(Inputs::Kp, WIDTH_STEP, [FIRST[0], SECOND[0]]);
    let nearest = known().min_by_key(distance).unwrap_or(smallest);
    NetError::NoFit {
        found: size,
        nearest,
        expected: expected(&nearest),
        text: header.shown(),
    }
}

/// All plain shapes that are tried.
fn known() -> impl Iterator<Item = Shape> {
    let widths = (WIDTH_STEP..=WIDEST).step_by(WIDTH_STEP);
    let shapes_of = move |inputs| {
        widths.clone().flat_map(move |width| {
            FIRST.into_iter().flat_map(move |first| {
                SECOND
                    .into_iter()
                    .map(move |second| Shape::plain(inputs, width, [first, second]))
            })
        })
    };
    // Others than us do not have our inputs.
    let theirs = |inputs: &Inputs| *inputs != Inputs::Own;
    Inputs::ALL.into_iter().filter(theirs).flat_map(shapes_of)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn no_other_shape_has_the_size_of_a_usual_one() {
        let mut sizes: HashMap<usize, Vec<Shape>> = HashMap::new();
        for shape in known() {
            sizes.entry(shape.plain_bytes()).or_default().push(shape);
        }
        let usual = |shape: &Shape| {
            let layers = [[32, 32], [8, 64], [16, 32], [16, 64], [8, 32]];
            [256, 512, 768, 1024].contains(&shape.width) && layers.contains(&shape.hidden)
        };
        for shape in known().filter(usual) {
            assert_eq!(sizes[&shape.plain_bytes()], [shape]);
            assert!(
                !sizes.contains_key(&(shape.plain_bytes() + HASHES)),
                "{shape}"
            );
            assert!(
                !sizes.contains_key(&(shape.plain_bytes() - HASHES)),
                "{shape}"
            );
        }
    }
}
