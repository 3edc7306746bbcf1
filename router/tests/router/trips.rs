//! How often a command goes to the store: on Redis, each of these is a way there and back.

use std::sync::Mutex;

use broker::{StoreFault, Table};

use super::*;

/// What was asked of the store, in its order.
pub(super) type Trips = Arc<Mutex<Vec<String>>>;

/// A store that writes down what is asked of it.
#[derive(Debug)]
pub(super) struct Counted {
    pub(super) store: Folder,
    pub(super) trips: Trips,
}

impl Counted {
    fn note(&self, verb: &str, tables: &[&str]) {
        self.trips.lock().unwrap().push(format!("{verb} {}", tables.join("+")));
    }
}

#[async_trait]
impl Store for Counted {
    async fn read(&self, table: Table, key: &str) -> Result<Option<Vec<u8>>, StoreFault> {
        self.note("read", &[table.name]);
        self.store.read(table, key).await
    }

    async fn read_each(&self, keys: &[(Table, &str)]) -> Vec<Result<Option<Vec<u8>>, StoreFault>> {
        let tables: Vec<&str> = keys.iter().map(|(table, _)| table.name).collect();
        self.note("read", &tables);
        self.store.read_each(keys).await
    }

    async fn swap(
        &self,
        table: Table,
        key: &str,
        before: Option<&[u8]>,
        after: Option<&[u8]>,
    ) -> Result<bool, StoreFault> {
        self.note("swap", &[table.name]);
        self.store.swap(table, key, before, after).await
    }

    async fn remove(&self, table: Table, key: &str) -> Result<bool, StoreFault> {
        self.note("remove", &[table.name]);
        self.store.remove(table, key).await
    }

    async fn list(&self, table: Table) -> Result<Vec<(String, Vec<u8>)>, StoreFault> {
        self.note("list", &[table.name]);
        self.store.list(table).await
    }
}

impl House {
    /// What a command asks of the store, but for the looks at the switch that go on beside what runs, and those at the
    /// questions that wait.
    async fn trips_of(&self, action: &str, text: &str) -> Vec<String> {
        self.trips.lock().unwrap().clear();
        self.let_run(1);
        let mut asked = command(&uuid::Uuid::now_v7().to_string(), action, json!({ "text": text }));
        asked.envelope.said = Some(format!("Get {text} please"));
        done(&self.agent.request(asked, LONG).await.unwrap());
        let trips = std::mem::take(&mut *self.trips.lock().unwrap());
        let beside = ["read switch", "list approvals"];
        trips.into_iter().filter(|trip| !beside.contains(&trip.as_str())).collect()
    }
}

#[tokio::test]
async fn what_runs_unasked_goes_to_the_store_no_more_often_than_it_must() {
    let house = house_with(
        |home| {
            home.put("router/policy.toml", "[effects]\nnone = \"allow\"\nexternal = \"allow\"\n");
            skill(home, "fetch", "none", "reads = \"public\"\n[net]\nhosts = [\"*\"]");
        },
        8,
    );
    assert_eq!(house.trips_of("LOOK", "a").await, ["read switch+sessions", "read sessions"]);
    let external = ["read switch+sessions", "swap sessions", "read sessions"];
    assert_eq!(house.trips_of("POST", "a").await, external);
    let first_page = [
        "read switch+sessions+links",
        "swap sessions",
        "read sessions+links",
        "swap sessions",
        "swap links",
    ];
    assert_eq!(house.trips_of("FETCH", "links").await, first_page);
    // The next one brings no address but its own, which is no news.
    let next_page = ["read switch+sessions+links", "swap sessions", "read sessions"];
    assert_eq!(house.trips_of("FETCH", "https://a.example/").await, next_page);
}
