//! What may be asked of a driver that runs beside the agent: our own browser, web pages in it, and nothing that
//! reads or writes files or starts programs.

use hyper::Method;
use serde_json::Value;
use url::Url;

use crate::capabilities;

/// What may stand behind `session/<id>/` (W3C WebDriver, "Endpoints"): what [`page`](crate::page) asks. Not among it: what is
/// done with elements, for typing into one can fill in the path of a file to be sent.
const VERBS: [&str; 6] = ["back", "execute", "frame", "timeouts", "url", "window"];

/// The commands of the DevTools protocol that may be sent: none of them touches a file.
const DEVTOOLS: [&str; 9] = [
    "Browser.setDownloadBehavior",
    "Page.addScriptToEvaluateOnNewDocument",
    "Page.bringToFront",
    "Page.captureScreenshot",
    "Page.createIsolatedWorld",
    "Page.getFrameTree",
    "Page.getLayoutMetrics",
    "Page.navigate",
    "Runtime.evaluate",
];

/// Checks one request. `path` is relative to the driver's base.
///
/// # Errors
/// Why it is not passed on.
pub(crate) fn check(method: &Method, path: &str, body: &[u8]) -> Result<(), String> {
    let parts: Vec<&str> = path.split('/').collect();
    // A driver may read over an empty part.
    if parts.contains(&"") {
        return Err(refused(path));
    }
    match parts.as_slice() {
        ["status"] if method == Method::GET => Ok(()),
        ["session"] if method == Method::POST => new_session(body),
        ["session", _] if method == Method::DELETE => Ok(()),
        ["session", _, "goog", "cdp", "execute"] => devtools(body),
        ["session", _, "url"] if method == Method::POST => address(read(body)?.get("url")),
        ["session", _, verb, ..] if VERBS.contains(verb) => Ok(()),
        _ => Err(refused(path)),
    }
}

fn refused(path: &str) -> String {
    let tail = path.split('/').skip(2).collect::<Vec<_>>().join("/");
    format!("{tail:?} is nothing that looking at a page needs")
}

fn read(body: &[u8]) -> Result<Value, String> {
    serde_json::from_slice(body).map_err(|error| format!("it is no JSON: {error}"))
}

/// A browser is ours when it is, to the letter, the one that we would ask for.
fn new_session(body: &[u8]) -> Result<(), String> {
    let asked = read(body)?;
    let asked = capabilities::within(&asked).ok_or("it asks for no browser")?;
    if capabilities::is_ours(asked) {
        Ok(())
    } else {
        Err("it asks for another browser".to_owned())
    }
}

fn address(asked: Option<&Value>) -> Result<(), String> {
    match asked.and_then(Value::as_str).and_then(|url| Url::parse(url).ok()) {
        Some(url) if matches!(url.scheme(), "http" | "https") || url.as_str() == "about:blank" => {
            Ok(())
        }
        _ => Err("it is no address of the web".to_owned()),
    }
}

fn devtools(body: &[u8]) -> Result<(), String> {
    let asked = read(body)?;
    let command = asked.get("cmd").and_then(Value::as_str).unwrap_or_default();
    let with = |name: &str| asked.get("params").and_then(|params| params.get(name));
    let refused = Err(format!("{command:?} is nothing that looking at a page needs"));
    match command {
        "Page.navigate" => address(with("url")),
        "Browser.setDownloadBehavior" if with("behavior") != Some(&Value::from("deny")) => refused,
        // The protocol spells it so: a world that may read every other site.
        "Page.createIsolatedWorld" if with("grantUniveralAccess").is_some() => refused,
        _ if DEVTOOLS.contains(&command) => Ok(()),
        _ => refused,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn asked(method: &str, path: &str, body: Value) -> Result<(), String> {
        check(&method.parse().unwrap(), path, body.to_string().as_bytes())
    }

    fn session(caps: &Value) -> Value {
        json!({"capabilities": {"alwaysMatch": caps}})
    }

    #[test]
    fn what_looking_at_a_page_needs_may_be_asked() {
        let ours = capabilities::own("http://127.0.0.1:4711");
        asked("POST", "session", session(&ours)).unwrap();
        for (method, path, body) in [
            ("GET", "status", json!({})),
            ("DELETE", "session/1", json!({})),
            ("POST", "session/1/url", json!({"url": "https://example.com/a"})),
            ("GET", "session/1/url", json!({})),
            ("POST", "session/1/execute/sync", json!({"script": "", "args": []})),
            ("GET", "session/1/window/handles", json!({})),
            ("POST", "session/1/goog/cdp/execute", json!({"cmd": "Page.captureScreenshot"})),
            (
                "POST",
                "session/1/goog/cdp/execute",
                json!({"cmd": "Page.navigate", "params": {"url": "https://example.com/"}}),
            ),
        ] {
            let _ = (path, asked(method, path, body).unwrap_or_else(|why| panic!("{path}: {why}")));
        }
    }

    #[test]
    fn no_other_program_no_file_and_no_other_way_out_is_passed_on() {
        let changed = |change: &dyn Fn(&mut Value)| {
            let mut caps = capabilities::own("http://127.0.0.1:4711");
            change(&mut caps["goog:chromeOptions"]);
            session(&caps)
        };
        let binary = changed(&|options| options["binary"] = json!("/bin/sh"));
        let without = changed(&|options| options["args"] = json!(["--headless=new"]));
        let more = changed(&|options| {
            options["args"].as_array_mut().unwrap().push(json!("--renderer-cmd-prefix=sh"));
        });
        let elsewhere = session(&capabilities::own("http://evil.example:80"));
        let kept = changed(&|options| {
            options["args"].as_array_mut().unwrap().push(json!("--user-data-dir=/root/.config"));
        });
        let mut first = session(&capabilities::own("http://127.0.0.1:1"));
        first["capabilities"]["firstMatch"] =
            json!([{"goog:chromeOptions": {"binary": "/bin/sh"}}]);
        let mut old = session(&capabilities::own("http://127.0.0.1:1"));
        old["desiredCapabilities"] = json!({"goog:chromeOptions": {"binary": "/bin/sh"}});
        for (path, body) in [
            ("session", binary),
            ("session", without),
            ("session", more),
            ("session", elsewhere),
            ("session", kept),
            ("session", first),
            ("session", old),
            ("session", json!({})),
            ("session/1/url", json!({"url": "file:///etc/passwd"})),
            ("session/1/url", json!({"url": "chrome://settings"})),
            ("session/1/url", json!({})),
            ("session/1/url/", json!({"url": "file:///etc/passwd"})),
            ("session//1/url", json!({"url": "file:///etc/passwd"})),
            ("session/1/ur%6c", json!({"url": "file:///etc/passwd"})),
            ("session/1/element/e/value", json!({"text": "/etc/passwd"})),
            ("session/1/file", json!({})),
            ("session/1/se/file", json!({})),
            ("session/1/print", json!({})),
            ("session/1/goog/extension", json!({"cmd": "Page.captureScreenshot"})),
            ("shutdown", json!({})),
            ("sessions", json!({})),
            ("", json!({})),
        ] {
            assert!(asked("POST", path, body.clone()).is_err(), "{path} {body}");
        }
    }

    #[test]
    fn of_the_devtools_only_what_shows_a_page_of_the_web_is_passed_on() {
        for asked_for in [
            json!({"cmd": "DOM.setFileInputFiles"}),
            json!({"cmd": "Page.navigate"}),
            json!({"cmd": "Page.navigate", "params": {"url": "file:///etc/passwd"}}),
            json!({"cmd": "Page.createIsolatedWorld", "params": {"grantUniveralAccess": true}}),
            json!({"cmd": "Browser.setDownloadBehavior"}),
            json!({"cmd": "Browser.setDownloadBehavior", "params": {"behavior": "allow"}}),
        ] {
            let refused = asked("POST", "session/1/goog/cdp/execute", asked_for.clone());
            assert!(refused.is_err(), "{asked_for}");
        }
    }
}
