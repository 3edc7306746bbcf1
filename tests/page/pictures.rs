//! The pictures of the page in the book, from a real run.

use serde_json::json;
use testkit::page::{click, draw, find, see};
use testkit::{Says, show_as, with_browser};

use crate::house::House;

/// An answer in the form that a model of this size is asked for.
fn says(message: &str, actions: &serde_json::Value) -> Says {
    Says::text(&json!({"message": message, "actions": actions}).to_string())
}

#[tokio::test]
#[ignore = "it writes the pictures of the book: cargo xtask record"]
async fn the_pictures_of_the_book() {
    let house = House::start([
        says(
            "Three things wait for you today:\n\n1. **The report** is due at noon.\n2. Ada asked about Friday.\n\
             3. The backup has run, see `safeclaw doctor`.\n\nShall I tell Ada that Friday is fine?",
            &json!([]),
        ),
        says("", &json!([{"name": "RING", "params": {"who": "Ada: Friday is fine."}}])),
    ]);
    with_browser(async |client| {
        show_as(client, (960, 760), false).await;
        house.sign_in(client).await;
        for (words, sign) in [("What is up today?", "Friday is fine?"), ("Yes, please do.", "")] {
            find(client, "#text").await.send_keys(words).await.unwrap();
            click(client, "#send").await;
            see(client, "#log .agent .body", sign).await;
        }
        see(client, ".card", "RING").await;
        // Once a click can't have been meant for what stood there before.
        let settled = ".card .allow:not([aria-disabled=true])";
        find(client, settled).await;
        for (name, is_dark) in [("page-light", false), ("page-dark", true)] {
            show_as(client, (960, 760), is_dark).await;
            draw(client, name).await;
        }
        show_as(client, (360, 740), false).await;
        find(client, settled).await;
        draw(client, "page-phone").await;
    })
    .await;
}
