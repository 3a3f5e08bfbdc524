//! The files of three-piece evaluations: Apery's and `YaneuraOu`'s, told apart by name and size.
//!
//! The files have no header: little-endian numbers in the order of the tables, each weight a board
//! part and a turn part.
//!
//! | table | numbers of 32 bits | numbers of 16 bits |
//! |---|---|---|
//! | KK | 52,488 bytes | 26,244 bytes |
//! | KKP | 81,251,424 | 40,625,712 |
//! | KPP | | 776,402,496, board parts only 388,201,248 |
//!
//! Apery has had no KK since July 2017; then it is zero.

use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::{fs::File, sync::Mutex};

use thiserror::Error;

use super::scalar::{Weight, Weights};
use super::{KK_ENTRIES, KKP_ENTRIES, Kind, Tables, numbers::NUMBERS};
use crate::types::Square;
use crate::util::{ZeroedPages, cores, for_each_part};

/// A table of weights and the names of its file, newer ones last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Table {
    names: [&'static str; 2],
    /// The sizes in bytes, and what they mean.
    sizes: [(u64, &'static str); 2],
}

const KK: Table = Table {
    names: ["KK_synthesized.bin", "KK.bin"],
    sizes: [(8 * KK_ENTRIES as u64, "32 bits"), (4 * KK_ENTRIES as u64, "16 bits")],
};

const KKP: Table = Table {
    names: ["KKP_synthesized.bin", "KKP.bin"],
    sizes: [(8 * KKP_ENTRIES as u64, "32 bits"), (4 * KKP_ENTRIES as u64, "16 bits")],
};

const KPP: Table = Table {
    names: ["KPP_synthesized.bin", "KPP.bin"],
    sizes: [
        (Kind::Kppt.kpp_bytes() as u64, "KPPT"),
        (Kind::KppKkpt.kpp_bytes() as u64, "KPP_KKPT"),
    ],
};

/// The names of the files of KK, KKP and KPP, as `YaneuraOu` reads them.
pub const SYNTHESIZED: [&str; 3] = [KK.names[0], KKP.names[0], KPP.names[0]];

/// The names of the files in a folder, as messages list them.
pub const NAMES: &str = "KK_synthesized.bin, KKP_synthesized.bin and KPP_synthesized.bin, \
                         or KKP.bin and KPP.bin";

/// Why a folder of three-piece files cannot be used: the file, and what is wrong with it.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct KpptError(String);

impl KpptError {
    fn of_file(name: &str, error: &io::Error) -> Self {
        Self(format!("{name}: {error}"))
    }
}

impl Table {
    /// The path of the file in a folder and its name there.
    fn find(&self, folder: &Path) -> Option<(PathBuf, &'static str)> {
        let paths = self.names.map(|name| (folder.join(name), name));
        paths.into_iter().find(|(path, _)| path.is_file())
    }

    /// The name of a file that differs from that of the table in upper and lower case only.
    fn misnamed(&self, folder: &Path) -> Option<String> {
        let entries = folder.read_dir().into_iter().flatten().flatten();
        let mut names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        let is_like = |name: &String| {
            let mut known = self.names.iter();
            known.any(|known| known.eq_ignore_ascii_case(name))
        };
        names.find(is_like)
    }

    /// The error that the file is missing.
    fn missing(&self, folder: &Path) -> KpptError {
        let found = self.misnamed(folder);
        let found = found.map(|found| format!(" (the file {found} is named otherwise)"));
        let name = self.names[0];
        KpptError(format!("{name} is missing{}", found.unwrap_or_default()))
    }

    /// The file in a folder, whose size is one of the known ones.
    fn open(&self, folder: &Path) -> Result<Found, KpptError> {
        let (path, name) = self.find(folder).ok_or_else(|| self.missing(folder))?;
        let metadata = path.metadata();
        let found = metadata.map_err(|error| KpptError::of_file(name, &error))?.len();
        let size = self.sizes.iter().position(|&(size, _)| size == found);
        let size = size.ok_or_else(|| {
            let known = self.sizes.map(|(size, meaning)| format!("{size} ({meaning})"));
            let known = known.join(" or ");
            KpptError(format!("{name} has {found} bytes, expected {known}"))
        })?;
        Ok(Found { path, name, size })
    }
}

/// A file of a known size.
struct Found {
    path: PathBuf,
    name: &'static str,
    /// Index into the sizes of the table.
    size: usize,
}

impl Found {
    /// Whether it has the second known size: 16 bits, or for KPP the board part only.
    fn is_second_size(&self) -> bool {
        self.size == 1
    }

    /// Reads the file by a function of the path and [`Self::is_second_size`].
    fn read<T>(&self, read: impl FnOnce(&Path, bool) -> io::Result<T>) -> Result<T, KpptError> {
        read(&self.path, self.is_second_size())
            .map_err(|error| KpptError::of_file(self.name, &error))
    }
}

/// The three-piece files in a folder, in the order KK, KKP, KPP; empty where it has none.
pub fn files_in(folder: &Path) -> Vec<PathBuf> {
    let tables = [KK, KKP, KPP];
    let paths = tables.iter().filter_map(|table| table.find(folder));
    paths.map(|(path, _)| path).collect()
}

impl Tables {
    /// Reads the three-piece files in a folder, with all cores.
    ///
    /// # Errors
    /// A file is missing, has a wrong size or cannot be read, or there is not enough memory.
    pub fn open(folder: &Path) -> Result<(Self, Option<String>), KpptError> {
        // Every file is looked at before the first one is read.
        let kings_and_piece = KKP.open(folder)?;
        let pairs = KPP.open(folder)?;
        let kk = if KK.find(folder).is_some() {
            KK.open(folder)?.read(read_kk)?
        } else if kings_and_piece.is_second_size() {
            vec![[0; 2]; KK_ENTRIES]
        } else if KK.misnamed(folder).is_some() {
            return Err(KK.missing(folder));
        } else {
            let name = KK.names[0];
            return Err(KpptError(format!("{name} is missing, without which KKP has 16 bits")));
        };
        let kind = if pairs.is_second_size() { Kind::KppKkpt } else { Kind::Kppt };
        let mut kkp = pages(KKP_ENTRIES)?;
        kings_and_piece.read(|path, is_narrow| read_kkp(path, is_narrow, &mut kkp))?;
        let mut kpp = pages(kind.kpp_bytes() / 2)?;
        pairs.read(|path, _| read_kpp(path, &mut kpp))?;
        let tables = Self { kind, kk, kkp, kpp };
        let warning = asymmetric(&tables);
        Ok((tables, warning))
    }
}

/// Memory for a table.
fn pages<T: bytemuck::Zeroable>(length: usize) -> Result<ZeroedPages<T>, KpptError> {
    let megabytes = (length * size_of::<T>()) >> 20;
    ZeroedPages::on_demand(length)
        .map_err(|error| KpptError(format!("no memory for {megabytes} MB of weights: {error}")))
}

fn read_kk(path: &Path, is_16_bits: bool) -> io::Result<Vec<Weight>> {
    let mut weights = vec![[0; 2]; KK_ENTRIES];
    read_weights(&mut File::open(path)?, is_16_bits, &mut weights)?;
    Ok(weights)
}

fn read_kkp(path: &Path, is_16_bits: bool, table: &mut [Weight]) -> io::Result<()> {
    let bytes = if is_16_bits { 4 } else { 8 };
    in_parts(path, bytes, table, |file, part| read_weights(file, is_16_bits, part))
}

fn read_kpp(path: &Path, table: &mut [i16]) -> io::Result<()> {
    in_parts(path, 2, table, |file, part| {
        file.read_exact(bytemuck::cast_slice_mut(part))?;
        for word in part {
            *word = i16::from_le(*word);
        }
        Ok(())
    })
}

/// Reads weights of two numbers each.
fn read_weights(file: &mut File, is_16_bits: bool, weights: &mut [Weight]) -> io::Result<()> {
    if is_16_bits {
        let mut words = vec![0_i16; 2 * weights.len()];
        file.read_exact(bytemuck::cast_slice_mut(&mut words))?;
        for (weight, words) in weights.iter_mut().zip(words.chunks_exact(2)) {
            *weight = [words[0], words[1]].map(|word| i32::from(i16::from_le(word)));
        }
    } else {
        file.read_exact(bytemuck::cast_slice_mut(weights))?;
        for number in weights.as_flattened_mut() {
            *number = i32::from_le(*number);
        }
    }
    Ok(())
}

/// Entries that are read at a time: some megabytes.
const CHUNK: usize = 1 << 20;

/// Reads a table of entries of `bytes` bytes in the file, in parts on all cores.
fn in_parts<T: Send>(
    path: &Path,
    bytes: u64,
    table: &mut [T],
    read: impl Fn(&mut File, &mut [T]) -> io::Result<()> + Sync,
) -> io::Result<()> {
    let length = table.len().div_ceil(cores());
    let result = Mutex::new(Ok(()));
    let parts = table.chunks_mut(length).enumerate();
    for_each_part(parts, |(index, part)| {
        let mut read_part = || {
            let mut file = File::open(path)?;
            file.seek(SeekFrom::Start((index * length) as u64 * bytes))?;
            part.chunks_mut(CHUNK).try_for_each(|chunk| read(&mut file, chunk))
        };
        if let Err(error) = read_part() {
            *result.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Err(error);
        }
    })?;
    result.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Weights that are looked at for each king.
const SAMPLE: usize = 64;

/// A warning where a weight of a sample differs from the one with its pieces exchanged: the value
/// of a position then depends on the moves that led to it.
fn asymmetric(tables: &Tables) -> Option<String> {
    let pieces = |index: usize| {
        // Odd factors, so that the sample spreads over all pieces.
        let one = 1 + index * 389 % (NUMBERS - 1);
        let other = 1 + index * 977 % (NUMBERS - 1);
        (one, other)
    };
    let kings = 0..Square::NUM;
    kings
        .flat_map(|king| (0..SAMPLE).map(move |index| (king, pieces(king * SAMPLE + index))))
        .filter(|(_, (one, other))| one != other)
        .find(|&(king, (one, other))| tables.kpp(king, one, other) != tables.kpp(king, other, one))
        .map(|(king, (one, other))| {
            format!(
                "KPP is not symmetric, [{king}][{one}][{other}] differs from \
                 [{king}][{other}][{one}]; values depend on the moves made"
            )
        })
}
