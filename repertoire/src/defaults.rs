//! What a fresh home of a router holds: the first-party skills and the policy.

use std::path::Path;

use home::{FileError, Home, file};
use protocol::ActionName;

/// The policy of a fresh home.
pub const POLICY: &str = include_str!("../../router/policy.toml");

/// The first-party skills' manifests, by folder.
pub const SKILLS: [(&str, &str); 17] = [
    ("create_post", include_str!("../../router/skills/create_post/skill.toml")),
    ("embed_docs", include_str!("../../router/skills/embed_docs/skill.toml")),
    ("exec", include_str!("../../router/skills/exec/skill.toml")),
    ("find_files", include_str!("../../router/skills/find_files/skill.toml")),
    ("forget_doc", include_str!("../../router/skills/forget_doc/skill.toml")),
    ("grep_files", include_str!("../../router/skills/grep_files/skill.toml")),
    ("index_doc", include_str!("../../router/skills/index_doc/skill.toml")),
    ("list_docs", include_str!("../../router/skills/list_docs/skill.toml")),
    ("list_public_docs", include_str!("../../router/skills/list_public_docs/skill.toml")),
    ("notify", include_str!("../../router/skills/notify/skill.toml")),
    ("publish_doc", include_str!("../../router/skills/publish_doc/skill.toml")),
    ("read_file", include_str!("../../router/skills/read_file/skill.toml")),
    ("search_docs", include_str!("../../router/skills/search_docs/skill.toml")),
    ("search_public_docs", include_str!("../../router/skills/search_public_docs/skill.toml")),
    ("send_file", include_str!("../../router/skills/send_file/skill.toml")),
    ("web_fetch", include_str!("../../router/skills/web_fetch/skill.toml")),
    ("workbench", include_str!("../../router/skills/workbench/skill.toml")),
];

/// What no fresh home is given any more. A home that has it keeps it.
const EARLIER: [(&str, &str); 1] =
    [("hello_world", include_str!("../../skills/retired/hello_world/skill.toml"))];

/// Whether `manifest` is, to the letter, one that is compiled in.
pub fn is_first_party(manifest: &str) -> bool {
    SKILLS.iter().chain(&EARLIER).any(|(_, known)| *known == manifest)
}

/// The processes that several first-party skills share.
const PROCESSES: [&str; 2] = ["library", "meaning"];

/// Whether `name` is what data and wishes of first-party skills go by: a process of theirs, or a program of ours.
pub(crate) fn is_ours(name: &str) -> bool {
    PROCESSES.contains(&name) || builtin::NAMES.contains(&name)
}

/// Whether a first-party skill has the folder `name`, and what the owner puts there takes its place.
pub(crate) fn is_folder(name: &str) -> bool {
    SKILLS.iter().chain(&EARLIER).any(|(folder, _)| *folder == name)
}

/// The command of the router that sets what the first-party skill `action` can't do without, where there is one.
pub fn sets(action: &ActionName) -> Option<&'static str> {
    (action.as_str() == "NOTIFY").then_some("notify URL")
}

/// The list of the first-party skills that a home has been given, beside them.
const KNOWN: &str = ".known";

/// What a home was given that has no such list: the skills of the versions that wrote none.
const GIVEN_BEFORE: [&str; 3] = ["create_post", "hello_world", "web_fetch"];

/// The largest such list, in bytes.
const MAX_KNOWN: u64 = 64 * 1024;

/// Writes whatever of it is missing. Each first-party skill comes once: one that the owner has removed stays removed,
/// and one that is new in this version reaches a home that exists already.
///
/// # Errors
/// [`FileError`] names the path and what to do.
pub fn write_missing(home: &Home) -> Result<(), FileError> {
    let skills = home.router_skills();
    let had = skills.exists();
    match write_skills(&skills) {
        // A folder that can't be written serves as it is.
        Err(error) if had => tracing::warn!("new first-party skills are left out: {error}"),
        done => done?,
    }
    file::write_missing(&home.router().join("policy.toml"), POLICY.as_bytes())?;
    let governance = home.router().join("governance.json");
    file::write_missing(&governance, governance::DEFAULT.as_bytes())?;
    Ok(())
}

fn write_skills(skills: &Path) -> Result<(), FileError> {
    if !skills.exists() {
        make(skills, KNOWN, b"")?;
    }
    let known = known(skills)?;
    let new = SKILLS.iter().filter(|(folder, _)| !known.iter().any(|known| known == folder));
    let mut written = 0;
    for (folder, manifest) in new {
        write_skill(&skills.join(folder), manifest)?;
        written += 1;
    }
    if written > 0 || !skills.join(KNOWN).exists() {
        let mut all: Vec<_> = SKILLS.iter().map(|(folder, _)| (*folder).to_owned()).collect();
        all.extend(known);
        all.sort();
        all.dedup();
        file::make_folder(skills)?;
        file::write(&skills.join(KNOWN), (all.join("\n") + "\n").as_bytes())?;
    }
    Ok(())
}

/// The skills that were written into `skills` once, whatever became of them.
fn known(skills: &Path) -> Result<Vec<String>, FileError> {
    let lines = |bytes: Vec<u8>| {
        String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect::<Vec<_>>()
    };
    if let Some(bytes) = file::read(&skills.join(KNOWN), MAX_KNOWN)? {
        return Ok(lines(bytes));
    }
    let had = if skills.exists() { &GIVEN_BEFORE[..] } else { &[] };
    Ok(had.iter().map(|name| (*name).to_owned()).collect())
}

/// Written beside it and renamed, so that a crash half-way leaves no folder without its manifest. Several routers may start
/// on one home at once.
fn write_skill(folder: &Path, manifest: &str) -> Result<(), FileError> {
    if folder.exists() {
        return Ok(());
    }
    make(folder, "skill.toml", manifest.as_bytes())
}

/// Makes `folder` with one file in it, both or neither.
fn make(folder: &Path, file: &str, text: &[u8]) -> Result<(), FileError> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let draft = folder.with_file_name(format!(".draft-{}-{name}", std::process::id()));
    let drafted = file::make_folder(&draft)
        .and_then(|()| file::write_missing(&draft.join(file), text).map(drop));
    let made = drafted.and_then(|()| {
        let renamed = std::fs::rename(&draft, folder);
        renamed.map_err(|error| FileError::new("make", folder, error))
    });
    if made.is_err() {
        // What can't be removed harms nobody.
        let _ = std::fs::remove_dir_all(&draft);
    }
    // Another router was faster.
    if folder.exists() { Ok(()) } else { made }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use testkit::TempHome;

    use super::*;

    fn there(home: &Home) -> Vec<String> {
        let entries = fs::read_dir(home.router_skills()).unwrap().flatten();
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        let mut names: Vec<_> = names.filter(|name| name != KNOWN).collect();
        names.sort();
        names
    }

    fn all() -> Vec<&'static str> {
        let mut all: Vec<_> = SKILLS.iter().map(|(folder, _)| *folder).collect();
        all.sort_unstable();
        all
    }

    /// A clone is a home of its own.
    #[test]
    fn a_clone_has_the_skills_of_a_fresh_home() {
        let clone = Home::at(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).unwrap();
        let manifests = there(&clone)
            .into_iter()
            .filter(|name| clone.router_skills().join(name).join("skill.toml").exists());
        assert_eq!(manifests.collect::<Vec<_>>(), all());
    }

    #[test]
    fn every_process_that_they_share_is_known() {
        let value =
            |line: &str| Some(line.strip_prefix("process = ")?.trim_matches('"').to_owned());
        let mut shared: Vec<_> =
            SKILLS.iter().filter_map(|(_, manifest)| manifest.lines().find_map(value)).collect();
        shared.sort();
        shared.dedup();
        assert_eq!(shared, PROCESSES);
    }

    #[test]
    fn what_the_owner_has_removed_stays_removed() {
        let home = TempHome::new();
        write_missing(&home).unwrap();
        assert_eq!(there(&home), all());
        fs::remove_dir_all(home.router_skills().join("web_fetch")).unwrap();
        write_missing(&home).unwrap();
        assert!(!there(&home).contains(&"web_fetch".to_owned()));
    }

    #[test]
    fn a_start_that_was_cut_off_is_finished_by_the_next_one() {
        let home = TempHome::new();
        // The folder of one can't be made.
        home.put("router/skills/.known", "");
        home.put("router/skills/web_fetch", "a file in its place");
        write_missing(&home).unwrap();
        fs::remove_file(home.router_skills().join("web_fetch")).unwrap();
        fs::write(home.router_skills().join(KNOWN), "").unwrap();
        write_missing(&home).unwrap();
        assert_eq!(there(&home), all());
        // A fresh folder has its list before anything else, so that nothing passes for given before.
        let fresh = TempHome::new();
        make(&fresh.router_skills(), KNOWN, b"").unwrap();
        write_missing(&fresh).unwrap();
        assert_eq!(there(&fresh), all());
    }

    #[test]
    fn a_new_one_reaches_a_home_that_has_others() {
        let home = TempHome::new();
        write_missing(&home).unwrap();
        // As a version left it that did not know notify.
        fs::write(home.router_skills().join(KNOWN), "create_post\nweb_fetch\n").unwrap();
        for removed in ["notify", "create_post"] {
            fs::remove_dir_all(home.router_skills().join(removed)).unwrap();
        }
        write_missing(&home).unwrap();
        let there = there(&home);
        assert!(there.contains(&"notify".to_owned()), "{there:?}");
        assert!(!there.contains(&"create_post".to_owned()), "{there:?}");
    }

    #[test]
    fn what_is_given_no_more_stays_where_it_is_and_comes_to_no_fresh_home() {
        let home = TempHome::greeting();
        write_missing(&home).unwrap();
        assert!(there(&home).contains(&"hello_world".to_owned()));
        let manifest = home.text("router/skills/hello_world/skill.toml");
        assert!(is_first_party(&manifest), "it runs as it did");
        let fresh = TempHome::new();
        write_missing(&fresh).unwrap();
        assert_eq!(there(&fresh), all());
        assert!(!there(&fresh).contains(&"hello_world".to_owned()));
    }

    #[test]
    fn a_home_without_the_list_has_had_the_first_ones() {
        let home = TempHome::new();
        home.put("router/skills/own/skill.toml", "");
        write_missing(&home).unwrap();
        let there = there(&home);
        assert!(there.contains(&"own".to_owned()), "{there:?}");
        assert!(GIVEN_BEFORE.iter().all(|old| !there.contains(&(*old).to_owned())), "{there:?}");
        let new = SKILLS.iter().filter(|(name, _)| !GIVEN_BEFORE.contains(name));
        assert!(new.into_iter().all(|(name, _)| there.contains(&(*name).to_owned())), "{there:?}");
    }
}
