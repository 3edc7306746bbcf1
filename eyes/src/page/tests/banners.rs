//! Banners of each kind are dismissed, and nothing else is ever clicked.

use super::kit::{Answer, Site, look, see, see_each, with_browser};
use crate::look::Seen;
use crate::page::banner::SCRIPT;
use crate::page::phrases;

/// A button's script that says what was clicked, and takes the banner away.
const CLICK: &str = "document.title += this.innerText || this.value; \
    this.getRootNode().host?.remove(); this.closest('.b')?.remove();";

/// A banner at the bottom with this text, and a page below it.
fn with_banner(text: &str, buttons: &str) -> String {
    format!(
        "<title></title><p>The page itself</p>\
        <div class=b style='position:fixed;bottom:0;left:0;right:0;background:silver'>\
        <p>{text}</p>{buttons}</div>"
    )
}

fn button(label: &str) -> String {
    format!("<button onclick=\"{CLICK}\">{label}</button>")
}

fn dismissed(seen: &Seen) -> bool {
    seen.remarks.iter().any(|remark| remark.starts_with("a cookie banner was dismissed"))
}

/// What was clicked on each page, by the title that the click left.
async fn clicked(pages: &[String]) -> Vec<String> {
    let mut titles = Vec::new();
    for seen in see_each(pages).await {
        assert_eq!(dismissed(&seen), !seen.title.is_empty(), "{:?} {:?}", seen.title, seen.remarks);
        titles.push(seen.title);
    }
    titles
}

#[tokio::test]
async fn what_gives_away_least_is_clicked_in_each_language() {
    let cases = [
        ("We use cookies", "Accept all", "Reject all"),
        ("Wir verwenden Cookies", "Alle akzeptieren", "Nur notwendige Cookies"),
        ("Nous utilisons des cookies", "Tout accepter", "Continuer sans accepter →"),
        ("Usamos cookies", "Aceptar todo", "Rechazar todo"),
        ("Usiamo i cookie", "Accetta tutti", "Rifiuta tutto"),
        ("我们重视您的隐私", "全部接受", "全部拒绝"),
        ("我們重視您的隱私", "全部接受", "僅接受必要 Cookie"),
        ("我哋用 Cookie", "接受晒", "唔同意"),
        ("当サイトではクッキーを使用しています", "すべて同意する", "すべて拒否"),
    ];
    let pages =
        cases.map(|(text, accept, reject)| with_banner(text, &(button(accept) + &button(reject))));
    assert_eq!(clicked(&pages).await, cases.map(|(_, _, reject)| reject));
}

#[tokio::test]
async fn closing_comes_before_accepting_which_comes_last() {
    let three = [button("OK"), button("×"), button("More about cookies")].concat();
    assert_eq!(clicked(&[with_banner("We use cookies.", &three)]).await, ["×"]);
    let one = button("Got it!");
    let seen = see(&with_banner("We use cookies.", &one)).await;
    assert_eq!(seen.text, "The page itself");
    let said = "a cookie banner was dismissed (it was accepted, for there was no other way)";
    assert_eq!(seen.remarks, [said]);
}

#[tokio::test]
async fn every_kind_of_button_is_one() {
    let elements = [
        format!("<a href='#' onclick=\"{CLICK}\">Reject all</a>"),
        format!("<a onclick=\"{CLICK}\">Reject all</a>"),
        format!("<div role=button onclick=\"{CLICK}\">  REJECT\n ALL </div>"),
        format!("<input type=button value='Reject all' onclick=\"{CLICK}\">"),
        format!(
            "<form onsubmit='return false'><input type=submit value='Reject all' onclick=\"{CLICK}\"></form>"
        ),
        format!(
            "<button aria-label='Reject all' onclick=\"document.title='ok';{CLICK}\"><svg width=20 height=20></svg></button>"
        ),
    ];
    let pages = elements.each_ref().map(|element| with_banner("We use cookies", element));
    for (seen, element) in see_each(&pages).await.iter().zip(elements) {
        assert!(dismissed(seen), "{element}: {:?}", seen.remarks);
        assert_eq!(seen.text, "The page itself", "{element}");
    }
}

#[tokio::test]
async fn a_banner_in_a_shadow_root_is_found() {
    let inner =
        format!("<div style='position:fixed;bottom:0'>We use cookies {}</div>", button("Deny"));
    let html = format!(
        "<title></title><p>The page itself</p><div id=usercentrics-root></div><script>\
        document.getElementById('usercentrics-root').attachShadow({{mode:'open'}}).innerHTML = `{inner}`</script>"
    );
    let seen = see(&html).await;
    assert_eq!((seen.title.as_str(), seen.text.as_str()), ("Deny", "The page itself"));
}

#[tokio::test]
async fn a_framework_is_known_by_its_place() {
    let places = [
        "id=onetrust-banner-sdk",
        "id=CybotCookiebotDialog",
        "class=qc-cmp2-container",
        "class=nothing",
    ];
    let accept = button("Accept all");
    let pages = places.map(|place| {
        format!("<title></title><div class=b><div {place}>Cookies! {accept}</div></div>")
    });
    assert_eq!(clicked(&pages).await, ["Accept all", "Accept all", "Accept all", ""]);
}

#[tokio::test]
async fn a_banner_in_a_frame_is_found() {
    let frame = "style='position:fixed;bottom:0;left:0;width:600px;height:150px'";
    let inside =
        "<p>We use cookies <button onclick=\"parent.postMessage('gone','*')\">Reject all</button>";
    let site = Site::serve([("/inside", Answer::page(inside))]).await;
    for address in [site.url("/inside"), site.foreign_url("/inside")] {
        let html = format!(
            "<p>The page itself<iframe src='{address}' {frame}></iframe>\
            <script>onmessage = () => document.querySelector('iframe').remove()</script>"
        );
        let seen = see(&html).await;
        assert!(dismissed(&seen), "{address}: {:?}", seen.remarks);
        assert!(!seen.html.contains("<iframe"), "{address}");
    }
}

#[tokio::test]
async fn nothing_else_is_clicked() {
    let accept = button("Accept all");
    let pages = [
        // No banner at all, and a label that is one of ours only in part.
        format!("<title></title><p>We use cookies {accept}"),
        format!("<title></title><form><p>Cookies, 3 pounds each{accept}</form>"),
        with_banner("Sign up for our newsletter", &accept),
        with_banner("We use cookies", &button("Accept all offers and buy now")),
        with_banner("We use cookies", &button("Cookie settings")),
        // Hidden buttons, and buttons that lead elsewhere.
        with_banner("We use cookies", &format!("<div style='display:none'>{accept}</div>")),
        with_banner("We use cookies", &format!("<div style='opacity:0'>{accept}</div>")),
        with_banner("We use cookies", &format!("<a href='/buy' onclick=\"{CLICK}\">Accept</a>")),
        with_banner("We use cookies", &format!("<a href='/buy'>{accept}</a>")),
        with_banner(
            "We use cookies",
            &format!("<form action='http://shop.invalid/buy' method=post>{accept}</form>"),
        ),
        // A page that lies over itself as a whole.
        with_banner(&format!("We use cookies. {}", "A long article. ".repeat(600)), &accept),
    ];
    assert_eq!(clicked(&pages).await, [""; 11]);
}

#[tokio::test]
async fn a_button_that_leads_to_another_page_is_taken_back() {
    let away = "<button onclick=\"location.href='/away'\">Reject all</button>";
    let html = with_banner("We use cookies", away);
    let site = Site::serve([("/", Answer::page(&html)), ("/away", Answer::page("<p>away"))]).await;
    let seen = look(&site, "/").await.unwrap();
    assert_eq!(seen.url, site.url("/"));
    assert!(seen.text.starts_with("The page itself"), "{}", seen.text);
    let said = "its button led to another page; the first one is shown";
    assert_eq!(seen.remarks.last().map(String::as_str), Some(said));
}

/// How often a page's scripts see a property of an element asked for while a banner is looked for. Our own scripts run in a
/// world of their own otherwise, where nothing can count.
async fn asked_for(property: &str, html: &str) -> u64 {
    let site = Site::serve([("/", Answer::page(html))]).await;
    let counting = format!(
        "let asked = 0; const own = Object.getOwnPropertyDescriptor(HTMLElement.prototype, '{property}'); \
        Object.defineProperty(HTMLElement.prototype, '{property}', {{ get() {{ asked += 1; return own.get.call(this); }} }}); \
        ({SCRIPT})(arguments[0]); return asked;"
    );
    with_browser(async |client| {
        client.goto(&site.url("/")).await.unwrap();
        let asked = client.execute(&counting, vec![phrases::args(false)]).await.unwrap();
        asked.as_u64().unwrap()
    })
    .await
}

#[tokio::test]
async fn a_page_full_of_buttons_is_looked_through_once() {
    // An article on cookies, with a button of one of our labels in each of its paragraphs.
    let html = "<p>We use cookies <button>OK</button>".repeat(400);
    let asked = asked_for("innerText", &html).await;
    // Each button and its paragraph, the body and the whole: not the whole again for each button.
    assert!((400..2_000).contains(&asked), "{asked}");
}

#[tokio::test]
async fn a_page_of_consent_may_lead_home() {
    // A site sends its visitors to another one first, which asks for consent and sends them home again, with what they have
    // answered in the address.
    let away = "<p>wait<script>location.replace(location.href.replace('127.0.0.1', 'localhost') + 'consent')</script>";
    let back = "<button onclick=\"location.href = location.origin.replace('localhost', '127.0.0.1') + '/home?c=no'\">Reject all</button>";
    let site = Site::serve([
        ("/", Answer::page(away)),
        ("/consent", Answer::page(&with_banner("We use cookies", back))),
        ("/home", Answer::page("<p>wanted")),
    ])
    .await;
    let seen = look(&site, "/").await.unwrap();
    assert_eq!((seen.url, seen.text.as_str()), (site.url("/home?c=no"), "wanted"));
    assert_eq!(seen.remarks, ["a cookie banner was dismissed (everything was rejected)"]);
}

#[tokio::test]
async fn a_page_of_consent_that_leads_to_a_third_site_is_taken_back() {
    let site = Site::serve([("/wanted", Answer::page("<p>wanted"))]).await;
    let home =
        format!("<button onclick=\"location.href='{}'\">Reject all</button>", site.url("/wanted"));
    let asking = Site::serve([("/", Answer::page(&with_banner("We use cookies", &home)))]).await;
    let first = Answer::of(302, "text/html", "").with("Location", &asking.foreign_url("/"));
    let home = Site::serve([("/", first)]).await;
    // The page that was asked for is on another port than the one that is wanted, so this leads away.
    let seen = look(&home, "/").await.unwrap();
    assert_eq!(seen.url, asking.foreign_url("/"));
}
