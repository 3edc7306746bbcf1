//! Meaning as a row of numbers, one signed byte each. Whoever makes them stands outside.

/// A vector of length one, in steps of `scale`.
#[derive(Debug, Clone, PartialEq)]
pub struct Vector {
    /// What a step is worth.
    pub scale: f32,
    /// The numbers, in steps.
    pub numbers: Vec<i8>,
}

impl Vector {
    /// The direction of `numbers`; none when they have none.
    #[must_use]
    pub fn of(numbers: &[f32]) -> Option<Self> {
        let length = numbers.iter().map(|number| number * number).sum::<f32>().sqrt();
        if !length.is_finite() || length <= f32::EPSILON {
            return None;
        }
        let largest = numbers.iter().fold(0.0_f32, |most, number| most.max(number.abs()));
        let scale = largest / length / 127.0;
        #[expect(clippy::cast_possible_truncation, reason = "rounded numbers from -127 to 127")]
        let step = |number: &f32| (number / length / scale).round().clamp(-127.0, 127.0) as i8;
        Some(Self { scale, numbers: numbers.iter().map(step).collect() })
    }

    /// How alike two vectors are: 1 for the same direction, 0 for none in common.
    #[must_use]
    pub fn likeness(&self, scale: f32, numbers: &[u8]) -> f32 {
        let pairs = self.numbers.iter().zip(numbers);
        let sum: i32 = pairs.map(|(a, b)| i32::from(*a) * i32::from(b.cast_signed())).sum();
        #[expect(clippy::cast_precision_loss, reason = "at most 127 * 127 * the dimension")]
        let sum = sum as f32;
        sum * self.scale * scale
    }

    /// The numbers as they are stored.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        self.numbers.iter().map(|number| number.cast_unsigned()).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn likeness_is_the_cosine(
            a in prop::collection::vec(-10.0_f32..10.0, 64),
            b in prop::collection::vec(-10.0_f32..10.0, 64),
        ) {
            let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
            let cosine = dot(&a, &b) / (dot(&a, &a) * dot(&b, &b)).sqrt();
            let (a, b) = (Vector::of(&a).unwrap(), Vector::of(&b).unwrap());
            prop_assert!((a.likeness(b.scale, &b.bytes()) - cosine).abs() < 0.03);
        }
    }

    #[test]
    fn nothing_has_no_direction() {
        assert_eq!(Vector::of(&[0.0, 0.0]), None);
        assert_eq!(Vector::of(&[f32::NAN, 1.0]), None);
        assert_eq!(Vector::of(&[]), None);
    }
}
