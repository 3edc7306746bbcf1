//! Cookies: the one that a browser shows once it is signed in, and the one that carries a link's code from the link to the
//! button, so that the code stands in no history of the browser. A name holds the port, because cookies ignore ports.

use std::time::Duration;

use axum::http::{HeaderMap, HeaderValue, header};
use mind::links::PATH;
use settings::Site;

/// How long a browser keeps its sign-in. The agent forgets one that is not used for as long.
const KEEPS: Duration = Duration::from_secs(400 * 24 * 60 * 60);

/// How long the code waits for the button.
const WAITS: Duration = Duration::from_secs(600);

/// One of the two.
#[derive(Debug, Clone, Copy)]
pub(super) enum Cookie {
    SignedIn,
    Code,
}

impl Cookie {
    fn name(self, port: u16) -> String {
        match self {
            Self::SignedIn => format!("safeclaw-{port}"),
            Self::Code => format!("safeclaw-{port}-code"),
        }
    }

    /// All values that a browser shows; another page of this machine may have added some.
    pub(super) fn values(self, port: u16, headers: &HeaderMap) -> impl Iterator<Item = &str> {
        let name = self.name(port);
        let lines = headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
        let pairs =
            lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
        pairs.filter(move |(key, _)| *key == name).map(|(_, value)| value)
    }

    /// The header that has a browser keep `value`, which is of hexadecimal digits or base64.
    pub(super) fn set(self, port: u16, site: &Site, value: &str) -> Option<HeaderValue> {
        let (path, lasts) = match self {
            Self::SignedIn => ("/", KEEPS),
            Self::Code => (PATH, WAITS),
        };
        let lasts = if value.is_empty() { 0 } else { lasts.as_secs() };
        let secure = if site.is_https() { "; Secure" } else { "" };
        let name = self.name(port);
        let cookie = format!(
            "{name}={value}; Path={path}; Max-Age={lasts}; HttpOnly; SameSite=Strict{secure}"
        );
        HeaderValue::from_str(&cookie).ok()
    }

    /// The header that has a browser forget it.
    pub(super) fn forget(self, port: u16, site: &Site) -> Option<HeaderValue> {
        self.set(port, site, "")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_is_found_among_others_and_by_its_port() {
        let mut headers = HeaderMap::new();
        for line in
            ["a=b; safeclaw-8787=one; safeclaw-8787-code=c", "safeclaw-9=two;safeclaw-8787=three"]
        {
            headers.append(header::COOKIE, line.parse().unwrap());
        }
        let values: Vec<&str> = Cookie::SignedIn.values(8787, &headers).collect();
        assert_eq!(values, ["one", "three"]);
        assert_eq!(Cookie::Code.values(8787, &headers).next(), Some("c"));
    }

    #[test]
    fn no_script_reads_it_and_no_other_site_sends_it() {
        let site = |text: &str| Site::try_from(text.to_owned()).unwrap();
        let set = |text| Cookie::SignedIn.set(8787, &site(text), "ab").unwrap();
        assert_eq!(
            set("http://127.0.0.1:8787"),
            "safeclaw-8787=ab; Path=/; Max-Age=34560000; HttpOnly; SameSite=Strict"
        );
        assert!(set("https://laptop.example.ts.net").to_str().unwrap().ends_with("; Secure"));
    }
}
