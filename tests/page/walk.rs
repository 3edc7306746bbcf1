//! The walk of an owner through the page.

use fantoccini::key::Key;
use serde_json::json;
use testkit::page::{click, find, focused, press, see, tab_to, text};
use testkit::{Says, TempHome, complaints, runs_first, serious_findings, show_as, with_browser};

use crate::house::{House, call, set_pin};

/// A phone and a desk, in pixels.
const PHONE: (u32, u32) = (360, 740);
const DESK: (u32, u32) = (1280, 900);

async fn say(client: &fantoccini::Client, words: &str) {
    find(client, "#text").await.send_keys(words).await.unwrap();
    click(client, "#send").await;
}

#[tokio::test]
async fn the_owner_signs_in_talks_denies_and_allows() {
    let house = House::start([
        Says::text("Hello. **You** are welcome."),
        call("RING", &json!({"who": "Zoë"})),
        Says::text("It waits for you."),
        call("RING", &json!({"who": "Ada"})),
        Says::text("It waits again."),
    ]);
    with_browser(async |client| {
        house.sign_in(client).await;
        say(client, "hi").await;
        see(client, "#log .agent .body strong", "You").await;
        say(client, "ring Zoë").await;
        see(client, ".card pre", "\"who\": \"Zoë\"").await;
        see(client, "#log", "It waits for you.").await;
        click(client, ".card .deny").await;
        see(client, ".card.settled .outcome", "said no").await;
        see(client, "#log", "RING: refused").await;
        say(client, "ring Ada").await;
        see(client, "#log", "It waits again.").await;
        click(client, ".card:not(.settled) .allow[aria-disabled=false]").await;
        see(client, "#log", "RING: ok").await;
        assert_eq!(complaints(client).await, Vec::<String>::new());
    })
    .await;
}

#[tokio::test]
async fn a_question_of_before_a_restart_is_a_card_and_is_answered() {
    let House { home, chat: mut first, .. } =
        House::start([call("RING", &json!({"who": "Ada"})), Says::text("It waits.")]);
    first.ask("ring Ada", "It waits.");
    first.terminate();
    first.wait();
    let house = House::start_in(home, []);
    with_browser(async |client| {
        house.sign_in(client).await;
        see(client, ".card pre", "\"who\": \"Ada\"").await;
        click(client, ".card .allow[aria-disabled=false]").await;
        see(client, "#log", "RING: ok").await;
        assert_eq!(complaints(client).await, Vec::<String>::new());
    })
    .await;
}

#[tokio::test]
async fn a_pin_is_typed_into_its_question_and_seen_nowhere() {
    let home = TempHome::new();
    home.put(
        "router/policy.toml",
        "[effects]\nnone = \"allow\"\nexternal = \"allow\"\n[pin]\nfor = [\"RING\"]\n",
    );
    set_pin(&home, "493817");
    let house =
        House::start_in(home, [call("RING", &json!({"who": "Ada"})), Says::text("It waits.")]);
    with_browser(async |client| {
        house.sign_in(client).await;
        say(client, "ring Ada").await;
        see(client, ".card pre", "to go on, type your PIN").await;
        for (typed, told) in [("000017", "2 more wrong ones lock it"), ("493817", "RING: ok")] {
            find(client, ".card input[type=password]").await.send_keys(typed).await.unwrap();
            click(client, ".card:not(.settled) .allow[aria-disabled=false]").await;
            see(client, "#log", told).await;
        }
        see(client, ".card.settled .outcome", "the PIN").await;
        let page = client.source().await.unwrap();
        assert!(!page.contains("493817") && !page.contains("000017"), "{page}");
        assert_eq!(complaints(client).await, Vec::<String>::new());
    })
    .await;
    let kept =
        house.home.text("workspace/input_history.json") + &house.home.text("workspace/agent.log");
    assert!(!kept.contains("493817") && !kept.contains("000017"), "{kept}");
}

#[tokio::test]
async fn a_reload_in_mid_stream_loses_and_doubles_nothing() {
    let house = House::start([Says::Begins("It begins here".to_owned())]);
    with_browser(async |client| {
        house.sign_in(client).await;
        say(client, "tell me").await;
        see(client, "#log .agent .body", "It begins here").await;
        find(client, "#text").await.send_keys("a draft").await.unwrap();
        for _ in 0..3 {
            client.refresh().await.unwrap();
            see(client, "#log .agent .body", "It begins here").await;
        }
        let log = text(client, "#scroller").await;
        assert_eq!(log.matches("It begins here").count(), 1, "{log}");
        assert_eq!(log.matches("tell me").count(), 1, "{log}");
        let draft = client.execute("return document.getElementById('text').value", Vec::new());
        assert_eq!(draft.await.unwrap(), "a draft");
        click(client, "#stop").await;
        see(client, "#log", "stopped").await;
        assert_eq!(complaints(client).await, Vec::<String>::new());
    })
    .await;
}

#[tokio::test]
async fn a_reload_shows_the_place_that_was_read() {
    let lines: String = (0..300).map(|line| format!("Line {line}\n\n")).collect();
    let house = House::start([Says::text(&lines)]);
    with_browser(async |client| {
        house.sign_in(client).await;
        say(client, "many lines").await;
        see(client, "#log .agent .body", "Line 299").await;
        let up = "const view = document.getElementById('scroller'); view.scrollTop = view.scrollHeight / 2;
            const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done(view.scrollHeight - view.scrollTop)))";
        let before = client.execute_async(up, Vec::new()).await.unwrap().as_f64().unwrap();
        client.refresh().await.unwrap();
        see(client, "#log .agent .body", "Line 299").await;
        let from_end = "const view = document.getElementById('scroller'); return view.scrollHeight - view.scrollTop";
        let mut after = 0.0;
        for _ in 0..200 {
            after = client.execute(from_end, Vec::new()).await.unwrap().as_f64().unwrap();
            if (after - before).abs() < 20.0 {
                return;
            }
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
        panic!("it was read {before} from its end, and is shown {after} from it");
    })
    .await;
}

#[tokio::test]
async fn two_tabs_hear_the_same_once() {
    let house = House::start([Says::text("Only once.")]);
    with_browser(async |client| {
        house.sign_in(client).await;
        let first = client.window().await.unwrap();
        let second = client.new_window(true).await.unwrap().handle;
        client.switch_to_window(second).await.unwrap();
        client.goto(&format!("http://127.0.0.1:{}/", house.port)).await.unwrap();
        see(client, "#standing", "Model: ").await;
        say(client, "hi").await;
        see(client, "#log .agent", "Only once.").await;
        client.switch_to_window(first).await.unwrap();
        see(client, "#log .agent", "Only once.").await;
        let log = text(client, "#scroller").await;
        assert_eq!(log.matches("Only once.").count(), 1, "{log}");
    })
    .await;
}

#[tokio::test]
async fn nobody_is_kept_out_by_the_page_itself() {
    let house = House::start([
        Says::text(
            "# A title\n\n- one\n- two\n\n```rust\nfn main() {}\n```\n\n[a link](https://example.org/x)\n\n|a|b|\n|-|-|\n|1|2|",
        ),
        call("WIPE", &json!({})),
    ]);
    with_browser(async |client| {
        house.sign_in(client).await;
        say(client, "hi").await;
        see(client, "#log .agent .body", "main").await;
        say(client, "wipe it").await;
        see(client, ".card", "WIPE").await;
        click(client, "#show-chats").await;
        see(client, "#chats", "").await;
        for (screen, is_dark) in [(DESK, false), (DESK, true), (PHONE, false), (PHONE, true)] {
            show_as(client, screen, is_dark).await;
            let wider = "return document.documentElement.scrollWidth - document.documentElement.clientWidth";
            assert_eq!(client.execute(wider, Vec::new()).await.unwrap(), 0, "{screen:?}");
            assert_eq!(serious_findings(client).await, Vec::<String>::new(), "{screen:?} {is_dark}");
        }
        assert_eq!(complaints(client).await, Vec::<String>::new());
    })
    .await;
}

#[tokio::test]
async fn by_keys_alone_on_a_phone_and_enter_by_itself_allows_nothing() {
    let house = House::start([call("WIPE", &json!({})), Says::text("Done.")]);
    with_browser(async |client| {
        show_as(client, PHONE, false).await;
        client.goto(&house.link()).await.unwrap();
        assert_eq!(serious_findings(client).await, Vec::<String>::new());
        tab_to(client, |here| here.starts_with("BUTTON")).await;
        press(client, Key::Enter).await;
        see(client, "#standing", "Model: ").await;
        tab_to(client, |here| here.starts_with("TEXTAREA")).await;
        client.active_element().await.unwrap().send_keys("wipe it").await.unwrap();
        press(client, Key::Enter).await;
        see(client, ".card pre", "to allow it, type ").await;
        // The focus stays where it was.
        assert!(focused(client).await.starts_with("TEXTAREA"));
        press(client, Key::Enter).await;
        let passed = tab_to(client, |here| here.starts_with("INPUT")).await;
        assert!(passed.iter().any(|here| here == "BUTTON Deny"), "{passed:?}");
        assert!(!passed.iter().any(|here| here == "BUTTON Allow once"), "{passed:?}");
        // Without its code nothing is allowed: the focus goes back to the field.
        press(client, Key::Tab).await;
        assert_eq!(focused(client).await, "BUTTON Allow once");
        press(client, Key::Enter).await;
        assert!(focused(client).await.starts_with("INPUT"));
        let exact = text(client, ".card pre").await;
        let code = exact.rsplit("type ").next().unwrap().trim().to_owned();
        client.active_element().await.unwrap().send_keys(&code).await.unwrap();
        press(client, Key::Enter).await;
        assert!(!text(client, ".card").await.contains("on its way"));
        press(client, Key::Tab).await;
        assert_eq!(focused(client).await, "BUTTON Allow once");
        press(client, Key::Enter).await;
        see(client, "#log", "WIPE: ok").await;
        assert_eq!(complaints(client).await, Vec::<String>::new());
    })
    .await;
}

#[tokio::test]
async fn a_browser_whose_clock_is_an_hour_ahead_shows_the_time_that_is_left() {
    let house = House::start([call("WIPE", &json!({}))]);
    with_browser(async |client| {
        let ahead = "const real = Date.now; Date.now = () => real() + 3600000;";
        runs_first(client, ahead).await;
        house.sign_in(client).await;
        say(client, "wipe it").await;
        see(client, ".card .left", " min left").await;
        client.refresh().await.unwrap();
        see(client, ".card .left", " min left").await;
    })
    .await;
}
