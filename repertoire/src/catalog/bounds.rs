//! What a skill may use of the machine: what its manifest asks for, within what the owner allows.

use sandbox::Limits;

use super::manifest::Bounds;
use crate::config::{LimitsConfig, size};

/// The largest answer, which a reply can still carry.
const OUTPUT: u64 = 1024 * 1024;

/// The bounds of one call beside its time.
///
/// # Errors
/// What can't be read, or is more than router/config.json allows.
pub(super) fn limits(asked: &Bounds, most: &LimitsConfig) -> Result<Limits, String> {
    let usual = Limits::default();
    let bytes = |key: &str, text: &Option<String>, usual: u64, most: u64| {
        let Some(text) = text else { return Ok(usual) };
        let bytes = size::read(text).map_err(|why| format!("limits.{key}: {why}"))?;
        within(key, bytes, most, size::written)
    };
    let count = |key: &str, asked: Option<u64>, usual: u64, most: u64| match asked {
        None => Ok(usual),
        Some(0) => Err(format!("limits.{key}: 0 leaves nothing at all")),
        Some(count) => within(key, count, most, |count| count.to_string()),
    };
    Ok(Limits {
        file_bytes: bytes("file", &asked.file, usual.file_bytes, most.file.bytes())?,
        scratch_bytes: bytes("scratch", &asked.scratch, usual.scratch_bytes, most.scratch.bytes())?,
        memory: bytes("memory", &asked.memory, usual.memory, most.memory.bytes())?,
        processes: count("processes", asked.processes, usual.processes, most.processes)?,
        files: count("files", asked.files, usual.files, most.files)?,
        output_bytes: match &asked.output {
            Some(_) => usize::try_from(bytes("output", &asked.output, 0, OUTPUT)?)
                .unwrap_or(usual.output_bytes),
            None => usual.output_bytes,
        },
        ..usual
    })
}

fn within(key: &str, asked: u64, most: u64, shown: fn(u64) -> String) -> Result<u64, String> {
    if asked <= most {
        return Ok(asked);
    }
    Err(format!(
        "limits.{key}: {} is more than the {} that router/config.json allows; if that is right, raise limits.{key} there",
        shown(asked),
        shown(most)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(toml: &str) -> Result<Limits, String> {
        limits(&toml::from_str(toml).unwrap(), &LimitsConfig::default())
    }

    #[test]
    fn what_is_not_asked_for_is_as_for_every_skill() {
        assert_eq!(of(""), Ok(Limits::default()));
    }

    #[test]
    fn a_database_gets_large_files_and_a_small_scratch() {
        let limits = of("file = \"2GB\"\nmemory = \"2GB\"\nprocesses = 200").unwrap();
        assert_eq!((limits.file_bytes, limits.scratch_bytes), (2 << 30, 16 << 20));
        assert_eq!((limits.memory, limits.processes), (2 << 30, 200));
    }

    #[test]
    fn more_than_the_owner_allows_is_refused_with_the_key_to_raise() {
        for (asked, why) in [
            ("file = \"900GB\"", "limits.file: 900GB is more than the 4GB"),
            ("processes = 100000", "limits.processes: 100000 is more than the 1024"),
            ("memory = \"much\"", "limits.memory: \"much\" is no size"),
            ("files = 0", "limits.files: 0 leaves nothing"),
        ] {
            let said = of(asked).unwrap_err();
            assert!(said.starts_with(why), "{said}");
        }
    }
}
