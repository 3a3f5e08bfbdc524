//! `raicho learn --kind kppt`: the options of a three-piece evaluation, and its files.

use std::io::Write as _;
use std::path::Path;

use anyhow::Context;
use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};

use crate::cli::output;
use crate::cli::usage::ensure_usage;
use crate::eval::kppt::Kind;
use crate::train::kppt_folder::{self, Layout};
use crate::train::learn::Run as _;
use crate::train::learn::kppt::{Factors, KingConstants, Learner, Options};

/// The options of `--kind kppt`.
#[derive(Args)]
#[command(next_help_heading = "Three-piece evaluation (--kind kppt)")]
pub(super) struct ThreePieceArguments {
    /// Factors of which each weight is the sum, separated by commas: kpp, relative-kpp, rank-pp,
    /// pp, relative-pp (two pieces); kkp, kp, relative-kp (one piece); kk [default: all]
    #[arg(long, value_name = "LIST")]
    factors: Option<Factors>,

    /// Values of kings by their squares [default: learnt]
    #[arg(long, value_enum)]
    king_constants: Option<KingsChoice>,

    /// Write KK as 0 and spread it over KKP, a 38th to each piece
    #[arg(long)]
    spread_kings: bool,

    /// Bits of the numbers of KK and KKP in the files; Apery has had 16 since April 2017, which
    /// `YaneuraOu` does not read [default: 32]
    #[arg(long, value_parser = ["16", "32"])]
    king_bits: Option<String>,

    /// Write KPP without the turn part (`KPP_KKPT`): half the size
    #[arg(long)]
    kpp_kkpt: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum KingsChoice {
    /// There are none
    Zero,
    /// They are learnt
    Learnt,
    /// Apery's table of 2015, set by hand; all else is learnt around it
    Apery,
}

/// What the files of a finished run are like.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(super) struct FileOptions {
    /// KK is written as 0 and spread over KKP.
    pub(super) spread_kings: bool,
    /// The numbers of KK and KKP have 16 bits.
    pub(super) narrow_kings: bool,
    /// KPP has no turn part.
    pub(super) kpp_kkpt: bool,
}

impl ThreePieceArguments {
    /// Checks that no option is given, for another kind of evaluation.
    pub(super) fn check_unused(&self) -> anyhow::Result<()> {
        let given = [
            (self.factors.is_some(), "--factors"),
            (self.king_constants.is_some(), "--king-constants"),
            (self.spread_kings, "--spread-kings"),
            (self.king_bits.is_some(), "--king-bits"),
            (self.kpp_kkpt, "--kpp-kkpt"),
        ];
        let given = given.into_iter().find(|(is_given, _)| *is_given);
        ensure_usage!(
            given.is_none(),
            "{} needs --kind kppt",
            given.map_or("", |(_, name)| name)
        );
        Ok(())
    }

    /// What is learnt.
    pub(super) fn options(&self) -> Options {
        Options {
            factors: self.factors.unwrap_or(Factors::ALL),
            kings: match self.king_constants {
                Some(KingsChoice::Zero) => KingConstants::Zero,
                None | Some(KingsChoice::Learnt) => KingConstants::Learnt,
                Some(KingsChoice::Apery) => KingConstants::Apery,
            },
        }
    }

    /// What is written.
    pub(super) fn file_options(&self) -> FileOptions {
        FileOptions {
            spread_kings: self.spread_kings,
            narrow_kings: self.king_bits.as_deref() == Some("16"),
            kpp_kkpt: self.kpp_kkpt,
        }
    }
}

impl FileOptions {
    /// Writes the files of a finished run.
    pub(super) fn export(self, learner: &Learner<'_>, folder: &Path) -> anyhow::Result<()> {
        let layout = Layout {
            kind: if self.kpp_kkpt {
                Kind::KppKkpt
            } else {
                Kind::Kppt
            },
            is_narrow: self.narrow_kings,
        };
        let weights = learner.folded(self.spread_kings);
        let saturated = kppt_folder::write(folder, &weights, layout)
            .with_context(|| folder.display().to_string())?;
        let mut out = output::stdout();
        writeln!(out, "{saturated}")?;
        if let Some(point) = learner.points().last() {
            let held_out = point.held_out.map(|loss| format!(", held out {loss:.6}"));
            let held_out = held_out.unwrap_or_default();
            writeln!(out, "loss {:.6}{held_out}", point.training)?;
        }
        writeln!(out, "{}", folder.display())?;
        Ok(())
    }
}
