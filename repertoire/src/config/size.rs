//! Sizes as people write them.

/// Reads `64KB`, `16MB` or `2GB`; each unit is 1,024 of the one before.
pub fn read(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let wrong = || format!("{text:?} is no size; write 64KB, 16MB or 2GB");
    let number: u64 = digits.parse().map_err(|_| wrong())?;
    let unit: u64 = match &text[digits.len()..] {
        "KB" => 1 << 10,
        "MB" => 1 << 20,
        "GB" => 1 << 30,
        _ => return Err(wrong()),
    };
    number.checked_mul(unit).filter(|bytes| *bytes > 0).ok_or_else(wrong)
}

/// The same size in the largest unit that it is a whole number of.
pub fn written(bytes: u64) -> String {
    let units = [("GB", 1_u64 << 30), ("MB", 1 << 20), ("KB", 1 << 10)];
    let unit = units.into_iter().find(|(_, unit)| bytes > 0 && bytes.is_multiple_of(*unit));
    unit.map_or_else(|| format!("{bytes} bytes"), |(name, unit)| format!("{}{name}", bytes / unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        assert_eq!(read("64KB"), Ok(65_536));
        assert_eq!(read("300MB"), Ok(300 * 1_048_576));
        assert_eq!(read("2GB"), Ok(2_147_483_648));
        for bad in
            ["", "16", "MB", "0MB", "-1MB", "1.5GB", "1TB", "16 MB", "18446744073709551615KB"]
        {
            assert!(read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_size_is_written_as_it_is_read() {
        for text in ["64KB", "16MB", "2GB", "1536MB"] {
            assert_eq!(written(read(text).unwrap()), text);
        }
        assert_eq!(written(1_000), "1000 bytes");
    }
}
