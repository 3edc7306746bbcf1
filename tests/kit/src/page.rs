//! What a person sees on a page and does there, in a real browser.

use std::time::Duration;

use fantoccini::actions::{InputSource, KeyAction, KeyActions};
use fantoccini::elements::Element;
use fantoccini::key::Key;
use fantoccini::{Client, Locator};

/// Far more than anything on a page takes.
const LONG: Duration = Duration::from_secs(60);

/// How often it is looked.
const LOOKS: Duration = Duration::from_millis(50);

/// The element, once it is there.
///
/// # Panics
/// When it never is.
pub async fn find(client: &Client, css: &str) -> Element {
    match client.wait().at_most(LONG).for_element(Locator::Css(css)).await {
        Ok(found) => found,
        Err(error) => {
            let (at, shown) = (client.current_url().await, client.source().await);
            panic!("{css}: {error}, at {at:?}, which is {shown:?}")
        }
    }
}

/// Clicks on the element, once it is there.
///
/// # Panics
/// When it never is, or can't be clicked on.
pub async fn click(client: &Client, css: &str) {
    find(client, css).await.click().await.unwrap_or_else(|error| panic!("{css}: {error}"));
}

/// What the element says; nothing when it is not there.
///
/// # Panics
/// When the browser refuses.
pub async fn text(client: &Client, css: &str) -> String {
    let script = "return document.querySelector(arguments[0])?.innerText ?? ''";
    let text = client.execute(script, vec![css.into()]).await.unwrap();
    text.as_str().unwrap_or_default().to_owned()
}

/// Waits until the element says `wanted`.
///
/// # Panics
/// When it never does, with what it says instead.
pub async fn see(client: &Client, css: &str, wanted: &str) {
    let saying = async {
        while !text(client, css).await.contains(wanted) {
            tokio::time::sleep(LOOKS).await;
        }
    };
    if tokio::time::timeout(LONG, saying).await.is_err() {
        panic!("{css} never says {wanted:?}, but {:?}", text(client, css).await);
    }
}

/// Presses a key, wherever the focus is.
///
/// # Panics
/// When the browser refuses.
pub async fn press(client: &Client, key: Key) {
    let key = char::from(key);
    let keys = KeyActions::new("keys".to_owned())
        .then(KeyAction::Down { value: key })
        .then(KeyAction::Up { value: key });
    client.perform_actions(keys).await.unwrap();
}

/// What has the focus: the element's name and its text, such as `BUTTON Deny`.
///
/// # Panics
/// When the browser refuses.
pub async fn focused(client: &Client) -> String {
    let script = "const at = document.activeElement; return at === document.body ? 'BODY' : `${at.tagName} ${at.innerText ?? ''}`";
    let said = client.execute(script, Vec::new()).await.unwrap();
    said.as_str().unwrap_or_default().trim().to_owned()
}

/// Presses Tab until `is_there` says so of what has the focus, and gives all that had it before.
///
/// # Panics
/// When it never is.
pub async fn tab_to(client: &Client, is_there: impl Fn(&str) -> bool) -> Vec<String> {
    let mut passed = Vec::new();
    loop {
        let here = focused(client).await;
        if is_there(&here) {
            return passed;
        }
        assert!(passed.len() < 80, "{passed:?}");
        passed.push(here);
        press(client, Key::Tab).await;
    }
}

/// Writes what the page looks like to `docs/src/pictures/NAME.png`.
///
/// # Panics
/// When it can't be drawn or written.
pub async fn draw(client: &Client, name: &str) {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/src/pictures");
    std::fs::create_dir_all(folder).unwrap();
    let picture = client.screenshot().await.unwrap();
    std::fs::write(format!("{folder}/{name}.png"), picture).unwrap();
}
