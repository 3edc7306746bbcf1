//! What routers share, in a folder and on a real Redis: the same suite on both.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test ends with a panic")]

use std::sync::Arc;
use std::time::Duration;

use broker::redis::{RedisAddress, RedisStore};
use broker::{Store, Table};
use protocol::QueueNames;
use shared::Folder;
use testkit::{RedisServer, TempHome, eventually};

const TABLE: Table =
    Table { name: "things", lifetime: Some(Duration::from_secs(60)), most: 3, synced: false };
const SHORT: Table =
    Table { name: "short", lifetime: Some(Duration::from_millis(50)), most: 2, synced: true };
const FOR_EVER: Table = Table { name: "ever", lifetime: None, most: 3, synced: true };

/// Every kind of store, each with what it needs to stay.
fn on_each<F: Future<Output = ()>>(check: impl Fn(Arc<dyn Store>) -> F) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let home = TempHome::new();
    runtime.block_on(check(Arc::new(Folder::at(home.router_state()))));
    let server = RedisServer::start();
    runtime.block_on(async {
        let address = RedisAddress::new(&server.url()).unwrap();
        check(Arc::new(RedisStore::new(address, QueueNames::default()).unwrap())).await;
    });
}

#[test]
fn an_entry_is_changed_only_by_who_has_seen_it() {
    on_each(|store| async move {
        let swap = async |before: Option<&str>, after: Option<&str>| {
            let bytes = |text: Option<&str>| text.map(str::as_bytes).map(<[u8]>::to_vec);
            let (before, after) = (bytes(before), bytes(after));
            store.swap(TABLE, "a:b", before.as_deref(), after.as_deref()).await.unwrap()
        };
        assert!(!swap(Some("x"), Some("y")).await, "nothing stands there");
        assert!(swap(None, Some("one")).await);
        assert!(!swap(None, Some("two")).await, "something stands there");
        assert!(!swap(Some("two"), Some("three")).await, "something else stands there");
        assert_eq!(store.read(TABLE, "a:b").await.unwrap().unwrap(), b"one");
        assert!(swap(Some("one"), Some("")).await);
        assert_eq!(store.read(TABLE, "a:b").await.unwrap().unwrap(), b"");
        assert!(swap(Some(""), None).await);
        assert_eq!(store.read(TABLE, "a:b").await.unwrap(), None);
        assert!(swap(None, None).await);
    });
}

#[test]
fn what_stands_under_several_keys_is_read_in_their_order() {
    on_each(|store| async move {
        for key in ["a", "b"] {
            assert!(store.swap(TABLE, key, None, Some(key.as_bytes())).await.unwrap());
        }
        let read = store.read_each(&[(TABLE, "b"), (SHORT, "a"), (TABLE, "a")]).await;
        let read: Vec<Option<Vec<u8>>> = read.into_iter().map(Result::unwrap).collect();
        assert_eq!(read, [Some(b"b".to_vec()), None, Some(b"a".to_vec())]);
    });
}

#[test]
fn of_many_at_once_one_wins() {
    on_each(|store| async move {
        let racers = (0..16).map(|n: u8| {
            let store = Arc::clone(&store);
            tokio::spawn(async move { store.swap(TABLE, "x", None, Some(&[n])).await.unwrap() })
        });
        let mut won = 0;
        for racer in racers.collect::<Vec<_>>() {
            won += usize::from(racer.await.unwrap());
        }
        assert_eq!(won, 1);
    });
}

#[test]
fn a_table_is_listed_in_order_and_holds_only_so_much() {
    on_each(|store| async move {
        for key in ["b", ".a", "c:1"] {
            assert!(store.swap(TABLE, key, None, Some(key.as_bytes())).await.unwrap());
        }
        let listed = store.list(TABLE).await.unwrap();
        let keys: Vec<&str> = listed.iter().map(|(key, _)| key.as_str()).collect();
        assert_eq!(keys, [".a", "b", "c:1"]);
        assert!(listed.iter().all(|(key, entry)| key.as_bytes() == entry));
        assert!(store.swap(TABLE, "d", None, Some(b"x")).await.is_err(), "it is full");
        assert!(store.swap(TABLE, "b", Some(b"b"), Some(b"x")).await.unwrap());
        assert!(store.swap(TABLE, "b", Some(b"x"), None).await.unwrap());
        assert!(store.swap(TABLE, "d", None, Some(b"x")).await.unwrap());
        assert_eq!(store.list(FOR_EVER).await.unwrap(), []);
    });
}

#[test]
fn what_has_had_its_time_is_gone_and_makes_room() {
    on_each(|store| async move {
        for key in ["a", "b"] {
            assert!(store.swap(SHORT, key, None, Some(b"x")).await.unwrap());
        }
        assert!(store.swap(FOR_EVER, "a", None, Some(b"x")).await.unwrap());
        eventually("its time is over", async || store.read(SHORT, "b").await.unwrap().is_none())
            .await;
        assert_eq!(store.list(SHORT).await.unwrap(), []);
        assert!(store.swap(SHORT, "c", None, Some(b"x")).await.unwrap());
        assert!(store.read(FOR_EVER, "a").await.unwrap().is_some());
    });
}

#[test]
fn a_redis_that_is_not_there_is_a_fault() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let address = RedisAddress::new("redis://127.0.0.1:1").unwrap();
        let store = RedisStore::new(address, QueueNames::default()).unwrap();
        assert!(store.read(TABLE, "a").await.is_err());
        let each = store.read_each(&[(TABLE, "a"), (TABLE, "b")]).await;
        assert!(each.len() == 2 && each.iter().all(Result::is_err), "{each:?}");
    });
}
