//! The order of what was found: words first, then use and age ([`activation`]).
//!
//! A question is answered by a paper more often than by one passage that happens to hold its words. So papers are ordered by
//! what all their passages score, and the best passages of the best papers come first. Files of one folder whose names differ in
//! the ending alone (`manual.docx`, `manual.pdf`) are one paper in two forms.
//!
//! With vectors, the orders by words and by meaning are merged by reciprocal rank (Cormack, Clarke and
//! Büttcher, 2009): a passage scores `1 / (60 + rank)` in each. What that makes is ordered by papers again.

use std::collections::HashMap;
use std::path::Path;

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
    /// The paper that it belongs to, as [`paper`] names it.
    pub paper: String,
    /// How well it fits; more is better.
    pub score: f64,
}

/// The paper that a document at `place` is a form of: the place without its ending.
#[must_use]
pub fn paper(place: &str) -> String {
    Path::new(place).with_extension("").to_string_lossy().into_owned()
}

/// `found` with the best passages of the best papers first.
#[must_use]
pub fn by_paper(mut found: Vec<Scored>) -> Vec<Scored> {
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.row.cmp(&b.row)));
    let mut papers: Vec<(f64, Vec<Scored>)> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for passage in found {
        let at = *places.entry(passage.paper.clone()).or_insert(papers.len());
        if at == papers.len() {
            papers.push((0.0, Vec::new()));
        }
        let (sum, passages) = &mut papers[at];
        *sum += passage.score * NEXT.powi(i32::try_from(passages.len()).unwrap_or(i32::MAX));
        passages.push(passage);
    }
    papers.sort_by(|(left, _), (right, _)| right.total_cmp(left));
    let placed = papers.into_iter().enumerate().flat_map(|(place, (_, passages))| {
        let key = move |at| (place + at * PAPERS, place);
        passages.into_iter().enumerate().map(move |(at, passage)| (key(at), passage))
    });
    let mut placed: Vec<((usize, usize), Scored)> = placed.collect();
    placed.sort_by_key(|(key, _)| *key);
    placed.into_iter().map(|(_, passage)| passage).collect()
}

/// The orders of `lists` merged by reciprocal rank, with the best passages of the best papers first.
#[must_use]
pub fn merge(lists: [Vec<Scored>; 2]) -> Vec<Scored> {
    let mut merged: HashMap<i64, Scored> = HashMap::new();
    for list in lists {
        for (rank, passage) in list.into_iter().enumerate() {
            let rank = f64::from(u32::try_from(rank + 1).unwrap_or(u32::MAX));
            let nothing = Scored { score: 0.0, ..passage };
            merged.entry(nothing.row).or_insert(nothing).score += 1.0 / (RANK_CONSTANT + rank);
        }
    }
    by_paper(merged.into_values().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passage(row: i64, paper: &str, score: f64) -> Scored {
        Scored { row, paper: paper.to_owned(), score }
    }

    fn rows(found: &[Scored]) -> Vec<i64> {
        found.iter().map(|passage| passage.row).collect()
    }

    #[test]
    fn a_paper_that_fits_in_many_places_comes_before_one_that_fits_in_one() {
        let found = [
            passage(1, "chance", 5.0),
            passage(2, "manual", 4.0),
            passage(3, "manual", 4.0),
            passage(4, "manual", 3.0),
            passage(5, "other", 2.0),
            passage(6, "last", 1.0),
        ];
        assert_eq!(rows(&by_paper(found.to_vec())), [2, 1, 5, 6, 3, 4]);
        assert_eq!(rows(&by_paper(found[1..4].to_vec())), [2, 3, 4]);
        assert!(by_paper(Vec::new()).is_empty());
    }

    #[test]
    fn a_paper_may_have_several_forms_and_those_of_one_folder_alone_are_one() {
        assert_eq!(paper("/papers/manual.docx"), paper("/papers/manual.PDF"));
        assert_ne!(paper("/papers/manual.pdf"), paper("/old/manual.pdf"));
        assert_ne!(paper("/papers/v1.2.pdf"), paper("/papers/v1.3.pdf"));
    }

    #[test]
    fn merging_prefers_what_both_orders_have_and_shows_each_paper_before_the_next_passage_of_one() {
        let list =
            |rows: &[i64]| rows.iter().map(|row| passage(*row, &row.to_string(), 9.0)).collect();
        assert_eq!(rows(&merge([list(&[1, 2, 3]), list(&[4, 2])]))[0], 2);
        assert_eq!(rows(&merge([list(&[7, 8]), list(&[])])), [7, 8]);
        let alike =
            ["a", "a", "b"].into_iter().zip(1..).map(|(paper, row)| passage(row, paper, 1.0));
        assert_eq!(rows(&merge([alike.collect(), list(&[])])), [1, 3, 2]);
        assert!(merge([list(&[]), list(&[])]).is_empty());
    }
}
