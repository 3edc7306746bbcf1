//! Papers and conversations as searched passages.

pub mod charset;
pub mod tags;
