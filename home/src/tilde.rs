//! Paths as people type them.

use std::env::home_dir;
use std::path::{Path, PathBuf};

/// The path that `typed` means: `~`, or `~/` before the rest, is the folder of whoever runs this.
#[must_use]
pub fn with_tilde(typed: &str) -> PathBuf {
    let rest = if typed == "~" { Some("") } else { typed.strip_prefix("~/") };
    match (rest, home_dir()) {
        (Some(rest), Some(own)) => own.join(rest),
        _ => Path::new(typed).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_tilde_that_stands_for_the_own_folder_is_replaced() {
        let own = home_dir().unwrap();
        assert_eq!(with_tilde("~/papers"), own.join("papers"));
        assert_eq!(with_tilde("~"), own);
        for other in ["~ann/papers", "papers/~", "/papers", ""] {
            assert_eq!(with_tilde(other), Path::new(other));
        }
    }
}
