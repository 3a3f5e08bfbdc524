//! The network that is embedded into the executable; `nets/README.md` describes its training.

use super::network::Network;

/// A file of our own format.
static FILE: &[u8] = include_bytes!("../../../nets/raicho.nnue");

/// Its name in messages. `EvalFile` never reads this text as a path.
const SOURCE: &str = "<embedded>";

impl Network {
    /// The embedded network. Each call reads it anew.
    ///
    /// # Panics
    /// Panics if the embedded file is damaged, which a test excludes.
    pub fn embedded() -> Self {
        let (mut network, _) = Self::read(FILE).expect("the embedded network is whole");
        network.source = String::from(SOURCE);
        network
    }

    /// Whether it is the network inside the executable.
    pub fn is_embedded(&self) -> bool {
        self.source == SOURCE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_can_be_read() {
        let network = Network::embedded();
        assert_eq!(network.source(), "<embedded>");
        assert!(network.text().starts_with("Raicho"));
        assert_eq!(network.shape().to_string(), "raicho_256x2-8");
    }
}
