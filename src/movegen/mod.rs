//! Move generation by kind of move.
//!
//! One generator walks over pieces and hands and passes sets of targets to a [`Sink`], which
//! appends moves to a list, counts them (perft) or keeps only checks. Captures, quiets, evasions
//! and checks are pseudo-legal, as [`Position::pseudo_legal`] defines it. [`legal`] is strictly
//! legal at little more cost, because pinned pieces and the squares that a king cannot enter are
//! sets as well. Nothing allocates.
//!
//! `ALL` adds the inferior non-promotions: of pawn, bishop and rook everywhere, of the lance on
//! its second-last rank.

pub mod perft;

use arrayvec::ArrayVec;

use crate::bitboard::silver_attacks;
use crate::bitboard::{Bitboard, between, bishop_attacks, gold_attacks, king_attacks};
use crate::bitboard::{
    knight_attacks, lance_attacks, lance_line, line, pawn_attacks, rook_attacks,
};
use crate::position::{Board, KingThreats, Position};
use crate::types::{Color, Move, MoveList, Piece, PieceType, Square, for_side};

/// All legal moves, inferior non-promotions included.
pub fn legal_moves(position: &Position) -> MoveList {
    let mut moves = MoveList::new();
    legal::<true>(position, &mut moves);
    moves
}

/// Appends the legal moves.
pub fn legal<const ALL: bool>(position: &Position, moves: &mut MoveList) {
    let threats = position.king_threats(position.side_to_move());
    generate_legal::<_, ALL>(position.board(), threats, moves);
}

/// Appends the legal moves on a board without a history.
pub fn legal_on_board<const ALL: bool>(board: &Board, moves: &mut MoveList) {
    let threats = board.king_threats(board.side_to_move());
    generate_legal::<_, ALL>(board, &threats, moves);
}

/// Appends the pseudo-legal captures. Not for positions in check: use [`evasions`].
pub fn captures<const ALL: bool>(position: &Position, moves: &mut MoveList) {
    let board = position.board();
    for_side!(board.side_to_move(), |us| {
        Generator::<_, ALL>::pseudo_legal(board, us, moves).captures(board.color(!us));
    });
}

/// Appends the pseudo-legal moves that do not capture, and the drops. Not for positions in check:
/// use [`evasions`].
pub fn quiets<const ALL: bool>(position: &Position, moves: &mut MoveList) {
    quiets_into::<_, ALL>(position, moves);
}

/// Passes the moves of [`quiets`] to any sink.
#[inline(always)]
pub fn quiets_into<S: Sink, const ALL: bool>(position: &Position, sink: &mut S) {
    let board = position.board();
    for_side!(board.side_to_move(), |us| {
        Generator::<_, ALL>::pseudo_legal(board, us, sink).quiets(!board.occupied());
    });
}

/// Appends the pseudo-legal answers to a check: captures of the checker, interpositions, and king
/// moves, which are legal.
pub fn evasions<const ALL: bool>(position: &Position, moves: &mut MoveList) {
    let board = position.board();
    for_side!(board.side_to_move(), |us| {
        let generator = Generator::<_, ALL>::pseudo_legal(board, us, moves);
        evade(generator, board, position.checkers());
    });
}

/// Appends the pseudo-legal moves that give check, in and out of check.
pub fn checks<const ALL: bool>(position: &Position, moves: &mut MoveList) {
    let board = position.board();
    let us = board.side_to_move();
    let Some(enemy_king) = board.king(!us) else {
        return;
    };
    let threats = position.king_threats(!us);
    let mut sink = ChecksOnly::new(board, enemy_king, threats.blockers, moves);
    let mut generator = Generator::<_, ALL>::pseudo_legal(board, us, &mut sink);
    if position.in_check() {
        evade(generator, board, position.checkers());
    } else {
        generator.captures(board.color(!us));
        generator.quiets(!board.occupied());
    }
}

#[inline(always)]
fn evade<S: Sink, const ALL: bool>(
    mut generator: Generator<'_, S, ALL>,
    board: &Board,
    checkers: Bitboard,
) {
    let us = generator.us;
    let Some(king) = board.king(us) else { return };
    generator.king(king, legal_king_targets(board, us, king));
    if let Some(targets) = single_check_targets(king, checkers) {
        generator.pieces::<true>(targets | checkers);
        generator.drops(targets, targets);
    }
}

/// The squares between king and checker; `None` for a double check.
fn single_check_targets(king: Square, checkers: Bitboard) -> Option<Bitboard> {
    let checker = checkers.first()?;
    (!checkers.has_several()).then(|| between(king, checker))
}

/// Generates the legal moves. `threats` are those to the king of the side to move.
#[inline(always)]
fn generate_legal<S: Sink, const ALL: bool>(board: &Board, threats: &KingThreats, sink: &mut S) {
    for_side!(board.side_to_move(), |us| generate_legal_for::<_, ALL>(board, us, threats, sink));
}

#[inline(always)]
fn generate_legal_for<S: Sink, const ALL: bool>(
    board: &Board,
    us: Color,
    threats: &KingThreats,
    sink: &mut S,
) {
    let own = board.color(us);
    let mut generator =
        Generator::<_, ALL> { board, us, pinned: threats.blockers & own, sink: &mut *sink };
    let occupied = board.occupied();
    let mut targets = (!own, !occupied);
    if let Some(king) = board.king(us)
        && threats.checkers.is_any()
    {
        targets = match single_check_targets(king, threats.checkers) {
            Some(blocking) => (blocking | threats.checkers, blocking),
            None => (Bitboard::EMPTY, Bitboard::EMPTY),
        };
    }
    generator.pieces::<false>(targets.0);
    if let Some(king) = board.king(us) {
        generator.king(king, legal_king_targets(board, us, king));
    }
    if !board.hand(us).is_empty() {
        generator.drops(targets.1, targets.1 - mating_pawn_drop(board, us, targets.1));
    }
}

#[inline(always)]
fn legal_king_targets(board: &Board, us: Color, king: Square) -> Bitboard {
    let targets = king_attacks(king) - board.color(us);
    if targets.is_empty() {
        return targets;
    }
    targets - board.attacked_around(!us, king, board.occupied() - Bitboard::of(king))
}

/// The square where a pawn drop would mate, if it is among `targets`.
#[inline(always)]
fn mating_pawn_drop(board: &Board, us: Color, targets: Bitboard) -> Bitboard {
    let Some(enemy_king) = board.king(!us) else {
        return Bitboard::EMPTY;
    };
    // A pawn of ours checks from the square that a pawn of theirs on the king's square attacks.
    let checking = pawn_attacks(!us, enemy_king) & targets;
    if checking.is_empty() || !can_drop_pawn(board, us, checking) {
        return Bitboard::EMPTY;
    }
    mating_pawn_drop_slow(board, us, checking)
}

#[cold]
fn mating_pawn_drop_slow(board: &Board, us: Color, checking: Bitboard) -> Bitboard {
    let threats = board.king_threats(!us);
    match checking.first() {
        Some(to) if board.is_pawn_drop_mate(us, to, &threats) => checking,
        _ => Bitboard::EMPTY,
    }
}

/// Whether `us` has a pawn in hand and none on the file of `square` (a set of one square).
#[inline(always)]
fn can_drop_pawn(board: &Board, us: Color, square: Bitboard) -> bool {
    board.hand(us).has(PieceType::Pawn)
        && !board.pieces(us, PieceType::Pawn).fill_files().intersects(square)
}

// --- The walk over pieces and hands that all kinds of generation share ---

/// Generates moves of the side to move of `board` into `sink`.
struct Generator<'a, S: Sink, const ALL: bool> {
    board: &'a Board,
    us: Color,
    /// Pieces that may move only along the line to their king; empty for pseudo-legal generation.
    pinned: Bitboard,
    sink: &'a mut S,
}

impl<'a, S: Sink, const ALL: bool> Generator<'a, S, ALL> {
    /// A generator of the moves of `us`, the side to move, that ignores pins and king safety.
    #[inline(always)]
    fn pseudo_legal(board: &'a Board, us: Color, sink: &'a mut S) -> Self {
        Self { board, us, pinned: Bitboard::EMPTY, sink }
    }

    /// All board moves onto `targets`, which the enemy occupies.
    #[inline(always)]
    fn captures(&mut self, targets: Bitboard) {
        self.pieces::<true>(targets);
        self.king_moves(targets);
    }

    /// All moves and drops onto `targets`, which are empty.
    #[inline(always)]
    fn quiets(&mut self, targets: Bitboard) {
        self.pieces::<false>(targets);
        self.king_moves(targets);
        self.drops(targets, targets);
    }

    #[inline(always)]
    fn king_moves(&mut self, targets: Bitboard) {
        if let Some(king) = self.board.king(self.us) {
            self.king(king, targets);
        }
    }

    /// King moves onto `targets`.
    #[inline(always)]
    fn king(&mut self, king: Square, targets: Bitboard) {
        let piece = Piece::new(self.us, PieceType::King);
        self.sink.board_moves(king, piece, king_attacks(king) & targets, Bitboard::EMPTY);
    }

    /// Moves of all pieces but the king onto `targets`. With `FEW` targets, skips the pieces that
    /// step and stand too far from all of them.
    #[inline(always)]
    fn pieces<const FEW: bool>(&mut self, targets: Bitboard) {
        let (board, us) = (self.board, self.us);
        let occupied = board.occupied();
        let movable = board.color(us) - self.pinned;
        let (knights, steppers) = if FEW {
            let ahead = targets.forward(!us).forward(!us);
            let near = targets | targets.forward(us) | targets.forward(!us);
            (
                (ahead.left() | ahead.right()) & movable,
                (near | near.left() | near.right()) & movable,
            )
        } else {
            (movable, movable)
        };

        self.pawns(board.kind(PieceType::Pawn) & movable, targets);
        for from in board.kind(PieceType::Lance) & movable {
            self.moves_of::<FEW>(
                PieceType::Lance,
                from,
                lance_attacks(us, from, occupied) & targets,
            );
        }
        for from in board.kind(PieceType::Knight) & knights {
            self.moves_of::<FEW>(PieceType::Knight, from, knight_attacks(us, from) & targets);
        }
        for from in board.kind(PieceType::Silver) & steppers {
            self.moves_of::<FEW>(PieceType::Silver, from, silver_attacks(us, from) & targets);
        }
        for from in board.golds() & steppers {
            self.gold_moves::<FEW>(from, gold_attacks(us, from) & targets);
        }
        for from in board.kind(PieceType::Bishop) & movable {
            self.moves_of::<FEW>(PieceType::Bishop, from, bishop_attacks(from, occupied) & targets);
        }
        for from in board.kind(PieceType::Rook) & movable {
            self.moves_of::<FEW>(PieceType::Rook, from, rook_attacks(from, occupied) & targets);
        }
        for from in board.kind(PieceType::Horse) & movable {
            let attacks = bishop_attacks(from, occupied) | king_attacks(from);
            self.moves_of::<FEW>(PieceType::Horse, from, attacks & targets);
        }
        for from in board.kind(PieceType::Dragon) & movable {
            let attacks = rook_attacks(from, occupied) | king_attacks(from);
            self.moves_of::<FEW>(PieceType::Dragon, from, attacks & targets);
        }
        if self.pinned.is_any() {
            self.pinned_pieces(targets);
        }
    }

    #[cold]
    fn pinned_pieces(&mut self, targets: Bitboard) {
        let Some(king) = self.board.king(self.us) else {
            return;
        };
        for from in self.pinned {
            let Some(piece) = self.board.piece_on(from) else {
                continue;
            };
            let attacks = self.board.attacks_of(piece, from, self.board.occupied());
            self.moves_of::<true>(piece.kind(), from, attacks & targets & line(king, from));
        }
    }

    #[inline(always)]
    fn pawns(&mut self, pawns: Bitboard, targets: Bitboard) {
        let us = self.us;
        let to = pawns.forward(us) & targets;
        let promoting = to & Bitboard::promotion_zone(us);
        let plain = if ALL { to - Bitboard::far_ranks(us, 1) } else { to - promoting };
        self.sink.pawn_steps(us, plain, promoting);
    }

    /// Passes on the moves of one piece from `from` to `to`, split by promotion.
    #[inline(always)]
    fn moves_of<const FEW: bool>(&mut self, kind: PieceType, from: Square, to: Bitboard) {
        if FEW && to.is_empty() {
            return;
        }
        let us = self.us;
        let piece = Piece::new(us, kind);
        if kind.promoted().is_none() {
            self.sink.board_moves(from, piece, to, Bitboard::EMPTY);
            return;
        }
        let zone = Bitboard::promotion_zone(us);
        let promoting = if zone.contains(from) { to } else { to & zone };
        let plain = match kind {
            PieceType::Pawn | PieceType::Bishop | PieceType::Rook if !ALL => to - promoting,
            PieceType::Lance if !ALL => to - Bitboard::far_ranks(us, 2),
            _ => to - Bitboard::far_ranks(us, kind.dead_end_ranks()),
        };
        self.sink.board_moves(from, piece, plain, promoting);
    }

    #[inline(always)]
    fn gold_moves<const FEW: bool>(&mut self, from: Square, to: Bitboard) {
        if FEW && to.is_empty() {
            return;
        }
        // Generation treats the five kinds alike; only the encoded move needs the kind.
        let kind = self.board.piece_on(from).map_or(PieceType::Gold, Piece::kind);
        debug_assert!(kind.moves_as_gold());
        self.sink.board_moves(from, Piece::new(self.us, kind), to, Bitboard::EMPTY);
    }

    /// Drops of pawns onto `pawn_targets` and of other pieces onto `targets`, which are all empty.
    #[inline(always)]
    fn drops(&mut self, targets: Bitboard, pawn_targets: Bitboard) {
        let (board, us) = (self.board, self.us);
        let hand = board.hand(us);
        if hand.has(PieceType::Pawn) {
            let files = board.pieces(us, PieceType::Pawn).fill_files();
            let open = pawn_targets - files - Bitboard::far_ranks(us, 1);
            self.sink.drops(us, &[PieceType::Pawn], open);
        }
        if !hand.has_more_than_pawns() || targets.is_empty() {
            return;
        }
        if hand.has(PieceType::Lance) {
            self.sink.drops(us, &[PieceType::Lance], targets - Bitboard::far_ranks(us, 1));
        }
        if hand.has(PieceType::Knight) {
            self.sink.drops(us, &[PieceType::Knight], targets - Bitboard::far_ranks(us, 2));
        }
        let kinds: ArrayVec<PieceType, 4> =
            PieceType::DROPPED_ANYWHERE.into_iter().filter(|&kind| hand.has(kind)).collect();
        self.sink.drops(us, &kinds, targets);
    }
}

// --- Receivers of generated moves ---

/// Receives sets of moves from the generator: lists append them, perft counts them, the search
/// scores them.
pub trait Sink {
    /// `piece` moves from `from` to each of `plain`, and to each of `promoting` with promotion.
    fn board_moves(&mut self, from: Square, piece: Piece, plain: Bitboard, promoting: Bitboard);

    /// Pawns of `us` advance onto each of `plain`, and onto each of `promoting` with promotion.
    fn pawn_steps(&mut self, us: Color, plain: Bitboard, promoting: Bitboard);

    /// `us` drops one of each of `kinds` onto each of `targets`.
    fn drops(&mut self, us: Color, kinds: &[PieceType], targets: Bitboard);
}

impl Sink for MoveList {
    #[inline(always)]
    fn board_moves(&mut self, from: Square, piece: Piece, plain: Bitboard, promoting: Bitboard) {
        plain.into_iter().for_each(|to| self.push(Move::normal(from, to, piece)));
        if promoting.is_any() {
            let Some(promoted) = piece.promoted() else {
                return;
            };
            promoting.into_iter().for_each(|to| self.push(Move::promotion(from, to, promoted)));
        }
    }

    #[inline(always)]
    fn pawn_steps(&mut self, us: Color, plain: Bitboard, promoting: Bitboard) {
        let pawn = Piece::new(us, PieceType::Pawn);
        let promoted = Piece::new(us, PieceType::ProPawn);
        plain.into_iter().for_each(|to| self.push(Move::normal(behind(to, us), to, pawn)));
        promoting
            .into_iter()
            .for_each(|to| self.push(Move::promotion(behind(to, us), to, promoted)));
    }

    #[inline(always)]
    fn drops(&mut self, us: Color, kinds: &[PieceType], targets: Bitboard) {
        for &kind in kinds {
            let piece = Piece::new(us, kind);
            targets.into_iter().for_each(|to| self.push(Move::drop(piece, to)));
        }
    }
}

/// The square from which a pawn of `us` advances to `to`, which must not be on the rank nearest to
/// `us`.
#[inline(always)]
pub fn behind(to: Square, us: Color) -> Square {
    let index = match us {
        Color::Black => to.index() + 1,
        Color::White => to.index().wrapping_sub(1),
    };
    // The clamp never applies; it shows the compiler that the index is in range.
    Square::ALL[index.min(Square::NUM - 1)]
}

/// Counts moves without writing them.
#[derive(Default)]
struct Counter(usize);

impl Sink for Counter {
    #[inline(always)]
    fn board_moves(&mut self, _: Square, _: Piece, plain: Bitboard, promoting: Bitboard) {
        self.0 += plain.count() + promoting.count();
    }

    #[inline(always)]
    fn pawn_steps(&mut self, _: Color, plain: Bitboard, promoting: Bitboard) {
        self.0 += plain.count() + promoting.count();
    }

    #[inline(always)]
    fn drops(&mut self, _: Color, kinds: &[PieceType], targets: Bitboard) {
        self.0 += kinds.len() * targets.count();
    }
}

// --- A filter for moves that give check, applied to sets instead of single moves ---

/// By kind: the squares from which a piece of the side to move gives check directly.
#[derive(Clone, Debug)]
pub struct CheckSquares([Bitboard; PieceType::NUM]);

impl CheckSquares {
    /// No piece gives check: there is no king.
    pub const NONE: Self = Self([Bitboard::EMPTY; PieceType::NUM]);

    /// The squares from which the side to move attacks `king`, with the current occupancy.
    #[inline]
    pub fn new(board: &Board, king: Square) -> Self {
        let us = board.side_to_move();
        let occupied = board.occupied();
        let bishop = bishop_attacks(king, occupied);
        let rook = rook_attacks(king, occupied);
        let neighbours = king_attacks(king);
        let gold = gold_attacks(!us, king);
        let mut squares = [gold; PieceType::NUM];
        squares[0] = Bitboard::EMPTY;
        squares[PieceType::Pawn.index()] = pawn_attacks(!us, king);
        squares[PieceType::Lance.index()] = lance_line(!us, king) & rook;
        squares[PieceType::Knight.index()] = knight_attacks(!us, king);
        squares[PieceType::Silver.index()] = silver_attacks(!us, king);
        squares[PieceType::Bishop.index()] = bishop;
        squares[PieceType::Rook.index()] = rook;
        squares[PieceType::King.index()] = Bitboard::EMPTY;
        squares[PieceType::Horse.index()] = bishop | neighbours;
        squares[PieceType::Dragon.index()] = rook | neighbours;
        Self(squares)
    }

    /// [`Self::new`] for the opponent's king, [`Self::NONE`] where it has none.
    #[inline]
    pub fn of_position(position: &Position) -> Self {
        let board = position.board();
        match board.king(!board.side_to_move()) {
            Some(king) => Self::new(board, king),
            None => Self::NONE,
        }
    }

    /// Whether a pseudo-legal move gives check directly, that is without a discovered check.
    #[inline(always)]
    pub fn is_direct(&self, mv: Move) -> bool {
        self.of(mv.piece().kind()).contains(mv.to())
    }

    /// The squares from which a piece of this kind gives check.
    #[inline(always)]
    pub fn of(&self, kind: PieceType) -> Bitboard {
        self.0[kind.index()]
    }
}

/// Passes on the moves that give check, directly or discovered.
struct ChecksOnly<'a, S: Sink> {
    king: Square,
    /// Pieces that discover a check when they leave the line to the king.
    blockers: Bitboard,
    squares: CheckSquares,
    sink: &'a mut S,
}

impl<'a, S: Sink> ChecksOnly<'a, S> {
    fn new(board: &Board, king: Square, blockers: Bitboard, sink: &'a mut S) -> Self {
        Self { king, blockers, squares: CheckSquares::new(board, king), sink }
    }

    fn direct(&self, kind: PieceType) -> Bitboard {
        self.squares.of(kind)
    }
}

impl<S: Sink> Sink for ChecksOnly<'_, S> {
    fn board_moves(&mut self, from: Square, piece: Piece, plain: Bitboard, promoting: Bitboard) {
        let uncovering =
            if self.blockers.contains(from) { !line(self.king, from) } else { Bitboard::EMPTY };
        let kind = piece.kind();
        let plain = plain & (self.direct(kind) | uncovering);
        let promoting = match kind.promoted() {
            Some(promoted) => promoting & (self.direct(promoted) | uncovering),
            None => Bitboard::EMPTY,
        };
        self.sink.board_moves(from, piece, plain, promoting);
    }

    fn pawn_steps(&mut self, us: Color, plain: Bitboard, promoting: Bitboard) {
        // A pawn stays on its file, so it discovers every check but one along the king's file.
        let uncovering = self.blockers.forward(us) - Bitboard::file(self.king.file());
        self.sink.pawn_steps(
            us,
            plain & (self.direct(PieceType::Pawn) | uncovering),
            promoting & (self.direct(PieceType::ProPawn) | uncovering),
        );
    }

    fn drops(&mut self, us: Color, kinds: &[PieceType], targets: Bitboard) {
        for &kind in kinds {
            self.sink.drops(us, &[kind], targets & self.direct(kind));
        }
    }
}
