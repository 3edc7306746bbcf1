//! Changes what a policy says of one effect, and nothing else in it.

use protocol::Effect;
use toml_edit::{DocumentMut, Item, Value, value};

use super::{Checked, Fault, Then, read};

/// Sets what becomes of a call whose effect is `external`. Every other line of `text` stays as its owner wrote it.
///
/// # Errors
/// Everything that is wrong with the policy, before or after.
pub fn with_external(text: &str, then: Then) -> Result<String, Vec<Fault>> {
    read(text)?;
    // What was read as a policy is TOML.
    let mut document: DocumentMut = text.parse().unwrap_or_default();
    let effects = document.entry("effects").or_insert_with(toml_edit::table);
    match effects.get_mut("external").and_then(Item::as_value_mut) {
        // With the comment that stands behind it.
        Some(old) => {
            let decor = old.decor().clone();
            *old = Value::from(then.to_string());
            *old.decor_mut() = decor;
        }
        None => effects["external"] = value(then.to_string()),
    }
    let changed = document.to_string();
    read(&changed)?;
    Ok(changed)
}

/// What becomes of a call whose effect is `external`, as long as no rule says otherwise.
///
/// # Errors
/// Everything that is wrong with it.
pub fn external(text: &str) -> Result<Then, Vec<Fault>> {
    let Checked { rules, .. } = read(text)?;
    Ok(rules.effects.of(Effect::External))
}

#[cfg(test)]
mod tests {
    use super::super::DEFAULT;
    use super::*;

    #[test]
    fn one_word_changes_and_everything_around_it_stays() {
        let allowed = with_external(DEFAULT, Then::Allow).unwrap();
        assert_eq!(allowed, DEFAULT.replace("external = \"ask\"", "external = \"allow\""));
        assert_eq!(with_external(&allowed, Then::Ask).unwrap(), DEFAULT);
        assert_eq!(external(&allowed).unwrap(), Then::Allow);
        let own = "# mine\n[effects]\nexternal = \"refuse\"   # for now\n";
        assert_eq!(with_external(own, Then::Ask).unwrap(), own.replace("refuse", "ask"));
    }

    #[test]
    fn a_policy_that_is_broken_is_not_touched() {
        assert!(with_external("", Then::Allow).is_err());
        assert!(with_external("[effects", Then::Allow).is_err());
        assert!(with_external("[effects]\nexternal = \"perhaps\"", Then::Allow).is_err());
    }
}
