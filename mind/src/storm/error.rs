//! Why a storm does not do what it was told.

use std::path::PathBuf;

use document::SaveError;
use home::FileError;
use storm::PremiseError;
use storm_runner::{RunError, ShelfError};

use super::casting::CastingError;

/// An error of a storm, for whoever gave the command. Every text says what to do.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct StormError(Why);

#[derive(Debug, thiserror::Error)]
enum Why {
    #[error(transparent)]
    Shelf(#[from] ShelfError),
    #[error(transparent)]
    Casting(#[from] CastingError),
    #[error(transparent)]
    Run(#[from] RunError),
    #[error(transparent)]
    Premise(#[from] PremiseError),
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Save(#[from] SaveError),
    #[error(transparent)]
    System(#[from] std::io::Error),
    #[error("{} can't be the folder of storms: {why}", folder.display())]
    Folder { folder: PathBuf, why: &'static str },
}

impl<E: Into<Why>> From<E> for StormError {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

impl StormError {
    /// The folder that was named can't be used.
    pub fn folder(folder: PathBuf, why: &'static str) -> Self {
        Self(Why::Folder { folder, why })
    }
}
