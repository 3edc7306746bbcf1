//! The browser that is asked for, as WebDriver's "capabilities".

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

/// How long a page may load and a script may run, in milliseconds.
const TIMEOUTS: [(&str, u64); 3] = [("implicit", 0), ("pageLoad", 20_000), ("script", 10_000)];

/// Nothing of its own in the background, nothing that asks, nothing that reaches out but pages.
const ARGS: [&str; 24] = [
    "--headless=new",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-breakpad",
    "--disable-crash-reporter",
    "--disable-client-side-phishing-detection",
    "--disable-notifications",
    "--deny-permission-prompts",
    "--no-pings",
    "--mute-audio",
    "--password-store=basic",
    "--window-size=1280,900",
    "--proxy-bypass-list=<-loopback>",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-features=Translate,AutofillServerCommunication,OptimizationHints,OptimizationGuideModelDownloading,\
     MediaRouter,DialMediaRouteProvider,DnsOverHttps,AsyncDns,NetworkPrediction,PrefetchPrivacyChanges,\
     InterestFeedContentSuggestions,CertificateTransparencyComponentUpdater,AutofillEnableAccountWalletStorage",
];

/// What a page may ask for and is not given. 2 means: blocked.
const BLOCKED: [&str; 13] = [
    "geolocation",
    "notifications",
    "media_stream",
    "media_stream_mic",
    "media_stream_camera",
    "clipboard",
    "midi_sysex",
    "usb_guard",
    "serial_guard",
    "bluetooth_guard",
    "sensors",
    "automatic_downloads",
    "popups",
];

/// The proxy that a browser is given, and the names that it may look up itself for it: none, if it is an address.
fn network(proxy: &str) -> [String; 2] {
    let host = proxy.trim_start_matches("http://");
    let host = host.rsplit_once(':').map_or(host, |(host, _)| host);
    [
        format!("--proxy-server={proxy}"),
        format!("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE {host}"),
    ]
}

/// Capabilities with the proxy at `proxy` (`http://host:port`), if it has one of ours, and its profile in a folder, if it has
/// a name. Without one, the driver makes a folder and removes it.
fn of(proxy: Option<&str>, more: &[String]) -> Value {
    let mut args: Vec<String> = ARGS.iter().map(|arg| (*arg).to_owned()).collect();
    args.extend(proxy.map(network).into_iter().flatten());
    args.extend_from_slice(more);
    let timeouts: Value =
        TIMEOUTS.map(|(name, limit)| (name.to_owned(), json!(limit))).into_iter().collect();
    let blocked: Value = BLOCKED.map(|name| (name.to_owned(), json!(2))).into_iter().collect();
    json!({
        "browserName": "chrome",
        "pageLoadStrategy": "normal",
        "unhandledPromptBehavior": "dismiss",
        "acceptInsecureCerts": false,
        "timeouts": timeouts,
        "goog:chromeOptions": {
            "w3c": true,
            "args": args,
            // The driver would let pages open windows of their own.
            "excludeSwitches": ["disable-popup-blocking"],
            "prefs": {
                "download_restrictions": 3,
                "download.prompt_for_download": false,
                "credentials_enable_service": false,
                "profile.password_manager_enabled": false,
                "profile.default_content_setting_values": blocked,
                "autofill.profile_enabled": false,
                "autofill.credit_card_enabled": false,
                "translate.enabled": false,
                "search.suggest_enabled": false,
                "safebrowsing.enabled": false,
                "net.network_prediction_options": 2,
                "dns_over_https.mode": "off",
                "alternate_error_pages.enabled": false,
                "webrtc.ip_handling_policy": "disable_non_proxied_udp",
            },
        },
    })
}

/// Those of a browser beside the agent, behind the proxy at `proxy`.
pub(crate) fn own(proxy: &str, profile: Option<&Path>) -> Value {
    let mut more: Vec<String> =
        profile.map(|folder| format!("--user-data-dir={}", folder.display())).into_iter().collect();
    if rustix::process::geteuid().is_root() {
        // Chromium's own sandbox refuses to run as root.
        more.push("--no-sandbox".to_owned());
    }
    of(Some(proxy), &more)
}

/// Those of a browser elsewhere.
pub(crate) fn remote(proxy: Option<&str>) -> Value {
    of(proxy, &[])
}

/// The capabilities in a request for a session, if it holds nothing else.
pub(crate) fn within(request: &Value) -> Option<&Value> {
    let only = |value: &Value, key: &str| {
        value.as_object().is_some_and(|all| all.keys().all(|name| name == key))
    };
    if !only(request, "capabilities") {
        return None;
    }
    let asked = request.get("capabilities")?.as_object()?;
    let nothing = json!([{}]);
    let plain = asked.iter().all(|(key, value)| match key.as_str() {
        "alwaysMatch" => true,
        "firstMatch" => *value == nothing,
        _ => false,
    });
    asked.get("alwaysMatch").filter(|_| plain)
}

/// Whether `asked` is [`own`], to the letter, for some port of this machine and some profile directly in `profiles`.
pub(crate) fn is_ours(asked: &Value, profiles: &Path) -> bool {
    let args = asked.pointer("/goog:chromeOptions/args").and_then(Value::as_array);
    let value = |name: &str| {
        args.into_iter().flatten().filter_map(Value::as_str).find_map(|arg| arg.strip_prefix(name))
    };
    let port = value("--proxy-server=http://127.0.0.1:").and_then(|port| port.parse::<u16>().ok());
    let Some(port) = port else { return false };
    let profile = value("--user-data-dir=").map(PathBuf::from);
    let inside = |folder: &PathBuf| {
        let name = folder.strip_prefix(profiles).ok().and_then(Path::to_str);
        name.is_some_and(is_name)
    };
    profile.as_ref().is_none_or(inside)
        && *asked == own(&format!("http://127.0.0.1:{port}"), profile.as_deref())
}

/// Whether a profile may be called this: one part of a path, of letters, digits, `-` and `_`.
pub(crate) fn is_name(name: &str) -> bool {
    let known = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    (1..=64).contains(&name.len()) && name.chars().all(known)
}
