//! Times, sizes and tables in words.

use protocol::Object;

/// What stands where nothing is known.
pub(super) const UNKNOWN: &str = "-";

/// A span such as `400 ms`, `20 s`, `3 m 20 s`, `2 h 5 m` or `4 d 1 h`.
pub(super) fn span(ms: u64) -> String {
    let (seconds, minutes, hours) = (ms / 1_000, ms / 60_000, ms / 3_600_000);
    match (seconds, minutes, hours) {
        (0, ..) => format!("{ms} ms"),
        (_, 0, _) => format!("{seconds} s"),
        (_, _, 0) => format!("{minutes} m {} s", seconds % 60),
        (.., 1..24) => format!("{hours} h {} m", minutes % 60),
        _ => format!("{} d {} h", hours / 24, hours % 24),
    }
}

/// The same where it may be unknown.
pub(super) fn span_or_unknown(ms: Option<u64>) -> String {
    ms.map_or_else(|| UNKNOWN.to_owned(), span)
}

/// How long it is to a deadline, for a column of that name.
pub(super) fn left(ms: Option<i64>) -> String {
    match ms {
        None => "none".to_owned(),
        Some(ms @ 0..) => span(ms.unsigned_abs()),
        Some(ms) => format!("passed {} ago", span(ms.unsigned_abs())),
    }
}

/// A size such as `512 B`, `1.5 KB` or `12.0 MB` (of 1,000 bytes each).
pub(super) fn size(bytes: u64) -> String {
    let scaled = |unit: f64| bytes as f64 / unit;
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{:.1} KB", scaled(1e3)),
        1_000_000..1_000_000_000 => format!("{:.1} MB", scaled(1e6)),
        _ => format!("{:.1} GB", scaled(1e9)),
    }
}

/// `1 time`, `2 times`.
pub(super) fn times(count: u32) -> String {
    if count == 1 { "1 time".to_owned() } else { format!("{count} times") }
}

/// A text, on one line.
pub(super) fn one_line(text: &str) -> String {
    text.split(['\n', '\r']).collect::<Vec<_>>().join(" ")
}

/// An object as indented JSON.
pub(super) fn indented(object: &Object) -> String {
    let text = serde_json::to_string_pretty(object).unwrap_or_default();
    text.lines().map(|line| format!("    {line}\n")).collect()
}

/// On which side the cells of a column stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Left,
    Right,
}

/// Rows under headings, each column as wide as its widest cell.
#[derive(Debug)]
pub(super) struct Table {
    columns: Vec<(&'static str, Side)>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(super) fn new(columns: &[(&'static str, Side)]) -> Self {
        Self { columns: columns.to_vec(), rows: Vec::new() }
    }

    pub(super) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().map(|cell| one_line(&cell)).collect());
    }

    /// The table, one line a row.
    pub(super) fn lines(&self) -> String {
        let heads = self.columns.iter().map(|(head, _)| (*head).to_owned()).collect();
        let rows: Vec<&Vec<String>> = std::iter::once(&heads).chain(&self.rows).collect();
        let width = |at: usize| {
            let cells = rows.iter().filter_map(|row| row.get(at));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
        rows.iter().map(|row| self.line(row, &widths)).collect()
    }

    fn line(&self, row: &[String], widths: &[usize]) -> String {
        let cells = row.iter().zip(&self.columns).zip(widths);
        let padded: Vec<String> = cells
            .map(|((cell, (_, side)), &width)| match side {
                Side::Left => format!("{cell:<width$}"),
                Side::Right => format!("{cell:>width$}"),
            })
            .collect();
        format!("{}\n", padded.join("  ").trim_end())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_told_in_their_two_largest_units() {
        let spans = [0, 999, 1_000, 59_999, 200_000, 7_500_000, 349_200_000].map(span);
        let expected = ["0 ms", "999 ms", "1 s", "59 s", "3 m 20 s", "2 h 5 m", "4 d 1 h"];
        assert_eq!(spans, expected.map(str::to_owned));
        assert_eq!(left(Some(-1_500)), "passed 1 s ago");
        assert_eq!(left(None), "none");
    }

    #[test]
    fn sizes() {
        let sizes = [0, 999, 1_000, 12_345_678, 5_000_000_000].map(size);
        assert_eq!(sizes, ["0 B", "999 B", "1.0 KB", "12.3 MB", "5.0 GB"].map(str::to_owned));
    }

    #[test]
    fn a_tables_columns_stand_under_each_other() {
        let mut table =
            Table::new(&[("LANE", Side::Left), ("WAITING", Side::Right), ("X", Side::Left)]);
        table.row(["a long\none".to_owned(), "7".to_owned(), "é".to_owned()]);
        table.row(["b".to_owned(), "1000".to_owned(), String::new()]);
        assert_eq!(
            table.lines(),
            "LANE        WAITING  X\na long one        7  é\nb              1000\n"
        );
    }
}
