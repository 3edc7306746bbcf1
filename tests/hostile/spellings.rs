//! The spellings in which a secret is still the secret. This list is the suite's own, so that the router's
//! can't hide its gaps.

use data_encoding::{BASE32_NOPAD, BASE64_NOPAD, BASE64URL_NOPAD, HEXLOWER};

/// Every spelling of `value` that must turn up nowhere, each with its name.
pub(crate) fn all(value: &str) -> Vec<(&'static str, String)> {
    let bytes = value.as_bytes();
    let hex = HEXLOWER.encode(bytes);
    let percent = |upper: bool, every: bool| -> String {
        bytes
            .iter()
            .map(|byte| match byte {
                b if b.is_ascii_alphanumeric() && !every => char::from(*b).to_string(),
                b if upper => format!("%{b:02X}"),
                b => format!("%{b:02x}"),
            })
            .collect()
    };
    let mut all = vec![
        ("raw", value.to_owned()),
        ("hex", hex.to_uppercase()),
        ("hex", hex),
        ("url", percent(true, false)),
        ("url", percent(false, false)),
        ("url", percent(true, true)),
        ("url", percent(false, true)),
    ];
    for alphabet in [&BASE64_NOPAD, &BASE64URL_NOPAD] {
        for before in 0..3 {
            let text = alphabet.encode(&[&vec![b'x'; before], bytes].concat());
            // Only the letters that depend on nothing around the value.
            let from = [0, 2, 3][before];
            let to = text.len() - usize::from(!(before + bytes.len()).is_multiple_of(3));
            all.push(("base64", text[from..to].to_owned()));
        }
    }
    all.extend(ESCAPED.map(|name| (name, one(value, name))));
    all
}

/// Those in which each character is written in another way.
pub(crate) const ESCAPED: [&str; 9] = [
    "other-case",
    "entities",
    "entities-hex",
    "escaped",
    "escaped-short",
    "hex-colons",
    "url-twice",
    "zero-width",
    "quoted-printable",
];

/// The name of a spelling of `value` that stands in `text`, also with white space anywhere in it.
pub(crate) fn found(value: &str, text: &str) -> Option<&'static str> {
    let solid: String = text.replace("\\n", "").replace("\\r", "").replace("\\t", "");
    let solid: String = solid.chars().filter(|c| !c.is_whitespace()).collect();
    // As it stands in JSON.
    let plain = text.replace("\\\\", "\\");
    let texts = [text, &solid, &plain];
    all(value)
        .into_iter()
        .find(|(_, spelling)| texts.iter().any(|text| text.contains(spelling.as_str())))
        .map(|(name, _)| name)
}

/// One spelling, for a page or a skill that gives a secret away.
pub(crate) fn one(value: &str, name: &str) -> String {
    let spaced = |by: &str| value.chars().map(|c| c.to_string()).collect::<Vec<_>>().join(by);
    let base64 = data_encoding::BASE64.encode(value.as_bytes());
    let each = |of: fn(char) -> String| value.chars().map(of).collect::<String>();
    let bytes = |of: fn(&u8) -> String| value.as_bytes().iter().map(of).collect::<String>();
    match name {
        "raw" => value.to_owned(),
        "base64" => base64,
        "base64url" => data_encoding::BASE64URL.encode(value.as_bytes()),
        "base64-behind" => data_encoding::BASE64.encode(format!("Bearer {value} .").as_bytes()),
        "base64-lines" => {
            base64.as_bytes().chunks(5).map(String::from_utf8_lossy).collect::<Vec<_>>().join("\n")
        }
        "hex" => HEXLOWER.encode(value.as_bytes()),
        "HEX" => HEXLOWER.encode(value.as_bytes()).to_uppercase(),
        "url" => all(value)[3].1.clone(),
        "url-lower" => all(value)[4].1.clone(),
        "url-all" => all(value)[5].1.clone(),
        "url-all-lower" => all(value)[6].1.clone(),
        "spaced" => spaced(" "),
        "lines" => spaced("\n"),
        "tabs" => spaced("\t"),
        "other-case" => each(|c| match c.is_ascii_uppercase() {
            true => c.to_ascii_lowercase().to_string(),
            false => c.to_ascii_uppercase().to_string(),
        }),
        "entities" => each(|c| format!("&#{};", u32::from(c))),
        "entities-hex" => each(|c| format!("&#x{:x};", u32::from(c))),
        "escaped" => each(|c| format!("\\u{:04x}", u32::from(c))),
        "escaped-short" => bytes(|byte| format!("\\x{byte:02x}")),
        "hex-colons" => bytes(|byte| format!("{byte:02x}:")),
        "url-twice" => bytes(|byte| format!("%25{byte:02x}")),
        "zero-width" => spaced("\u{200b}"),
        "quoted-printable" => bytes(|byte| match byte.is_ascii_alphanumeric() {
            true => char::from(*byte).to_string(),
            false => format!("={byte:02X}"),
        }),
        "base32" => BASE32_NOPAD.encode(value.as_bytes()),
        other => panic!("there is no spelling {other:?}"),
    }
}
