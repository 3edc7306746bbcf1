//! `/forget KEY`: forgets one thing that is remembered.

use std::sync::Arc;

use super::memory::Wish;
use super::perform::Read;

pub(super) fn read(key: &str) -> Read {
    match key {
        "" => Err("say what to forget: /forget KEY".to_owned()),
        key => Ok(Arc::new(Wish::Forget(key.to_owned()))),
    }
}
