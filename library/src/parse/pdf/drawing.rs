//! Follows the drawing of a page as far as it decides what text can be seen (ISO 32000-1, sections 8 and 9).
//!
//! Text is hidden when it is drawn with no ink (render mode 3 or 7), fully transparent, lower than a point,
//! off the page, or white where nothing darker was drawn before.

use pdf_extract::Object;
use pdf_extract::content::Operation;

use super::colour::is_white;
use super::matrix::{Area, Matrix};

/// Lower letters than this are not read, in points.
const LOWEST: f32 = 1.0;

/// What is more transparent than this is not seen.
const FAINTEST: f32 = 0.05;

/// The most filled areas of a page that are remembered.
const MOST_AREAS: usize = 10_000;

/// How many characters of text there are, and how many pictures.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) visible: usize,
    pub(super) hidden: usize,
    /// Drawn with no ink, as recognised text below a scan is too.
    pub(super) inkless: usize,
    pub(super) pictures: usize,
}

impl Found {
    pub(super) fn add(&mut self, other: Self) {
        self.visible += other.visible;
        self.hidden += other.hidden;
        self.inkless += other.inkless;
        self.pictures += other.pictures;
    }
}

/// What `q` saves and `Q` restores.
#[derive(Debug, Clone)]
struct State {
    place: Matrix,
    size: f32,
    leading: f32,
    mode: i64,
    is_white: bool,
    space: Vec<u8>,
    alpha: f32,
}

/// The drawing so far.
pub(super) struct Drawing {
    state: State,
    saved: Vec<State>,
    text: Matrix,
    line: Matrix,
    path: Vec<(f32, f32)>,
    /// Where something darker than white was drawn.
    inked: Vec<Area>,
    page: Option<Area>,
    pub(super) found: Found,
}

impl Drawing {
    pub(super) fn new(place: Matrix, page: Option<Area>) -> Self {
        let state = State {
            place,
            size: 0.0,
            leading: 0.0,
            mode: 0,
            is_white: false,
            space: b"DeviceGray".to_vec(),
            alpha: 1.0,
        };
        Self {
            state,
            saved: Vec::new(),
            text: Matrix::IDENTITY,
            line: Matrix::IDENTITY,
            path: Vec::new(),
            inked: Vec::new(),
            page,
            found: Found::default(),
        }
    }

    pub(super) fn place(&self) -> Matrix {
        self.state.place
    }

    /// Fillings are as opaque as `alpha` from here on.
    pub(super) fn fade(&mut self, alpha: Option<f32>) {
        self.state.alpha = alpha.unwrap_or(self.state.alpha);
    }

    /// A form takes over the ink of what shows it.
    pub(super) fn hides_forms(&self) -> bool {
        self.state.alpha < FAINTEST
    }

    /// A picture is shown in the unit square.
    pub(super) fn picture(&mut self) {
        self.found.pictures += 1;
        let corners = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)];
        self.path = corners.map(|(x, y)| self.state.place.point(x, y)).to_vec();
        self.ink();
    }

    /// Follows `operation`; whether a reader of the text needs it.
    pub(super) fn take(&mut self, operation: &Operation, keep_inkless: bool) -> bool {
        let operands = &operation.operands;
        let number = |at: usize| operands.get(at).and_then(|number| number.as_float().ok());
        match operation.operator.as_str() {
            "q" => self.save(),
            "Q" => self.state = self.saved.pop().unwrap_or_else(|| self.state.clone()),
            "cm" => {
                let Some(matrix) = Matrix::of(operands) else { return false };
                self.state.place = matrix.then(self.state.place);
            }
            "BT" | "ET" => (self.text, self.line) = (Matrix::IDENTITY, Matrix::IDENTITY),
            "Tf" => self.state.size = number(1).unwrap_or(0.0),
            "TL" => self.state.leading = number(0).unwrap_or(0.0),
            "Tc" | "Tw" | "Tz" | "Ts" => return number(0).is_some(),
            "Tr" => {
                self.state.mode = operands.first().and_then(|mode| mode.as_i64().ok()).unwrap_or(0);
                return false;
            }
            "Tm" => {
                let Some(matrix) = Matrix::of(operands) else { return false };
                (self.text, self.line) = (matrix, matrix);
            }
            "Td" | "TD" => {
                let (Some(x), Some(y)) = (number(0), number(1)) else { return false };
                if operation.operator == "TD" {
                    self.state.leading = -y;
                }
                self.next_line(x, y);
            }
            "T*" => self.next_line(0.0, -self.state.leading),
            "Tj" | "TJ" | "'" | "\"" => return self.show(operation, keep_inkless),
            _ => {
                self.paint(operation);
                return false;
            }
        }
        true
    }

    fn save(&mut self) {
        if self.saved.len() < MOST_AREAS {
            self.saved.push(self.state.clone());
        }
    }

    fn next_line(&mut self, x: f32, y: f32) {
        self.line = Matrix::moved(x, y).then(self.line);
        self.text = self.line;
    }

    fn show(&mut self, operation: &Operation, keep_inkless: bool) -> bool {
        if matches!(operation.operator.as_str(), "'" | "\"") {
            self.next_line(0.0, -self.state.leading);
        }
        let Some(text) = operation.operands.last() else { return false };
        let Some(length) = length(text) else { return false };
        if self.is_unseen() {
            self.found.hidden += length;
            return false;
        }
        if matches!(self.state.mode, 3 | 7) {
            self.found.inkless += length;
            return keep_inkless;
        }
        self.found.visible += length;
        true
    }

    /// Whether text that is drawn now is hidden by more than its want of ink.
    fn is_unseen(&self) -> bool {
        let letters = self.text.then(self.state.place);
        let at = letters.point(0.0, 0.0);
        let low = letters.height() * self.state.size.abs() < LOWEST;
        let off = self.page.is_some_and(|page| !page.widened().holds(at));
        let faint = self.state.alpha < FAINTEST;
        // Strokes have a colour of their own.
        let fills = matches!(self.state.mode, 0 | 4);
        let white = fills && self.state.is_white && !self.inked.iter().any(|area| area.holds(at));
        low || off || faint || white
    }

    /// Follows what is painted, for white letters may stand on it.
    fn paint(&mut self, operation: &Operation) {
        let operands = &operation.operands;
        let numbers: Vec<f32> =
            operands.iter().filter_map(|number| number.as_float().ok()).collect();
        let place = self.state.place;
        match (operation.operator.as_str(), numbers.as_slice()) {
            ("re", [x, y, width, height]) => {
                self.path.push(place.point(*x, *y));
                self.path.push(place.point(x + width, y + height));
            }
            ("m" | "l" | "c" | "v" | "y", points) => {
                self.path.extend(points.chunks_exact(2).map(|pair| place.point(pair[0], pair[1])));
            }
            ("f" | "F" | "f*" | "B" | "B*" | "b" | "b*", _) if !self.state.is_white => self.ink(),
            ("f" | "F" | "f*" | "B" | "B*" | "b" | "b*" | "S" | "s" | "n", _) => self.path.clear(),
            ("sh", _) => self.inked.extend(self.page),
            ("BI", _) => self.picture(),
            ("cs", _) => {
                let name = operands.first().and_then(|name| name.as_name().ok());
                self.state.space = name.unwrap_or_default().to_vec();
                self.state.is_white = false;
            }
            (operator, _) => {
                let white = is_white(operator, operands, &self.state.space);
                self.state.is_white = white.unwrap_or(self.state.is_white);
            }
        }
    }

    fn ink(&mut self) {
        let area = Area::around(self.path.drain(..));
        if self.inked.len() < MOST_AREAS {
            self.inked.extend(area);
        }
    }
}

/// How many characters `text` shows, about; none when it is no text.
fn length(text: &Object) -> Option<usize> {
    match text {
        Object::String(bytes, _) => Some(bytes.len()),
        Object::Array(parts) => Some(parts.iter().filter_map(length).sum()),
        _ => None,
    }
}
