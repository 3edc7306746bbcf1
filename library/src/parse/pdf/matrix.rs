//! The transformation matrices of PDF (ISO 32000-1, section 8.3).

use pdf_extract::Object;

/// `[a b c d e f]`: a point `(x, y)` becomes `(ax + cy + e, bx + dy + f)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Matrix([f32; 6]);

impl Matrix {
    pub(super) const IDENTITY: Self = Self([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

    /// The six numbers of `operands`.
    pub(super) fn of(operands: &[Object]) -> Option<Self> {
        let mut numbers = [0.0; 6];
        if operands.len() != numbers.len() {
            return None;
        }
        for (number, operand) in numbers.iter_mut().zip(operands) {
            *number = operand.as_float().ok()?;
        }
        Some(Self(numbers))
    }

    pub(super) const fn moved(x: f32, y: f32) -> Self {
        Self([1.0, 0.0, 0.0, 1.0, x, y])
    }

    /// `self` first, then `next`.
    pub(super) fn then(self, next: Self) -> Self {
        let ([a, b, c, d, e, f], [na, nb, nc, nd, ne, nf]) = (self.0, next.0);
        Self([
            a * na + b * nc,
            a * nb + b * nd,
            c * na + d * nc,
            c * nb + d * nd,
            e * na + f * nc + ne,
            e * nb + f * nd + nf,
        ])
    }

    pub(super) fn point(self, x: f32, y: f32) -> (f32, f32) {
        let [a, b, c, d, e, f] = self.0;
        (a * x + c * y + e, b * x + d * y + f)
    }

    /// How high a letter of height 1 becomes.
    pub(super) fn height(self) -> f32 {
        let [_, _, c, d, _, _] = self.0;
        c.hypot(d)
    }
}

/// A rectangle along the axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Area {
    low: (f32, f32),
    high: (f32, f32),
}

impl Area {
    /// The smallest one around `points`.
    pub(super) fn around(points: impl IntoIterator<Item = (f32, f32)>) -> Option<Self> {
        let grow = |area: Option<Self>, (x, y): (f32, f32)| {
            let Self { low, high } = area.unwrap_or(Self { low: (x, y), high: (x, y) });
            let (low, high) = ((low.0.min(x), low.1.min(y)), (high.0.max(x), high.1.max(y)));
            Some(Self { low, high })
        };
        points.into_iter().fold(None, grow)
    }

    /// With as much room again to its left, for a line may begin there and run into it.
    pub(super) fn widened(self) -> Self {
        let Self { low, high } = self;
        Self { low: (low.0 - (high.0 - low.0), low.1), high }
    }

    pub(super) fn holds(&self, (x, y): (f32, f32)) -> bool {
        (self.low.0..=self.high.0).contains(&x) && (self.low.1..=self.high.1).contains(&y)
    }
}
