//! What the owner sees and does at the window, with a mouse, by keys alone, and on a phone.

use fantoccini::key::Key;
use testkit::page::{click, find, focused, press, see, tab_to, text};
use testkit::{complaints, serious_findings, show_as, with_browser};

use crate::house::{chat, home, open, told};

/// A phone and a desk, in pixels.
const PHONE: (u32, u32) = (360, 740);
const DESK: (u32, u32) = (1280, 900);

#[tokio::test]
async fn the_owner_answers_questions_with_their_exact_bytes() {
    let home = home();
    let mut chat = chat(&home);
    with_browser(async |client| {
        open(client, &home).await;
        see(client, "#questions", "No question waits").await;
        chat.ask("/run RING {\"who\": \"Z\\u202eo\"}", "RING: pending");
        see(client, ".card h3", "RING who = ").await;
        see(client, ".card pre", "\\u{202e}").await;
        see(client, ".card pre", "asked because").await;
        click(client, ".card .deny").await;
        chat.expect("RING: refused, a person said no");
        see(client, ".card.settled .outcome", "refused here").await;
        see(client, ".card.settled .outcome", "What came of it: denied").await;
        chat.ask("/run RING {\"who\": \"A\"}", "RING: pending");
        click(client, ".card:not(.settled) .allow").await;
        chat.expect("RING: ok");
        see(client, ".card.settled:last-of-type .outcome", "allowed here").await;
        see(client, "#running", "RING · ok").await;
        assert_eq!(complaints(client).await, Vec::<String>::new());
    })
    .await;
    let rows = home.text("router/audit/cli.jsonl");
    assert!(rows.contains("\"way\":\"window\"") && rows.contains("\"answer\":\"yes\""), "{rows}");
}

#[tokio::test]
async fn where_the_policy_takes_answers_from_the_routers_side_alone_the_window_gives_them() {
    let home = home();
    let policy = "[effects]\nirreversible = \"ask\"\n[approval]\nvia = \"router\"\n";
    home.put("router/policy.toml", policy);
    let mut chat = chat(&home);
    with_browser(async |client| {
        open(client, &home).await;
        chat.ask("/run WIPE", "WIPE: pending");
        see(client, ".card pre", "to allow it, type ").await;
        click(client, ".card .allow").await;
        see(client, ".card .outcome", "Type the code").await;
        let exact = text(client, ".card pre").await;
        let code = exact.rsplit("type ").next().unwrap().trim().to_owned();
        find(client, ".card input").await.send_keys(&code).await.unwrap();
        click(client, ".card .allow").await;
        chat.expect("WIPE: ok");
    })
    .await;
}

#[tokio::test]
async fn everything_stops_and_goes_on_at_the_window() {
    let home = home();
    let mut chat = chat(&home);
    with_browser(async |client| {
        open(client, &home).await;
        chat.say("/run SLEEP");
        see(client, "#running", "SLEEP · conversation owner · for").await;
        click(client, "#switch .stop").await;
        see(client, "#standing", "Everything is stopped").await;
        chat.expect("everything is stopped");
        click(client, "#switch button").await;
        see(client, "#switch .asks", "Let everything go on?").await;
        click(client, "#switch .deny").await;
        see(client, "#standing", "Everything is stopped").await;
        click(client, "#switch > button").await;
        click(client, "#switch .allow").await;
        see(client, "#standing", "Everything goes on").await;
    })
    .await;
}

#[tokio::test]
async fn what_is_allowed_what_runs_and_what_was_written_down_is_shown() {
    let home = home();
    let mut chat = chat(&home);
    with_browser(async |client| {
        open(client, &home).await;
        chat.ask("/run RING {\"who\": \"A\"}", "RING: pending");
        see(client, ".answers .quiet", "it would have allowed 0 in the last 30 days").await;
        click(client, ".answers .quiet").await;
        chat.expect("RING: ok");
        see(client, "#grants", "RING with any who").await;
        chat.ask("/run RING {\"who\": \"B\"}", "RING: ok");
        click(client, "#grants .act button").await;
        see(client, "#grants", "Nothing is allowed beyond the policy").await;
        chat.ask("/run RING {\"who\": \"C\"}", "RING: pending");
        chat.ask("/run FAIL", "FAIL: ");
        see(client, "#skills", "ended with code 3").await;
        see(client, "#audit .rows", "RING").await;
        click(client, "#audit .main").await;
        see(client, "#audit .proofs", "holds: router-1").await;
        let action = find(client, "#explain-action").await;
        action.clear().await.unwrap();
        action.send_keys("WIPE").await.unwrap();
        click(client, "#explain .main").await;
        see(client, "#explain pre", "a person would be asked first").await;
        assert_eq!(complaints(client).await, Vec::<String>::new());
    })
    .await;
    drop(chat);
    let verified = told(&home, &["router", "audit", "verify"]);
    assert!(verified.contains("cli: ") && !verified.contains("BROKEN"), "{verified}");
}

#[tokio::test]
async fn nobody_is_kept_out_by_the_page_itself() {
    let home = home();
    let mut chat = chat(&home);
    with_browser(async |client| {
        open(client, &home).await;
        chat.ask("/run WIPE", "WIPE: pending");
        chat.ask("/run FAIL", "FAIL: ");
        see(client, ".card", "WIPE").await;
        for (screen, is_dark) in [(DESK, false), (DESK, true), (PHONE, false), (PHONE, true)] {
            show_as(client, screen, is_dark).await;
            let wider = "return document.documentElement.scrollWidth - document.documentElement.clientWidth";
            assert_eq!(client.execute(wider, Vec::new()).await.unwrap(), 0, "{screen:?}");
            assert_eq!(serious_findings(client).await, Vec::<String>::new(), "{screen:?} {is_dark}");
        }
        // Locked, it shows its door, which nobody is kept out of either.
        click(client, "#lock").await;
        see(client, "#door", "The window is locked").await;
        assert_eq!(serious_findings(client).await, Vec::<String>::new());
    })
    .await;
}

#[tokio::test]
async fn a_question_is_answered_by_keys_alone_and_enter_by_itself_allows_nothing() {
    let home = home();
    let mut chat = chat(&home);
    with_browser(async |client| {
        show_as(client, PHONE, false).await;
        open(client, &home).await;
        chat.ask("/run WIPE", "WIPE: pending");
        see(client, ".card", "WIPE").await;
        let before = focused(client).await;
        assert!(!before.contains("Allow") && !before.contains("Deny"), "{before}");
        let passed = tab_to(client, |here| here.starts_with("INPUT")).await;
        // Deny comes before the code and before Allow.
        assert!(passed.iter().any(|text| text == "BUTTON Deny"), "{passed:?}");
        assert!(!passed.iter().any(|text| text == "BUTTON Allow"), "{passed:?}");
        let exact = text(client, ".card pre").await;
        let code = exact.rsplit("type ").next().unwrap().trim().to_owned();
        client.active_element().await.unwrap().send_keys(&code).await.unwrap();
        press(client, Key::Enter).await;
        press(client, Key::Enter).await;
        assert!(told(&home, &["router", "approvals"]).contains("WIPE"), "Enter has allowed it");
        press(client, Key::Tab).await;
        assert_eq!(focused(client).await, "BUTTON Allow");
        press(client, Key::Enter).await;
        chat.expect("WIPE: ok");
    })
    .await;
}
