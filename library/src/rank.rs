//! The order of what was found: words first, then use and age ([`activation`]).
//!
//! With vectors, the orders by words and by meaning are merged by reciprocal rank (Cormack, Clarke and
//! Büttcher, 2009): a passage scores `1 / (60 + rank)` in each.

use std::collections::HashMap;
use std::hash::Hash;

/// The constant of reciprocal rank.
const RANK_CONSTANT: f64 = 60.0;

/// The orders of `lists` merged by reciprocal rank, the best first.
#[must_use]
pub fn merge<T: Copy + Eq + Hash + Ord>(lists: &[Vec<T>]) -> Vec<T> {
    let mut scores: HashMap<T, f64> = HashMap::new();
    for list in lists {
        for (rank, item) in list.iter().enumerate() {
            let rank = f64::from(u32::try_from(rank + 1).unwrap_or(u32::MAX));
            *scores.entry(*item).or_default() += 1.0 / (RANK_CONSTANT + rank);
        }
    }
    let mut merged: Vec<(T, f64)> = scores.into_iter().collect();
    merged.sort_by(|(a, left), (b, right)| right.total_cmp(left).then(a.cmp(b)));
    merged.into_iter().map(|(item, _)| item).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merging_prefers_what_both_orders_have() {
        assert_eq!(merge(&[vec![1, 2, 3], vec![4, 2]])[0], 2);
        assert_eq!(merge(&[vec![7, 8]]), [7, 8]);
        assert!(merge::<u8>(&[]).is_empty());
    }
}
