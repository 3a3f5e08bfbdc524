//! Making opening books: from games, by search, by minimax over the graph of a book.
