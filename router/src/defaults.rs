//! What a fresh home of a router holds: the first-party skills and the policy.

use home::{FileError, Home, file};

use crate::policy;

/// The first-party skills' manifests, by folder.
const SKILLS: [(&str, &str); 3] = [
    ("create_post", include_str!("../skills/create_post/skill.toml")),
    ("hello_world", include_str!("../skills/hello_world/skill.toml")),
    ("web_fetch", include_str!("../skills/web_fetch/skill.toml")),
];

/// Whether `manifest` is, to the letter, one that is compiled in.
pub(crate) fn is_first_party(manifest: &str) -> bool {
    SKILLS.iter().any(|(_, known)| *known == manifest)
}

/// Writes whatever of it is missing. The skills are written only where there is no folder of skills at
/// all, so that one that the owner has removed stays removed.
///
/// # Errors
/// [`FileError`] names the path and what to do.
pub(crate) fn write_missing(home: &Home) -> Result<(), FileError> {
    let skills = home.router_skills();
    if !skills.exists() {
        // Written beside it and renamed, so that a crash half-way leaves no folder with half of them. Several
        // routers may start on one home at once.
        let draft = skills.with_file_name(format!("skills.draft-{}", std::process::id()));
        for (folder, manifest) in SKILLS {
            let folder = draft.join(folder);
            file::make_folder(&folder)?;
            file::write_missing(&folder.join("skill.toml"), manifest.as_bytes())?;
        }
        if let Err(error) = std::fs::rename(&draft, &skills) {
            // What can't be removed harms nobody.
            let _ = std::fs::remove_dir_all(&draft);
            if !skills.exists() {
                return Err(FileError::new("make", &skills, error));
            }
        }
    }
    file::write_missing(&home.router().join("policy.toml"), policy::DEFAULT.as_bytes())?;
    Ok(())
}
