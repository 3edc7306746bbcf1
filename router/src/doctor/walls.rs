//! The sandbox, attacked as `sandbox test` does it, with a scratch home outside the owner's.

use home::{Check, Home};

use crate::sandbox::{Level, SelfCommand};
use crate::self_test::{self, Report, Verdict};

const NAME: &str = "sandbox";

pub(super) async fn check(me: &SelfCommand) -> Check {
    match attacked(me).await {
        Ok(report) => told(&report),
        Err(error) => Check::fail(
            NAME,
            format!("it can't be attacked: {error}"),
            format!(
                "make room in the folder for temporary files, and try {}",
                home::router_command("sandbox test")
            ),
        ),
    }
}

async fn attacked(me: &SelfCommand) -> std::io::Result<Report> {
    let scratch = tempfile::tempdir()?;
    let home = Home::at(scratch.path()).map_err(std::io::Error::other)?;
    self_test::run(&home, me).await
}

fn told(report: &Report) -> Check {
    let (held, leaked) = (report.count(Verdict::Contained), report.count(Verdict::Leaked));
    let reasons = report.reasons.join("; ");
    if leaked > 0 {
        let names = report.findings.iter().filter(|finding| finding.verdict == Verdict::Leaked);
        let names: Vec<&str> = names.map(|finding| finding.attack).collect();
        let seen = format!("{leaked} attacks got through: {}", names.join(", "));
        return Check::fail(
            NAME,
            seen,
            format!(
                "{} tells more; run no skills of others until it holds",
                home::router_command("sandbox test")
            ),
        );
    }
    let seen = format!("{held} attacks were held, level {}", report.level);
    match report.level {
        Level::Nothing => Check::fail(NAME, format!("no skill can run here: {reasons}"), reasons),
        _ if report.reasons.is_empty() => Check::ok(NAME, seen),
        _ => Check::warn(NAME, seen, reasons),
    }
}
