//! The audit log: whether it is whole, and how large.

use home::{Check, Home};

use crate::audit_log::reports;

const NAME: &str = "audit";

pub(super) fn check(home: &Home) -> Check {
    let folder = home.router_audit();
    let reports = match reports(&folder, &[], true) {
        Ok(reports) => reports,
        Err(error) => {
            let mend = format!("give {} to the user who runs the router", folder.display());
            return Check::fail(NAME, error.to_string(), mend);
        }
    };
    let broken = reports.iter().find_map(|report| Some((report, report.broken.as_ref()?)));
    if let Some((report, broken)) = broken {
        let seen = format!("{} is broken at {}: {}", report.name, broken.place, broken.fault);
        let mend = format!(
            "{} tells more; keep {} elsewhere and find out who wrote there",
            home::router_command("audit verify"),
            folder.display()
        );
        return Check::fail(NAME, seen, mend);
    }
    let rows: u64 = reports.iter().map(|report| report.rows).sum();
    Check::ok(NAME, format!("{rows} rows, all as written"))
}
