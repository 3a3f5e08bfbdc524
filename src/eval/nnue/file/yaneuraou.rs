//! Files of `YaneuraOu`'s format: header, feature transformer, progress weights and layer stacks.
//!
//! The format is defined by `YaneuraOu`'s `source/eval/nnue/evaluate_nnue.cpp`; all numbers are
//! little endian. Programs that write such files are careless with hashes and texts, so the size
//! decides: where header or text do not match but exactly one known shape has the size, the network
//! is read with a warning. No more memory is allocated than the size of the file justifies.

use super::{NetError, Reader, leb128, raicho::RAICHO_MAGIC};
use crate::eval::nnue::output_buckets::{KingClasses, OutputBuckets, PROGRESS_BUCKETS, Progress};
use crate::eval::nnue::shape::{Head, LayerShape, PROGRESS_HASH, Shape, WIDTH_STEP, text};
use crate::eval::nnue::{AffineLayer, DEFAULT_SCALE, FeatureTransformer, LayerStack, Network};
use crate::util::{Aligned, shorten};
use crate::{eval::nnue::features::FeatureSet, eval::nnue::to_i16, eval::nnue::to_i32};

/// The first four bytes of `YaneuraOu`'s format, little endian.
pub(in crate::eval::nnue) const MAGIC: u32 = 0x7af3_2f16;

/// The bytes before a section of LEB128-compressed values.
pub(in crate::eval::nnue) const LEB128_MAGIC: &[u8; 17] = b"COMPRESSED_LEB128";

/// Range of `FV_SCALE`, as that of `YaneuraOu`'s option.
const SCALES: std::ops::RangeInclusive<usize> = 1..=128;

/// Reads a network from the bytes of a file. The warnings name oddities that are tolerated.
pub(super) fn read(bytes: &[u8]) -> Result<(Network, Vec<String>), NetError> {
    let mut reader = Reader::new(bytes);
    let header = reader.header()?;
    let mut warnings = Vec::new();
    let found = detect(&header, reader.rest(), &mut warnings)?;
    let shape = found.shape;
    warnings.extend(wrong_hash("file hash", header.hash, shape.file_hash()));
    let body = Body { reader, found, warnings };
    let (mut network, mut warnings) = body.read()?;
    network.scale = scale(&header, &mut warnings);
    network.text = header.text;
    Ok((network, warnings))
}

/// Takes and checks the first four bytes.
pub(super) fn check_magic(reader: &mut Reader<'_>) -> Result<(), NetError> {
    match reader.number("magic number")? {
        MAGIC => Ok(()),
        found => Err(NetError::Invalid(format!(
            "magic number: found {found:#010x}, expected {MAGIC:#010x} or '{}'",
            RAICHO_MAGIC.escape_ascii()
        ))),
    }
}

/// A warning where a hash is not that of the detected shape.
fn wrong_hash(field: &str, found: u32, expected: u32) -> Option<String> {
    (found != expected).then(|| format!("{field}: found {found:#010x}, expected {expected:#010x}"))
}

/// The hash and the architecture text.
struct Header {
    /// The hash of the whole file.
    hash: u32,
    /// The architecture text, with control characters replaced.
    text: String,
}

impl Header {
    fn new(hash: u32, text: &[u8]) -> Self {
        // Messages that quote the text are single lines.
        let text = String::from_utf8_lossy(text).replace(char::is_control, "?");
        Self { hash, text }
    }

    /// The beginning of the text, for messages.
    fn shown(&self) -> String {
        shorten(&self.text)
    }

    /// The warning where the size tells another shape than the text.
    fn overruled(&self, shape: Shape) -> String {
        let text = self.shown();
        format!("architecture text: found '{text}', by its size it is {shape}")
    }

    /// The error for an architecture text that is refused.
    fn refused(&self, problem: &str) -> NetError {
        let text = self.shown();
        NetError::Invalid(format!("architecture text: {problem}, in '{text}'"))
    }
}

impl<'a> Reader<'a> {
    /// Takes the header: magic, hash and architecture text.
    fn header(&mut self) -> Result<Header, NetError> {
        check_magic(self)?;
        let hash = self.number("file hash")?;
        let length = self.number("length of the architecture text")? as usize;
        let left = self.left();
        if length > left {
            return Err(NetError::Invalid(format!(
                "length of the architecture text: found {length}, expected at most the {left} \
                 bytes that follow"
            )));
        }
        let text = self.take("length of the architecture text", length)?;
        Ok(Header::new(hash, text))
    }

    /// Takes a compressed section and returns its payload.
    fn compressed(&mut self, field: &str) -> Result<&'a [u8], NetError> {
        let magic = self.take(field, LEB128_MAGIC.len())?;
        if magic != LEB128_MAGIC {
            let (found, expected) = (magic.escape_ascii(), LEB128_MAGIC.escape_ascii());
            return Err(NetError::Invalid(format!(
                "{field}: found '{found}', expected '{expected}'"
            )));
        }
        let size = self.number(field)? as usize;
        self.take(field, size)
    }
}

/// The `FV_SCALE` of a header, or the default with a warning where it is out of range.
fn scale(header: &Header, warnings: &mut Vec<String>) -> i32 {
    let declared = text::fv_scale(&header.text);
    let scale = declared.filter(|scale| SCALES.contains(scale));
    if let (Some(declared), None) = (declared, scale) {
        warnings.push(format!("fv_scale: found {declared}, expected 1 to 128; 16 is taken"));
    }
    scale.map_or(DEFAULT_SCALE, |scale| scale as i32)
}

/// Reading of all sections after the header.
struct Body<'a> {
    reader: Reader<'a>,
    found: Detected,
    warnings: Vec<String>,
}

impl Body<'_> {
    fn read(mut self) -> Result<(Network, Vec<String>), NetError> {
        let shape = self.found.shape;
        self.hash("hash of the transformer", shape.transformer_hash())?;
        let transformer = match shape.head {
            Head::Stacks { .. } => self.compressed_transformer(shape)?,
            Head::Plain | Head::Direct => self.transformer(shape)?,
        };
        let progress = shape.has_progress().then(|| self.progress()).transpose()?;
        // A text may declare more stacks than the file has bytes for.
        let room = self.reader.left() / shape.stack_bytes();
        let mut stacks = Vec::with_capacity(room.min(shape.stacks()));
        for number in 0..shape.stacks() {
            stacks.push(self.stack(shape, number)?);
        }
        self.reader.end()?;
        let network = Network {
            shape,
            transformer,
            stacks,
            output_layer: None,
            progress,
            scale: DEFAULT_SCALE,
            source: String::new(),
            text: String::new(),
        };
        Ok((network, self.warnings))
    }

    /// Reads and checks a hash, where the file has hashes between its sections.
    fn hash(&mut self, field: &str, expected: u32) -> Result<(), NetError> {
        if self.found.has_hashes {
            let found = self.reader.number(field)?;
            self.warnings.extend(wrong_hash(field, found, expected));
        }
        Ok(())
    }

    fn transformer(&mut self, shape: Shape) -> Result<FeatureTransformer, NetError> {
        let column = shape.width * size_of::<i16>();
        let biases = self.reader.take("biases of the transformer", column)?;
        let size = shape.features.count() * column;
        let weights = self.reader.take("weights of the transformer", size)?;
        Ok(FeatureTransformer { biases: to_i16(biases), weights: to_i16(weights) })
    }

    fn compressed_transformer(&mut self, shape: Shape) -> Result<FeatureTransformer, NetError> {
        let count = shape.features.count() * shape.width;
        Ok(FeatureTransformer {
            biases: self.compressed("biases of the transformer", shape.width)?,
            weights: self.compressed("weights of the transformer", count)?,
        })
    }

    /// Reads a section of compressed values and doubles them, as `YaneuraOu` does.
    fn compressed(&mut self, field: &str, count: usize) -> Result<Aligned<i16>, NetError> {
        let bytes = self.reader.compressed(field)?;
        let mut values = leb128::weights(field, bytes, count)?;
        for value in values.iter_mut() {
            *value = value.wrapping_mul(2);
        }
        Ok(values)
    }

    fn progress(&mut self) -> Result<Progress, NetError> {
        self.hash("hash of progress", PROGRESS_HASH)?;
        let bias = self.reader.number("bias of progress")? as i32;
        let size = Progress::WEIGHTS * size_of::<i32>();
        let weights = self.reader.take("weights of progress", size)?;
        Ok(Progress::new(bias, to_i32(weights)))
    }

    fn stack(&mut self, shape: Shape, number: usize) -> Result<LayerStack, NetError> {
        self.hash(&format!("hash of stack {number}"), shape.network_hash())?;
        let [first, second, last] = shape.layers();
        let mut stack = LayerStack {
            first: self.affine(first, &format!("first layer of stack {number}"))?,
            second: self.affine(second, &format!("second layer of stack {number}"))?,
            last: self.affine(last, &format!("last layer of stack {number}"))?,
        };
        if let Head::Stacks { shards: Some(shards), .. } = shape.head {
            // The file holds the dense matrix; weights outside of the shards are ignored.
            let layer = &mut stack.first;
            for output in 0..layer.outputs {
                let row = &mut layer.weights[output * layer.padded_inputs..][..layer.inputs];
                for (input, weight) in row.iter_mut().enumerate() {
                    if !shards.connects(layer.outputs, output, input) {
                        *weight = 0;
                    }
                }
            }
        }
        Ok(stack)
    }

    fn affine(&mut self, shape: LayerShape, field: &str) -> Result<AffineLayer, NetError> {
        let biases = self.reader.take(field, shape.outputs * size_of::<i32>())?;
        let size = shape.outputs * shape.padded_inputs();
        let weights = self.reader.take(field, size)?;
        Ok(AffineLayer::from_bytes(shape, biases, weights))
    }
}

// --- Detection of the shape, by header and size ---

/// Largest width that is tried where the text does not help, in steps of [`WIDTH_STEP`].
const MAX_TRIED_WIDTH: usize = 2048;

/// Sizes of the first hidden layer that are tried.
const FIRST: [usize; 5] = [8, 16, 32, 64, 128];

/// Sizes of the second hidden layer that are tried.
const SECOND: [usize; 4] = [16, 32, 64, 128];

/// Sizes of the second hidden layer of layer stacks that are tried.
const SECOND_OF_STACK: [usize; 6] = [8, 16, 32, 64, 96, 128];

/// Size in bytes of the two hashes between the sections of a plain network, which some writers
/// omit.
const HASHES: usize = 2 * size_of::<u32>();

/// Form of the architecture text of a network with compressed weights, for messages.
const STACKS_TEXT: &str = "ModelType=SFNNWithoutPsqt;Features=...,Network=SFNN_...{LayerStack=...}";

struct Detected {
    shape: Shape,
    /// Whether the file has hashes between its sections.
    has_hashes: bool,
}

/// Detects the shape of a file from its header and the bytes that follow it.
fn detect(header: &Header, body: &[u8], warnings: &mut Vec<String>) -> Result<Detected, NetError> {
    let size = body.len();
    if let Some(word) = text::unsupported_activation(&header.text) {
        return Err(header.refused(&format!("{word} is not known here")));
    }
    if text::describes_stacks(&header.text) {
        let declared = Shape::from_stacks_text(&header.text);
        let has_hashes = true;
        let Some(short) = text::short_stacks(&header.text) else {
            let shape = declared.map_err(|problem| header.refused(&problem))?;
            return Ok(Detected { shape, has_hashes });
        };
        let declared = declared.ok();
        let shape = by_size_of_stack(header, body, short, declared)?;
        if declared != Some(shape) {
            warnings.push(header.overruled(shape));
        }
        return Ok(Detected { shape, has_hashes });
    }
    if is_compressed(body) {
        // The size of compressed weights does not determine a shape.
        return Err(
            header.refused(&format!("the weights are compressed, expected '{STACKS_TEXT}'"))
        );
    }
    let declared = Shape::from_plain_text(&header.text);
    let shape = match declared {
        Some(declared) if fits(&declared, size) => declared,
        _ => by_size(header, size, declared)?,
    };
    if declared != Some(shape) {
        warnings.push(header.overruled(shape));
    }
    let has_hashes = size != shape.plain_bytes();
    if !has_hashes {
        warnings.push("hashes of the sections: found none".to_owned());
    }
    Ok(Detected { shape, has_hashes })
}

/// Neurons of the first layer of layer stacks that are tried, with a shortcut: the programs that
/// write short names know no others.
const FIRST_OF_STACK: [usize; 4] = [7, 15, 31, 63];

/// The only shape that fits where the text tells the inputs, width and number of layer stacks, but
/// not the layers. Where none fits, the shape that the text declares.
fn by_size_of_stack(
    header: &Header,
    body: &[u8],
    (features, width, stacks): (FeatureSet, usize, usize),
    declared: Option<Shape>,
) -> Result<Shape, NetError> {
    let (has_progress, rest) = stacks_of(body).unwrap_or_default();
    let mut buckets = OutputBuckets::default();
    match stacks {
        1 if !has_progress => (),
        9 if !has_progress => buckets.king = Some(KingClasses::K3k3),
        _ => {
            let progress = u32::try_from(stacks).ok().filter(|_| has_progress);
            buckets.progress = progress.filter(|parts| PROGRESS_BUCKETS.contains(parts));
            if buckets.progress.is_none() {
                return Err(header.refused(&format!(
                    "LayerStack={stacks} does not tell how a stack is chosen, expected a name such \
                     as SFNN_halfka2_1024_7_64_hand4_k9k9"
                )));
            }
        }
    }
    let shapes = FIRST_OF_STACK.into_iter().flat_map(|first| {
        SECOND_OF_STACK.map(|second| Shape {
            features,
            width,
            hidden: [first, second],
            head: Head::Stacks { buckets, shards: None },
        })
    });
    let mut shapes = shapes.filter(|shape| shape.validate().is_ok() && are_stacks(shape, rest));
    match (shapes.next(), shapes.next(), declared) {
        (Some(shape), None, _) | (None, _, Some(shape)) => Ok(shape),
        (Some(shape), Some(other), _) => {
            Err(header.refused(&format!("{shape} and {other} have this size")))
        }
        (None, _, None) => Err(header.refused("no known layers have the size of a stack")),
    }
}

/// Whether there are weights of progress, and the layer stacks, of a file with compressed weights.
fn stacks_of(body: &[u8]) -> Option<(bool, &[u8])> {
    let mut reader = Reader::new(body);
    reader.number("").ok()?;
    reader.compressed("").ok()?;
    reader.compressed("").ok()?;
    let has_progress = reader.rest().starts_with(&PROGRESS_HASH.to_le_bytes());
    if has_progress {
        let size = (2 + Progress::WEIGHTS) * size_of::<u32>();
        reader.take("", size).ok()?;
    }
    Some((has_progress, reader.rest()))
}

/// Whether these are the layer stacks of this shape: their size, and nothing in the padding of the
/// second layer, where a first layer without shortcut (of one neuron more) has weights.
fn are_stacks(shape: &Shape, bytes: &[u8]) -> bool {
    let [first, second, _] = shape.layers();
    let stack = size_of::<u32>() + shape.stack_bytes();
    let start = size_of::<u32>() + first.bytes() + second.outputs * size_of::<i32>();
    let row = second.padded_inputs();
    let is_padded = |stack: &[u8]| {
        let mut rows = stack[start..][..second.outputs * row].chunks_exact(row);
        rows.all(|row| row[second.inputs..].iter().all(|&weight| weight == 0))
    };
    bytes.len() == shape.stacks() * stack && bytes.chunks_exact(stack).all(is_padded)
}

/// Whether the feature transformer, with or without a hash before it, is compressed.
fn is_compressed(body: &[u8]) -> bool {
    let starts_at =
        |offset: usize| body.get(offset..).is_some_and(|rest| rest.starts_with(LEB128_MAGIC));
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
        (several, _) => {
            let shapes: Vec<_> = several.iter().map(Shape::to_string).collect();
            let (shapes, text) = (shapes.join(", "), header.shown());
            Err(NetError::Invalid(format!(
                "size: found {size} bytes behind the header, which is the size of {shapes}; the \
                 architecture text '{text}' does not tell which"
            )))
        }
    }
}

fn no_fit(header: &Header, size: usize) -> NetError {
    let expected = |shape: &Shape| shape.plain_bytes() + HASHES;
    let distance = |shape: &Shape| expected(shape).abs_diff(size);
    let smallest = Shape::plain(FeatureSet::Kp, WIDTH_STEP, [FIRST[0], SECOND[0]]);
    let nearest = known().min_by_key(distance).unwrap_or(smallest);
    let (expected, text) = (expected(&nearest), header.shown());
    NetError::Invalid(format!(
        "size: found {size} bytes behind the header, expected those of a known network, of which \
         {nearest} is nearest with {expected} (architecture text '{text}')"
    ))
}

/// All plain shapes that are tried by size.
fn known() -> impl Iterator<Item = Shape> {
    let widths = (WIDTH_STEP..=MAX_TRIED_WIDTH).step_by(WIDTH_STEP);
    let shapes_of = move |set| {
        widths.clone().flat_map(move |width| {
            FIRST.into_iter().flat_map(move |first| {
                SECOND.map(|second| Shape::plain(set, width, [first, second]))
            })
        })
    };
    // No other program writes our feature sets.
    let others = FeatureSet::ALL.into_iter().filter(|set| !set.is_own());
    others.flat_map(shapes_of)
}

// --- Writing ---

/// The bytes of the file; `None` for networks of our own format and those whose buckets depend on
/// the progress of the game.
pub(super) fn to_bytes(network: &Network) -> Option<Vec<u8>> {
    let shape = network.shape;
    if shape.head == Head::Direct || shape.has_progress() {
        return None;
    }
    let text = header_text(network);
    let mut bytes = Vec::with_capacity(shape.transformer_bytes());
    for word in [MAGIC, shape.file_hash(), text.len() as u32] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend(text.bytes());
    bytes.extend(shape.transformer_hash().to_le_bytes());
    for values in [&network.transformer.biases, &network.transformer.weights] {
        if shape.head == Head::Plain {
            bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
            continue;
        }
        let mut compressed = Vec::with_capacity(values.len());
        for &value in values.iter() {
            // Files hold half of each value.
            leb128::encode(value >> 1, &mut compressed);
        }
        bytes.extend(LEB128_MAGIC);
        bytes.extend(u32::try_from(compressed.len()).ok()?.to_le_bytes());
        bytes.extend(compressed);
    }
    for stack in &network.stacks {
        bytes.extend(shape.network_hash().to_le_bytes());
        for layer in [&stack.first, &stack.second, &stack.last] {
            write_affine(layer, &mut bytes);
        }
    }
    Some(bytes)
}

/// The text of the network where it declares its shape and scale, else a new one.
fn header_text(network: &Network) -> String {
    let (shape, scale) = (network.shape, network.scale);
    let declared = text::fv_scale(&network.text).map_or(DEFAULT_SCALE, |scale| scale as i32);
    if declared == scale && network.text.starts_with(&shape.text()) {
        return network.text.clone();
    }
    shape.file_text(scale, "")
}

/// Appends biases and padded weights of a layer.
fn write_affine(layer: &AffineLayer, to: &mut Vec<u8>) {
    to.extend(layer.biases.iter().flat_map(|bias| bias.to_le_bytes()));
    to.extend(layer.weights.iter().map(|&weight| weight as u8));
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

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
            for size in [shape.plain_bytes() + HASHES, shape.plain_bytes() - HASHES] {
                assert!(!sizes.contains_key(&size), "{shape}");
            }
        }
    }
}
