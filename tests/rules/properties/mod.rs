//! Properties of the rules layers, over random playouts, adversarial values and slow references.

mod declaration;
mod history;
mod kinds;
mod moves;
mod repetition;
mod see;
mod sfen;
mod structure;
mod threats;
mod tsume;
mod walk;
