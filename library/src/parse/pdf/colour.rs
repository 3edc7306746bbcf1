//! Whether a colour can be told from white paper.

use pdf_extract::Object;

/// Lighter than this on every channel is taken for white.
const WHITE: f32 = 0.95;

/// Whether the fill colour that `operator` sets with `operands` is white; none when it sets no fill colour.
/// `space` is the name of the fill colour space in force: a tint of an ink is no shade of grey.
pub(super) fn is_white(operator: &str, operands: &[Object], space: &[u8]) -> Option<bool> {
    let numbers: Vec<f32> = operands.iter().filter_map(|number| number.as_float().ok()).collect();
    let light = |numbers: &[f32]| numbers.iter().all(|number| *number >= WHITE);
    let no_ink = |numbers: &[f32]| numbers.iter().all(|number| *number <= 1.0 - WHITE);
    match (operator, numbers.len()) {
        ("g", 1) | ("rg", 3) => Some(light(&numbers)),
        ("k", 4) => Some(no_ink(&numbers)),
        ("sc" | "scn", 1) => Some(space == b"DeviceGray" && light(&numbers)),
        ("sc" | "scn", 3) => Some(light(&numbers)),
        ("sc" | "scn", 4) => Some(no_ink(&numbers)),
        // A new colour space begins with black.
        ("sc" | "scn" | "cs", _) => Some(false),
        _ => None,
    }
}
