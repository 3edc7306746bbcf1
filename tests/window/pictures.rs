//! The pictures of the window in the book, from a real run.

use std::time::Duration;

use testkit::page::{draw, see};
use testkit::{show_as, with_browser};

use crate::house::{chat, home, open};

#[tokio::test]
#[ignore = "it writes the pictures of the book: cargo xtask record"]
async fn the_pictures_of_the_book() {
    let home = home();
    let mut chat = chat(&home);
    with_browser(async |client| {
        show_as(client, (1280, 900), false).await;
        open(client, &home).await;
        for who in ["Ada", "Zoë", "Emmy"] {
            chat.ask(
                &format!("/run RING {{\"who\": \"{who}: Friday is fine.\"}}"),
                "RING: pending",
            );
            chat.ask("/run FAIL", "FAIL: ");
        }
        chat.say("/run SLEEP");
        see(client, "#running", "SLEEP").await;
        // Long enough for the charts to have some points.
        tokio::time::sleep(Duration::from_secs(45)).await;
        for (name, is_dark) in [("window-light", false), ("window-dark", true)] {
            show_as(client, (1280, 900), is_dark).await;
            draw(client, name).await;
        }
        show_as(client, (360, 740), true).await;
        draw(client, "window-phone").await;
    })
    .await;
}
