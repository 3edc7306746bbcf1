//! What happens on the page while something else is on its way.

use fantoccini::Client;
use fantoccini::key::Key;
use serde_json::{Value, json};
use testkit::page::{click, find, press, see, text};
use testkit::{Says, runs_first, with_browser};

use crate::files::{drop_files, hold};
use crate::house::{House, call};

async fn say(client: &Client, words: &str) {
    find(client, "#text").await.send_keys(words).await.unwrap();
    press(client, Key::Escape).await;
    press(client, Key::Enter).await;
}

async fn gives(client: &Client, script: &str) -> Value {
    client.execute(&format!("return {script}"), Vec::new()).await.unwrap()
}

/// Has the page keep what it posts as answers in `answered`.
const ANSWERED: &str = "window.answered = []; const post = window.fetch;
    window.fetch = (to, options) => { if (String(to) === '/v1/answers') answered.push(options.body); return post(to, options); };";

/// Lets a test tell the page something, as the agent would, once `hears` is settled: `told(what)`.
const TOLD: &str = "const Real = window.EventSource;
    window.EventSource = class extends Real { constructor(from) { super(from);
        window.hears = new Promise((hears) => this.addEventListener('now', hears));
        window.told = (told) => this.dispatchEvent(new MessageEvent(told.type, { data: JSON.stringify(told) })); } };";

#[tokio::test]
async fn a_command_takes_no_files_and_waits_for_none() {
    let house = House::start([Says::text("Seen.")]);
    with_browser(async |client| {
        house.sign_in(client).await;
        hold(client, "/v1/files").await;
        drop_files(client, &[("slow.txt", b"slow")]).await;
        say(client, "first").await;
        drop_files(client, &[("next.txt", b"next")]).await;
        say(client, "/status").await;
        see(client, "#log .line.text", "workspace:").await;
        let attached = text(client, "#attached").await;
        assert!(attached.contains("slow.txt") && attached.contains("next.txt"), "{attached}");
        assert_eq!(gives(client, "document.querySelectorAll('#attached button').length").await, 1);
        assert!(house.model.prompts().is_empty(), "the message waits for its file");
    })
    .await;
}

#[tokio::test]
async fn a_click_that_was_meant_for_what_stood_there_before_allows_nothing() {
    let long: String = (0..200).map(|line| format!("Line {line}\n\n")).collect();
    let house = House::start([
        call("RING", &json!({"who": "Ada"})),
        Says::text("It waits."),
        Says::text(&long),
    ]);
    with_browser(async |client| {
        runs_first(client, ANSWERED).await;
        house.sign_in(client).await;
        let at_once = "new MutationObserver((_, watch) => { const at = document.querySelector('.card .allow'); if (!at) return;
            watch.disconnect(); at.dispatchEvent(new MouseEvent('click', { bubbles: true, detail: 1 })); }).observe(document.body, { childList: true, subtree: true })";
        client.execute(at_once, Vec::new()).await.unwrap();
        say(client, "ring Ada").await;
        see(client, "#log", "It waits.").await;
        assert_eq!(gives(client, "answered").await, json!([]));
        // While somebody is at the question, it stays where it is.
        click(client, ".card h3").await;
        let place = "document.querySelector('.card').getBoundingClientRect().top";
        let before = gives(client, place).await;
        client.execute("document.getElementById('text').value = 'many lines'; document.getElementById('composer').requestSubmit()", Vec::new()).await.unwrap();
        see(client, "#log .agent:last-child", "Line 199").await;
        assert_eq!(gives(client, place).await, before);
        click(client, ".card .allow[aria-disabled=false]").await;
        see(client, "#log", "RING: ok").await;
        assert_eq!(gives(client, "answered.length").await, 1);
        // The buttons are gone, and the focus is where they were.
        assert_eq!(gives(client, "document.activeElement.className").await, "card settled");
    })
    .await;
}

#[tokio::test]
async fn a_browser_that_shows_no_notification_shows_the_question() {
    let house = House::start([call("RING", &json!({"who": "Ada"})), Says::text("It waits.")]);
    with_browser(async |client| {
        let android = "Object.defineProperty(document, 'hidden', { get: () => true });
            window.Notification = class { static permission = 'granted'; constructor() { throw new TypeError('Illegal constructor'); } };";
        runs_first(client, android).await;
        house.sign_in(client).await;
        say(client, "ring Ada").await;
        see(client, ".card pre", "\"who\": \"Ada\"").await;
        see(client, "#log", "It waits.").await;
        assert!(client.title().await.unwrap().starts_with("(1)"));
    })
    .await;
}

#[tokio::test]
async fn an_answer_goes_on_above_a_message_that_is_sent_meanwhile() {
    let house = House::start([]);
    with_browser(async |client| {
        runs_first(client, TOLD).await;
        house.sign_in(client).await;
        // The agent tells the conversation so far first, and with that the page begins anew.
        client.execute_async("hears.then(() => arguments[0]())", Vec::new()).await.unwrap();
        let told = "told({ type: 'begin', ticket: '1', text: 'hi', from: 'http:owner' });
            told({ type: 'words', text: 'It begins ' }); told({ type: 'sent', ticket: '2', text: 'and now?' });
            told({ type: 'reminder', text: 'Reminder: tea', at: 1 }); told({ type: 'words', text: 'and goes on.' });";
        client.execute(told, Vec::new()).await.unwrap();
        see(client, "#log .agent", "It begins and goes on.").await;
        let order = "[...document.querySelectorAll('#log > *')].map((one) => one.className).join()";
        let wanted = "message person,message agent,message person,line text";
        assert_eq!(gives(client, order).await, wanted);
        // What comes before an action is whole once the action is there.
        client.execute("told({ type: 'action', told: 'RING: ok' })", Vec::new()).await.unwrap();
        assert_eq!(gives(client, "document.querySelectorAll('[aria-busy]').length").await, 0);
    })
    .await;
}

#[tokio::test]
async fn a_request_that_is_lost_is_told_in_the_words_of_the_page_and_nothing_else_is_lost() {
    let house = House::start([Says::text("Good morning.")]);
    with_browser(async |client| {
        let lost = "const real = window.fetch; window.lost = ['/v1/commands'];
            window.fetch = async (to, options) => { if (lost.includes(String(to))) throw new TypeError('Failed to fetch'); return real(to, options); };";
        runs_first(client, lost).await;
        house.sign_in(client).await;
        see(client, "#alert", "The agent can't be reached").await;
        say(client, "hi").await;
        see(client, "#log .agent", "Good morning.").await;
        client.execute("lost.push('/v1/messages')", Vec::new()).await.unwrap();
        say(client, "and now?").await;
        see(client, "#alert", "The agent can't be reached").await;
        assert_eq!(gives(client, "document.getElementById('text').value").await, "and now?");
    })
    .await;
}

#[tokio::test]
async fn who_is_signed_out_leaves_nothing_on_the_screen_and_nothing_in_the_browser() {
    let house = House::start([Says::text("Only for you."), Says::text("Only for you.")]);
    with_browser(async |client| {
        for is_here in [true, false] {
            house.sign_in(client).await;
            say(client, "hi").await;
            see(client, "#log .agent", "Only for you.").await;
            find(client, "#text").await.send_keys("a draft").await.unwrap();
            if is_here {
                click(client, "#sign-out").await;
            } else {
                house.revoke();
            }
            see(client, "#alert", "This browser is not signed in").await;
            see(client, "#scroller", "").await;
            let left = "document.getElementById('log').textContent + document.getElementById('before').textContent
                + document.getElementById('text').value + (sessionStorage.getItem('draft') || '')";
            assert_eq!(gives(client, left).await, "");
        }
    })
    .await;
}
