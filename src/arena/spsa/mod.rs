//! Simultaneous perturbation stochastic approximation (SPSA): tunes numeric parameters by games.
