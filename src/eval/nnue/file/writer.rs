//! Writing of networks with hidden layers in `YaneuraOu`'s format.

use super::format::{LEB128_MAGIC, MAGIC};
use super::leb128;
use crate::eval::nnue::network::{AffineLayer, DEFAULT_SCALE, Network};
use crate::eval::nnue::shape::{Head, text};

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
            affine(layer, &mut bytes);
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

fn affine(layer: &AffineLayer, to: &mut Vec<u8>) {
    to.extend(layer.biases.iter().flat_map(|bias| bias.to_le_bytes()));
    to.extend(layer.weights.iter().map(|&weight| weight as u8));
}
