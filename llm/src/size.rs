//! How large a model is, as its server has counted or its name tells.

use std::sync::LazyLock;

use regex::Regex;

/// From how many parameters on a model counts what a message asks for by itself. Measured on half a billion
/// (`cargo xtask eval`).
const LARGE: f64 = 4e9;

/// The number of parameters in a name: `qwen2.5:3b`, `Qwen2.5-Coder-0.5B-Instruct`, `gemma3:270m`.
static PARAMETERS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i)(?:^|[^a-z0-9.])(\d+(?:\.\d+)?)([bm])(?:$|[^a-z0-9])").ok());

/// Whether a model of so many parameters, or of this name if nobody has counted, is small. One whose name does not say is
/// taken for large.
#[must_use]
pub fn is_small(counted: Option<u64>, name: &str) -> bool {
    counted.or_else(|| parameters(name)).is_some_and(|parameters| (parameters as f64) < LARGE)
}

/// How many parameters a name or a file's name says that a model has.
#[must_use]
pub(crate) fn parameters(name: &str) -> Option<u64> {
    let found = PARAMETERS.as_ref()?.captures(name)?;
    let number: f64 = found.get(1)?.as_str().parse().ok()?;
    let unit = if found.get(2)?.as_str().eq_ignore_ascii_case("m") { 1e6 } else { 1e9 };
    Some((number * unit) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_sizes() {
        for small in [
            "qwen2.5:3b",
            "Qwen2.5-Coder-0.5B-Instruct",
            "gemma3:270m",
            "llama3.2:1B",
            "/m/x-1.5b-q4.gguf",
        ] {
            assert!(is_small(None, small), "{small}");
        }
        for large in [
            "llama3.1:8B",
            "gpt-4o-mini",
            "phi3:mini",
            "qwen2.5:14b",
            "mixtral-8x7b",
            "q05.gguf",
            "",
        ] {
            assert!(!is_small(None, large), "{large}");
        }
    }
}
