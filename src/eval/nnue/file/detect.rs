//! Detection of a file's shape, by its header and its size.

use super::error::{NetError, Warning};
use super::format::LEB128_MAGIC;
use super::header::Header;
use crate::eval::nnue::features::FeatureSet;
use crate::eval::nnue::shape::{Shape, WIDTH_STEP, text};

/// Largest width that is tried where the text is no help, in steps of [`WIDTH_STEP`].
const MAX_TRIED_WIDTH: usize = 2048;

/// Sizes of the first hidden layer that are tried.
const FIRST: [usize; 5] = [8, 16, 32, 64, 128];

/// Sizes of the second hidden layer that are tried.
const SECOND: [usize; 4] = [16, 32, 64, 128];

/// Size in bytes of the two hashes between the sections of a plain network, which some writers
/// omit.
const HASHES: usize = 2 * size_of::<u32>();

/// Form of the architecture text of a network with compressed weights, for messages.
const STACKS_TEXT: &str = "ModelType=SFNNWithoutPsqt;Features=...,Network=SFNN_...{LayerStack=...}";

/// A detected shape.
pub(super) struct Detected {
    pub(super) shape: Shape,
    /// Whether the file has hashes between its sections.
    pub(super) has_hashes: bool,
}

/// Detects the shape of a file from its header and the bytes that follow it.
pub(super) fn shape(
    header: &Header,
    body: &[u8],
    warnings: &mut Vec<Warning>,
) -> Result<Detected, NetError> {
    let size = body.len();
    if let Some(word) = text::unsupported_activation(&header.text) {
        return Err(header.refused(format!("{word} is not known here")));
    }
    if text::describes_stacks(&header.text) {
        let shape =
            Shape::from_stacks_text(&header.text).map_err(|problem| header.refused(problem))?;
        let has_hashes = true;
        return Ok(Detected { shape, has_hashes });
    }
    if is_compressed(body) {
        // The size of compressed weights does not determine a shape.
        return Err(header.refused(format!(
            "the weights are compressed, expected '{STACKS_TEXT}'"
        )));
    }
    let declared = Shape::from_plain_text(&header.text);
    let shape = match declared {
        Some(declared) if fits(&declared, size) => declared,
        _ => by_size(header, size, declared)?,
    };
    if declared != Some(shape) {
        let text = header.shown();
        warnings.push(Warning::Text { text, shape });
    }
    let has_hashes = size != shape.plain_bytes();
    if !has_hashes {
        warnings.push(Warning::NoHashes);
    }
    Ok(Detected { shape, has_hashes })
}

/// Whether the feature transformer, with or without a hash before it, is compressed.
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

/// The only known shape of this size; of several, the one whose hash is in the header. Where none
/// fits, the shape that the text declares, so that reading names the section that is cut off.
fn by_size(header: &Header, size: usize, declared: Option<Shape>) -> Result<Shape, NetError> {
    let mut fitting: Vec<Shape> = known().filter(|shape| fits(shape, size)).collect();
    if fitting.len() > 1 && fitting.iter().any(|shape| shape.file_hash() == header.hash) {
        fitting.retain(|shape| shape.file_hash() == header.hash);
    }
    match (&fitting[..], declared) {
        ([shape], _) => Ok(*shape),
        ([], Some(declared)) => Ok(declared),
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
    let smallest = Shape::plain(FeatureSet::Kp, WIDTH_STEP, [FIRST[0], SECOND[0]]);
    let nearest = known().min_by_key(distance).unwrap_or(smallest);
    NetError::NoFit {
        found: size,
        nearest,
        expected: expected(&nearest),
        text: header.shown(),
    }
}

/// All plain shapes that are tried by size.
fn known() -> impl Iterator<Item = Shape> {
    let widths = (WIDTH_STEP..=MAX_TRIED_WIDTH).step_by(WIDTH_STEP);
    let shapes_of = move |set| {
        widths.clone().flat_map(move |width| {
            FIRST.into_iter().flat_map(move |first| {
                SECOND
                    .into_iter()
                    .map(move |second| Shape::plain(set, width, [first, second]))
            })
        })
    };
    // No other program writes our feature sets.
    let others = |set: &FeatureSet| !set.is_own();
    FeatureSet::ALL
        .into_iter()
        .filter(others)
        .flat_map(shapes_of)
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
