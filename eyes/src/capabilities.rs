//! The browser that is asked for, as WebDriver's "capabilities".

use serde_json::{Value, json};

/// How long a page may load and a script may run, in milliseconds.
const TIMEOUTS: [(&str, u64); 3] = [("implicit", 0), ("pageLoad", 20_000), ("script", 10_000)];

/// Nothing of its own in the background, nothing that asks, nothing that reaches out but pages. What the browser would ask Google
/// all the same, it asks at a port that it never opens (1 is one of the Fetch standard's bad ports).
const ARGS: [&str; 28] = [
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
    "--gaia-url=https://127.0.0.1:1",
    "--gcm-checkin-url=https://127.0.0.1:1/",
    "--google-base-url=https://127.0.0.1:1/",
    "--component-updater=url-source=https://127.0.0.1:1/",
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
     InterestFeedContentSuggestions,CertificateTransparencyComponentUpdater,AutofillEnableAccountWalletStorage,\
     NetworkTimeServiceQuerying,PreconnectToSearch",
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

/// Capabilities with the proxy at `proxy` (`http://host:port`), if it has one of ours. The driver makes a folder for the profile, and
/// removes it.
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
pub(crate) fn own(proxy: &str) -> Value {
    let mut more = Vec::new();
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

/// Whether `asked` is [`own`], to the letter, for some port of this machine.
pub(crate) fn is_ours(asked: &Value) -> bool {
    let args = asked.pointer("/goog:chromeOptions/args").and_then(Value::as_array);
    let mut args = args.into_iter().flatten().filter_map(Value::as_str);
    let port = args.find_map(|arg| arg.strip_prefix("--proxy-server=http://127.0.0.1:"));
    let port = port.and_then(|port| port.parse::<u16>().ok());
    port.is_some_and(|port| *asked == own(&format!("http://127.0.0.1:{port}")))
}
