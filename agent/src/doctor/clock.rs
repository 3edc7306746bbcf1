//! The clock: the time zone, whether the jobs can be read, and what is due next.

use document::Document;
use home::{Check, Home};
use schedule::Jobs;
use settings::Settings;

const NAME: &str = "jobs";

pub(super) fn check(home: &Home, settings: &Settings) -> Check {
    let zone = &settings.zone;
    if !settings.config.clock.enabled {
        return Check::ok(NAME, "off: nothing is said or done later (clock.enabled)");
    }
    let path = home.workspace().join("scheduler.json");
    let read = home::file::read(&path, Jobs::LIMIT).map_err(|error| error.to_string());
    let mut left_out = Vec::new();
    let jobs = read.and_then(|bytes| match bytes {
        None => Ok(Jobs::default()),
        Some(bytes) => {
            let text = String::from_utf8(bytes).map_err(|_| "it is no UTF-8 text".to_owned())?;
            Jobs::from_text(&text, &mut left_out)
        }
    });
    let mend =
        format!("mend {} by hand; it holds what is to be said and done later", path.display());
    match jobs {
        Err(why) => Check::fail(NAME, format!("{} can't be read: {why}", path.display()), mend),
        Ok(_) if !left_out.is_empty() => Check::warn(NAME, left_out.join("; "), mend),
        Ok(jobs) => {
            let now = protocol::Millis::of_this_machine();
            let next = jobs.next().map(|next| format!(", next {}", zone.words(next, now)));
            let count = jobs.all().len();
            let next = next.unwrap_or_default();
            let quiet = settings.config.clock.quiet.as_ref();
            let quiet = quiet.map(|quiet| format!(", watches are quiet {}", quiet.0.as_str()));
            let quiet = quiet.unwrap_or_default();
            Check::ok(NAME, format!("times are {}; {count} jobs{next}{quiet}", zone.name()))
        }
    }
}
