//! A terminal's screen as an SVG picture.

use std::fmt::Write;

use vt100::{Color, Screen};

/// The width of a column and the height of a row, in pixels.
const COLUMN: u16 = 8;
const ROW: u16 = 18;

/// The edge around the text, in pixels.
const EDGE: u16 = 14;

/// The sixteen colours of a terminal, on a dark ground.
const COLOURS: [&str; 16] = [
    "#1e1e2e", "#f38ba8", "#a6e3a1", "#f9e2af", "#89b4fa", "#cba6f7", "#94e2d5", "#cdd6f4",
    "#7f849c", "#f38ba8", "#a6e3a1", "#f9e2af", "#89b4fa", "#cba6f7", "#94e2d5", "#ffffff",
];

/// The rows of `screen` down to the last one with text.
pub(crate) fn svg(screen: &Screen) -> String {
    let (rows, columns) = screen.size();
    let is_text =
        |row: &u16| (0..columns).any(|column| !text(screen, *row, column).trim().is_empty());
    let rows = (0..rows).rev().find(is_text).map_or(0, |last| last + 1);
    let (width, height) = (columns * COLUMN + 2 * EDGE, rows * ROW + 2 * EDGE);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"ui-monospace, Menlo, Consolas, monospace\" font-size=\"13\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{}\"/>\n",
        COLOURS[0]
    );
    for row in 0..rows {
        let mut from = 0;
        while from < columns {
            let alike = |column: &u16| style(screen, row, *column) == style(screen, row, from);
            let to = (from..columns).take_while(alike).last().unwrap_or(from) + 1;
            let run: String = (from..to).map(|column| text(screen, row, column)).collect();
            if !run.trim().is_empty() {
                let (x, y) = (EDGE + from * COLUMN, EDGE + row * ROW + 13);
                let style = style(screen, row, from);
                let run = escaped(run.trim_end());
                // Writing to a String can't fail.
                let _ = writeln!(
                    svg,
                    "<text x=\"{x}\" y=\"{y}\" xml:space=\"preserve\"{style}>{run}</text>"
                );
            }
            from = to;
        }
    }
    svg.push_str("</svg>\n");
    svg
}

fn text(screen: &Screen, row: u16, column: u16) -> String {
    match screen.cell(row, column) {
        Some(cell) if cell.is_wide_continuation() => String::new(),
        Some(cell) if cell.has_contents() => cell.contents().to_owned(),
        _ => " ".to_owned(),
    }
}

fn style(screen: &Screen, row: u16, column: u16) -> String {
    let Some(cell) = screen.cell(row, column) else { return String::new() };
    let fill = match cell.fgcolor() {
        Color::Idx(index) => {
            COLOURS.get(usize::from(index)).copied().unwrap_or(COLOURS[7]).to_owned()
        }
        Color::Rgb(red, green, blue) => format!("#{red:02x}{green:02x}{blue:02x}"),
        Color::Default => COLOURS[7].to_owned(),
    };
    let mut style = format!(" fill=\"{fill}\"");
    if cell.bold() {
        style.push_str(" font-weight=\"bold\"");
    }
    if cell.dim() {
        style.push_str(" opacity=\"0.6\"");
    }
    style
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
