//! How large a model is, as far as its name tells.

use std::sync::LazyLock;

use regex::Regex;

/// From how many billions of parameters on a model counts what a message asks for by itself. Measured on 0.5 and 1.5
/// (`cargo xtask eval`); 7 and 8 need no help.
const LARGE: f64 = 4.0;

/// The number of parameters in a name: `qwen2.5:3b`, `Qwen2.5-Coder-0.5B-Instruct`, `gemma3:270m`.
static PARAMETERS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i)(?:^|[^a-z0-9.])(\d+(?:\.\d+)?)([bm])(?:$|[^a-z0-9])").ok());

/// Whether its name says that it is small. One that does not say is taken for large.
#[must_use]
pub(super) fn is_small(name: &str) -> bool {
    billions(name).is_some_and(|billions| billions < LARGE)
}

fn billions(name: &str) -> Option<f64> {
    let found = PARAMETERS.as_ref()?.captures(name)?;
    let number: f64 = found.get(1)?.as_str().parse().ok()?;
    let millions = found.get(2)?.as_str().eq_ignore_ascii_case("m");
    Some(if millions { number / 1000.0 } else { number })
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
            assert!(is_small(small), "{small}");
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
            assert!(!is_small(large), "{large}");
        }
    }
}
