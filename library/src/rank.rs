//! The order of what was found: words first, then use and age ([`activation`]).
//!
//! A question is answered by a paper more often than by one passage that happens to hold its words. So papers are ordered by
//! what all their passages score, and the best passages of the best papers come first.
//!
//! With vectors, the orders by words and by meaning are merged by reciprocal rank (Cormack, Clarke and
//! Büttcher, 2009): a passage scores `1 / (60 + rank)` in each.

use std::collections::HashMap;
use std::hash::Hash;

/// The constant of reciprocal rank.
const RANK_CONSTANT: f64 = 60.0;

/// What the next best passage of a paper adds to the paper's score, as a part of what the one before it adds.
const NEXT: f64 = 0.5;

/// So many papers further down, the best passage is worth as much as the next one of a paper.
const PAPERS: usize = 5;

/// A passage that was found: its row, the paper that it belongs to, and its score.
#[derive(Debug, Clone, PartialEq)]
pub struct Scored {
    /// The passage's row.
    pub row: i64,
    /// The paper's identity.
    pub paper: String,
    /// How well it fits; more is better.
    pub score: f64,
}

/// The rows of `found` with the best passages of the best papers first.
#[must_use]
pub fn by_paper(mut found: Vec<Scored>) -> Vec<i64> {
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.row.cmp(&b.row)));
    let mut papers: Vec<(String, f64, Vec<i64>)> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for Scored { row, paper, score } in found {
        let at = *places.entry(paper.clone()).or_insert(papers.len());
        if at == papers.len() {
            papers.push((paper, 0.0, Vec::new()));
        }
        let (_, sum, rows) = &mut papers[at];
        *sum += score * NEXT.powi(i32::try_from(rows.len()).unwrap_or(i32::MAX));
        rows.push(row);
    }
    papers.sort_by(|(_, left, _), (_, right, _)| right.total_cmp(left));
    let rows = papers.iter().enumerate().flat_map(|(place, (_, _, rows))| {
        rows.iter().enumerate().map(move |(at, row)| (place + at * PAPERS, place, *row))
    });
    let mut rows: Vec<(usize, usize, i64)> = rows.collect();
    rows.sort_by_key(|(key, place, _)| (*key, *place));
    rows.into_iter().map(|(_, _, row)| row).collect()
}

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
    fn a_paper_that_fits_in_many_places_comes_before_one_that_fits_in_one() {
        let passage = |row, paper: &str, score| Scored { row, paper: paper.to_owned(), score };
        let found = [
            passage(1, "chance", 5.0),
            passage(2, "manual", 4.0),
            passage(3, "manual", 4.0),
            passage(4, "manual", 3.0),
            passage(5, "other", 2.0),
            passage(6, "last", 1.0),
        ];
        assert_eq!(by_paper(found.to_vec()), [2, 1, 5, 6, 3, 4]);
        assert_eq!(by_paper(found[1..4].to_vec()), [2, 3, 4]);
        assert!(by_paper(Vec::new()).is_empty());
    }

    #[test]
    fn merging_prefers_what_both_orders_have() {
        assert_eq!(merge(&[vec![1, 2, 3], vec![4, 2]])[0], 2);
        assert_eq!(merge(&[vec![7, 8]]), [7, 8]);
        assert!(merge::<u8>(&[]).is_empty());
    }
}
