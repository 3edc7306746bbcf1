//! Numbers in Prometheus' text format, version 0.0.4 (prometheus.io/docs/instrumenting/exposition_formats).
//!
//! ```
//! let mut text = metrics::Text::default();
//! text.gauge("queue_waiting", "Commands that wait.", &[(&[("lane", "hi")], 2.0)]);
//! assert_eq!(
//!     text.finish(),
//!     "# HELP queue_waiting Commands that wait.\n# TYPE queue_waiting gauge\nqueue_waiting{lane=\"hi\"} 2\n"
//! );
//! ```

use std::fmt::Write as _;

/// What tells the values of one family apart: names and values.
pub type Labels<'a> = &'a [(&'a str, &'a str)];

/// The document.
#[derive(Debug, Clone, Default)]
pub struct Text {
    text: String,
}

impl Text {
    /// Numbers that go up and down.
    pub fn gauge(&mut self, name: &str, help: &str, values: &[(Labels<'_>, f64)]) {
        self.family("gauge", name, help, values);
    }

    /// Numbers that only grow for as long as a process lives. Their `name` ends in `_total`.
    pub fn counter(&mut self, name: &str, help: &str, values: &[(Labels<'_>, f64)]) {
        self.family("counter", name, help, values);
    }

    /// All of it.
    #[must_use]
    pub fn finish(self) -> String {
        self.text
    }

    fn family(&mut self, kind: &str, name: &str, help: &str, values: &[(Labels<'_>, f64)]) {
        let help = help.replace('\\', "\\\\").replace('\n', "\\n");
        // Writing to a text can't fail.
        let _ = write!(self.text, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
        for (labels, value) in values {
            let labels: Vec<String> = labels
                .iter()
                .map(|(name, value)| format!("{name}=\"{}\"", quoted(value)))
                .collect();
            let labels = match labels.as_slice() {
                [] => String::new(),
                labels => format!("{{{}}}", labels.join(",")),
            };
            let _ = writeln!(self.text, "{name}{labels} {value}");
        }
    }
}

/// A label's value, in which three characters are escaped.
fn quoted(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_value_of_a_label_makes_a_line_of_its_own() {
        let mut text = Text::default();
        text.counter("a_total", "One\ntwo.", &[(&[("x", "a\"} 1\nb_total 9\\")], 0.5), (&[], 3.0)]);
        let expected = "# HELP a_total One\\ntwo.\n# TYPE a_total counter\n\
            a_total{x=\"a\\\"} 1\\nb_total 9\\\\\"} 0.5\na_total 3\n";
        assert_eq!(text.finish(), expected);
    }
}
