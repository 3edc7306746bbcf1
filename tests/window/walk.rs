//! What the owner sees and does at the window, with a mouse, by keys alone, and on a phone.

use fantoccini::key::Key;
use testkit::page::{click, find, focused, press, see, tab_to, text};
use testkit::{complaints, runs_first, serious_findings, show_as, with_browser};

use crate::house::{chat, home, link, open, told};

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
        see(client, ".card h3", "Ring somebody's bell: who = ").await;
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

/// Changes what the window is told of how everything stands, where `changed` is a function of it.
fn sees(changed: &str) -> String {
    format!(
        "const real = window.fetch; window.fetch = async (to, options) => {{ const answer = await real(to, options);
            if (String(to) !== '/v1/sight' || !answer.ok) return answer;
            const told = await answer.json(); ({changed})(told.sight); return new Response(JSON.stringify(told)); }};"
    )
}

#[tokio::test]
async fn everything_can_be_stopped_where_one_place_still_goes_on() {
    let home = home();
    let _chat = chat(&home);
    with_browser(async |client| {
        let run = "{ id: '-', action: 'SLEEP', session: 'owner', since: null, router: 'b' }";
        let changed = format!("(sight) => {{ sight.stops.push({{ place: 'the queue', why: null }}); sight.running = [{run}, {run}]; }}");
        runs_first(client, &sees(&changed)).await;
        open(client, &home).await;
        let runs = "return document.querySelectorAll('#running ul:first-of-type li').length";
        assert_eq!(client.execute(runs, Vec::new()).await.unwrap(), 2);
        click(client, "#switch .stop").await;
        see(client, "#standing", "Stopped: this machine. Not stopped: the queue").await;
        find(client, "#switch .quiet").await;
        click(client, "#switch .stop").await;
        see(client, "#switch .told", "everything is stopped").await;
    })
    .await;
}

#[tokio::test]
async fn a_question_is_shown_and_answered_where_a_notification_is_not() {
    let home = home();
    let mut chat = chat(&home);
    with_browser(async |client| {
        let android = "Object.defineProperty(document, 'hidden', { get: () => true });
            window.Notification = class { static permission = 'granted'; constructor() { throw new TypeError('Illegal constructor'); } };";
        runs_first(client, android).await;
        open(client, &home).await;
        see(client, "#questions", "No question waits").await;
        chat.ask("/run RING {\"who\": \"A\"}", "RING: pending");
        see(client, "#said", "A new question").await;
        // What stands behind the questions is shown as well.
        see(client, "#running", "RING · pending").await;
        find(client, ".card .deny").await.send_keys(&char::from(Key::Enter).to_string()).await.unwrap();
        chat.expect("RING: refused");
        find(client, ".card.settled").await;
        let focus = "return document.activeElement.className";
        assert_eq!(client.execute(focus, Vec::new()).await.unwrap(), "card settled");
    })
    .await;
}

#[tokio::test]
async fn a_link_opens_the_window_after_a_press_that_was_lost_and_a_lock_waits_for_nobody() {
    let home = home();
    let _chat = chat(&home);
    with_browser(async |client| {
        let lost =
            "const real = window.fetch; let times = 1; window.fetch = async (to, options) => {
            if (String(to) === '/v1/open' && times-- > 0) throw new TypeError('Failed to fetch');
            return String(to) === '/v1/lock' ? new Promise(() => {}) : real(to, options); };";
        runs_first(client, lost).await;
        client.goto(&link(&home)).await.unwrap();
        click(client, "#door button").await;
        see(client, "#door", "The router can't be reached").await;
        click(client, "#door button").await;
        see(client, "#standing", "Everything goes on").await;
        click(client, "#lock").await;
        see(client, "#door", "The window is locked").await;
        let kept = "return sessionStorage.getItem('token')";
        assert!(client.execute(kept, Vec::new()).await.unwrap().is_null());
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
        let left = "return document.getElementById('wall').childNodes.length + document.title";
        assert_eq!(client.execute(left, Vec::new()).await.unwrap(), "0SafeClaw: the wall");
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
