//! What the tests of several modules need.

use std::sync::LazyLock;

use conversation::workspace::History;

/// Nothing was said before.
pub(crate) fn no_history() -> &'static History {
    static NONE: LazyLock<History> = LazyLock::new(Default::default);
    &NONE
}
