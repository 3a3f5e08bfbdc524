//! What results are worth: Elo with an error bar, the likelihood of superiority.
