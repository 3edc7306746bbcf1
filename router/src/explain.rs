//! Tells what the policy decides about a call.

use clap::Args;
use home::Home;
use protocol::{Code, Command, Millis, Principal, SessionKey, Stopped, Taint, json};
use secrets::Secrets;

use crate::call::Call;
use crate::catalog::{self, Catalog, Found};
use crate::config::{self, SettingsError, reread_secrets};
use crate::policy::{Asked, Policy, PolicyError, Ruling, Scope, Standing, Then, WayOut, load};

/// A call, and the session that it comes from.
#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// The action, such as CREATE_POST.
    pub(crate) action: String,
    /// Its parameters, as one JSON object.
    #[arg(default_value = "{}")]
    pub(crate) params: String,
    /// The session that asks.
    #[arg(long, value_name = "S", default_value = "owner")]
    pub(crate) session: SessionKey,
    /// The person who asks.
    #[arg(long, value_name = "P", default_value = "console:owner")]
    pub(crate) principal: Principal,
    /// What has entered the session: T for untrusted text, P for private data, TP for both.
    #[arg(long, value_name = "T|P|TP", default_value = "", hide_default_value = true, value_parser = taint)]
    pub(crate) taint: Taint,
    /// It reaches an address that nobody typed in the session and that no result showed as a link.
    #[arg(long)]
    pub(crate) foreign_url: bool,
    /// What the person typed for this message: what stands there word for word is the person's own order.
    #[arg(long, value_name = "TEXT")]
    pub(crate) said: Option<String>,
}

fn taint(text: &str) -> Result<Taint, String> {
    Taint::try_from(text.to_owned())
}

/// Why nothing is told.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ExplainError {
    #[error(transparent)]
    Policy(#[from] PolicyError),
    #[error(transparent)]
    Settings(#[from] SettingsError),
}

/// What would become of the call, in lines; an `Err` within is what the router would answer without coming to judge it.
///
/// # Errors
/// [`ExplainError`] when the policy or the settings can't be read.
pub(crate) fn explain(
    home: &Home,
    asked: &Explain,
) -> Result<Result<String, String>, ExplainError> {
    let policy = Policy::new(load(&home.router().join("policy.toml"))?.rules);
    let catalog = Catalog::fixed(skills(home)?);
    let secrets = Secrets::default();
    reread_secrets(home, &secrets).map_err(SettingsError::from)?;
    let now = Millis::of_this_machine();
    let call = command(asked).and_then(|command| Call::new(command, 1, &catalog, &secrets, now));
    let call = match call {
        Ok(call) => call,
        Err(stopped) => return Ok(Err(answer(&stopped))),
    };
    let Explain { taint, foreign_url, .. } = *asked;
    let way_out = foreign_url.then_some(WayOut::Address);
    let standing = Standing { taint, way_out, now, ..Standing::default() };
    let ruling = policy.rule_on(&Asked::from(&call), &standing);
    Ok(Ok(told(&call, &ruling, way_out)))
}

/// The skills as they are now.
///
/// # Errors
/// [`SettingsError`] when router/config.json can't be read.
pub(crate) fn skills(home: &Home) -> Result<Found, SettingsError> {
    let config = config::read_config(home)?;
    Ok(catalog::scan(&home.router_skills(), &config, &Found::default()))
}

fn command(asked: &Explain) -> Result<Command, Stopped> {
    let params = json::parse_object(asked.params.as_bytes())
        .map_err(|error| Stopped::new(Code::BadRequest, format!("the parameters: {error}")))?;
    let command = serde_json::json!({
        "message_id": "explain",
        "action": asked.action,
        "params": params,
        "session": asked.session,
        "principal": asked.principal,
        "said": asked.said,
    });
    Command::from_bytes(command.to_string().as_bytes()).map_err(|malformed| malformed.stopped)
}

/// A reply in which it is not run, as the router would send it.
fn answer(Stopped { code, message, .. }: &Stopped) -> String {
    // Both are words of the wire, and always have a JSON form.
    let word = |value: Result<serde_json::Value, _>| {
        value.ok().and_then(|value| Some(value.as_str()?.to_owned())).unwrap_or_default()
    };
    let status = word(serde_json::to_value(code.status()));
    let code = word(serde_json::to_value(code));
    format!("the router would answer: {status} ({code}): {message}\n")
}

fn told(call: &Call, ruling: &Ruling, way_out: Option<WayOut>) -> String {
    let mut lines = vec![("verdict", words(ruling.then).to_owned()), ("rule", ruling.rule.clone())];
    lines.push((
        "policy",
        match &ruling.place {
            Some(place) => format!("line {}: {}", place.line, place.text),
            None => "nothing is written for it, so that it is refused".to_owned(),
        },
    ));
    lines.push(("effect", ruling.reason.clone()));
    if let Some(why) = &call.dry_run {
        lines.push(("dry run", why.clone()));
    }
    if ruling.then == Then::Ask {
        let code = if ruling.needs_code { "has to be typed for a yes" } else { "none" };
        lines.push(("code", code.to_owned()));
        let scope = Scope::of(call, way_out).filter(|_| ruling.grantable);
        let always = scope.map(|scope| format!("{scope}, in this session, for this person"));
        lines.push(("always", always.unwrap_or_else(|| "not offered".to_owned())));
    }
    if ruling.spends.is_some() {
        lines.push(("counts", "as one of the rule's times, as long as some are left".to_owned()));
    }
    lines.iter().map(|(name, text)| format!("{name:<8} {text}\n")).collect()
}

fn words(then: Then) -> &'static str {
    match then {
        Then::Allow => "allow: it would run without a question",
        Then::Ask => "ask: a person would be asked first",
        Then::Refuse => "refuse: it would not run",
    }
}
