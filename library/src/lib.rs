//! Papers as searched passages.
//!
//! The way of the data is the order of the modules: bytes of a file are [parsed](parse) into a
//! [`Document`] of sections, [chunked](chunk) into passages, and [stored](store) under a [`Role`]. Any
//! text is then a [query], which finds the passages that its [`Reader`] may see, [ranked](rank) by words,
//! by use and age, and by [meaning](vectors) where an embedder is set.
//!
//! Nothing here opens the network or chooses a folder: the caller hands over bytes and the one folder that
//! holds the index. The texts in that folder are the truth, and the database beside them is a cache: what
//! breaks it is mended from the texts ([`Library::rebuild`]).

pub mod charset;
pub mod chunk;
mod document;
mod element;
mod error;
mod item;
pub mod parse;
pub mod query;
pub mod rank;
mod role;
pub mod store;
pub mod tags;
pub mod vectors;

pub use document::{Document, Pages, Section};
pub use element::Element;
pub use error::{LibraryError, ParseError};
pub use item::Item;
pub use role::{Reader, Role};
pub use store::{Hit, Library, Search, Unembedded};
