//! Sets: actions that are offered together. A set is off until the owner turns it on, so that a new set costs no prompt anything.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use conversation::workspace::Cards;
use protocol::SetName;
use settings::SettingsError;

/// The number of filtered lists that are kept: a few personas, and two lists for each.
const KEPT: usize = 32;

/// The sets that the owner has turned on, and the cards that are offered with them.
#[derive(Debug, Default)]
pub struct Sets {
    on: RwLock<BTreeSet<SetName>>,
    /// Where a change is noted; none where nothing is to be kept.
    file: Option<PathBuf>,
    filtered: Mutex<VecDeque<Filtered>>,
}

/// The set of what looks into earlier conversations. It is on where there are some, and nobody turns it.
pub const RECALL: &str = "recall";

/// The set of what tells what was done. It is on where something was, and nobody turns it.
pub const ACTS: &str = "acts";

/// The set of what the program asks itself and no model: nobody turns it, and it is never on.
const INNER: &str = "meaning";

/// The set of the library.
const LIBRARY: &str = "library";

/// The set of what anybody may ask the library. It is on for guests while the owner has the library's set on, and nobody
/// turns it.
const PUBLIC_LIBRARY: &str = "public-library";

/// The cards of one list that are offered with some sets.
#[derive(Debug)]
struct Filtered {
    all: Arc<Cards>,
    sets: BTreeSet<SetName>,
    offered: Arc<Cards>,
}

impl Sets {
    /// The sets that agent/config.json has turned on; a change is noted in `file`.
    #[must_use]
    pub fn new(on: BTreeSet<SetName>, file: PathBuf) -> Self {
        Self { on: RwLock::new(on), file: Some(file), filtered: Mutex::default() }
    }

    /// The sets that are on.
    #[must_use]
    pub fn on(&self) -> BTreeSet<SetName> {
        self.on.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What guests are offered of them.
    pub fn for_guests(&self) -> BTreeSet<SetName> {
        let has_library = self.on().iter().any(|set| set.as_str() == LIBRARY);
        has_library.then(|| SetName::new(PUBLIC_LIBRARY).ok()).flatten().into_iter().collect()
    }

    /// Turns a set on or off for good.
    ///
    /// # Errors
    /// [`SettingsError`] when it can't be noted; then nothing has changed.
    pub fn turn(&self, set: SetName, is_on: bool) -> Result<(), SettingsError> {
        let mut sets = self.on();
        if is_on {
            sets.insert(set);
        } else {
            sets.remove(&set);
        }
        if let Some(file) = &self.file {
            settings::keep_sets(file, &sets)?;
        }
        *self.on.write().unwrap_or_else(PoisonError::into_inner) = sets;
        Ok(())
    }

    /// The cards of `all` that are offered when these sets are on: those of the sets, and those of no set.
    pub fn offered(&self, all: Arc<Cards>, sets: &BTreeSet<SetName>) -> Arc<Cards> {
        let is_offered = |set: &Option<SetName>| set.as_ref().is_none_or(|set| sets.contains(set));
        if all.0.iter().all(|card| is_offered(&card.set)) {
            return all;
        }
        // Poisoned, the list is still whole.
        let mut filtered = self.filtered.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |one: &&Filtered| Arc::ptr_eq(&one.all, &all) && one.sets == *sets;
        if let Some(found) = filtered.iter().find(same) {
            return Arc::clone(&found.offered);
        }
        let cards = all.0.iter().filter(|card| is_offered(&card.set)).cloned().collect();
        let offered = Arc::new(Cards(cards));
        filtered.truncate(KEPT - 1);
        let entry = Filtered { all, sets: sets.clone(), offered: Arc::clone(&offered) };
        filtered.push_front(entry);
        offered
    }
}

/// The sets that these cards belong to, with the number of actions in each.
pub fn known(cards: &[Arc<Cards>; 2]) -> BTreeMap<SetName, usize> {
    let mut known = BTreeMap::new();
    for set in cards.iter().flat_map(|cards| &cards.0).filter_map(|card| card.set.clone()) {
        if [RECALL, ACTS, INNER, PUBLIC_LIBRARY].contains(&set.as_str()) {
            continue;
        }
        *known.entry(set).or_default() += 1;
    }
    known
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn set(name: &str) -> SetName {
        SetName::new(name).unwrap()
    }

    #[test]
    fn an_action_of_a_set_is_offered_while_the_set_is_on() {
        let cards =
            json!([{"name": "A"}, {"name": "B", "set": "library"}, {"name": "C", "set": "web"}]);
        let all = Arc::new(Cards(serde_json::from_value(cards).unwrap()));
        let sets = Sets::default();
        let names = |on: &[&str]| {
            let on = on.iter().map(|name| set(name)).collect();
            let offered = sets.offered(Arc::clone(&all), &on);
            offered.0.iter().map(|card| card.name.to_string()).collect::<String>()
        };
        assert_eq!(
            [names(&[]), names(&["library"]), names(&["library", "web"])],
            ["A", "AB", "ABC"]
        );
        let once = sets.offered(Arc::clone(&all), &BTreeSet::new());
        assert!(Arc::ptr_eq(&once, &sets.offered(all, &BTreeSet::new())), "filtered once");
    }

    #[test]
    fn cards_without_sets_are_offered_as_they_are() {
        let all = Arc::new(Cards(serde_json::from_value(json!([{"name": "A"}])).unwrap()));
        assert!(Arc::ptr_eq(&all, &Sets::default().offered(Arc::clone(&all), &BTreeSet::new())));
    }

    #[test]
    fn a_set_that_is_turned_on_stays_on() {
        let folder = tempfile::tempdir().unwrap();
        let home = home::Home::at(folder.path()).unwrap();
        let sets = Sets::new(BTreeSet::new(), home.choices());
        let next_start = || settings::Settings::read(&home).unwrap().config.sets;
        sets.turn(set("library"), true).unwrap();
        let both = BTreeSet::from([set("library")]);
        assert_eq!((sets.on(), next_start()), (both.clone(), both));
        sets.turn(set("library"), false).unwrap();
        assert_eq!((sets.on(), next_start()), (BTreeSet::new(), BTreeSet::new()));
    }
}
