//! All policy skills of a workspace, as their files have them now.

use std::path::PathBuf;
use std::sync::Arc;

use super::folder::{Fault, Folder, OfFiles, name_of, text_of};
use super::{PolicySkill, SkillRole};

/// The policy skills, sorted by the names of their files, and the files that are left out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PolicySkills {
    all: Vec<PolicySkill>,
    /// The files that are left out; the others count.
    pub faults: Vec<Fault>,
}

/// The folder with the files of policy skills.
#[derive(Debug)]
pub struct PolicyFolder(Folder<PolicySkills>);

impl PolicyFolder {
    /// The folder at `path`.
    #[must_use]
    pub fn new(path: PathBuf) -> Self {
        Self(Folder::new(path))
    }

    /// The skills as their files have them now.
    #[must_use]
    pub fn now(&self) -> Arc<PolicySkills> {
        self.0.now()
    }
}

impl PolicySkills {
    /// Those that count for a role.
    pub fn of(&self, role: SkillRole) -> impl Iterator<Item = &PolicySkill> {
        self.all.iter().filter(move |skill| skill.roles.contains(&role))
    }

    /// What they tell a model that answers people of this role; nothing where none counts.
    #[must_use]
    pub fn instructions(&self, role: SkillRole) -> Option<String> {
        let texts: Vec<&str> = self.of(role).map(|skill| skill.instructions.as_str()).collect();
        let text = texts.join("\n\n");
        Some(text.trim().to_owned()).filter(|text| !text.is_empty())
    }

    /// Whether each of them offers an action to people of this role. What a file that is left out would have taken away is not
    /// known, so nobody but the owner is offered anything while there is one.
    #[must_use]
    pub fn offer(&self, role: SkillRole, action: &str) -> bool {
        let are_known = self.faults.is_empty() || role == SkillRole::Owner;
        are_known && self.of(role).all(|skill| skill.offers(action))
    }
}

impl OfFiles for PolicySkills {
    fn of_files(paths: impl Iterator<Item = PathBuf>) -> Self {
        let mut skills = Self::default();
        for path in paths {
            let read = text_of(&path)
                .and_then(|text| PolicySkill::read(&text).map_err(|error| error.to_string()));
            match read {
                Ok(skill) if skills.all.iter().any(|other| other.name == skill.name) => {
                    let why = format!("another file has the name {}, and counts", skill.name);
                    skills.faults.push(Fault { file: name_of(&path), why });
                }
                Ok(skill) => skills.all.push(skill),
                Err(why) => skills.faults.push(Fault { file: name_of(&path), why }),
            }
        }
        skills
    }

    fn of_fault(fault: Fault) -> Self {
        Self { faults: vec![fault], ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_several_skills_say_counts_together_and_each_narrows() {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        let skills = PolicyFolder::new(folder.path().to_owned());
        assert_eq!(skills.now().instructions(SkillRole::Guest), None);
        assert!(skills.now().offer(SkillRole::Guest, "EXEC"));
        put(
            "a.md",
            "---\nname: a\ndescription: x\nroles: all\nactions: exec, weather\n---\nBe brief.",
        );
        put(
            "b.md",
            "---\nname: b\ndescription: x\nroles: guest\nactions: weather, notify\n---\nBe kind.",
        );
        put("README.txt", "no skill");
        let now = skills.now();
        assert_eq!(now.instructions(SkillRole::Guest).as_deref(), Some("Be brief.\n\nBe kind."));
        assert_eq!(now.instructions(SkillRole::Owner).as_deref(), Some("Be brief."));
        let offered = |role, action| now.offer(role, action);
        assert!(offered(SkillRole::Guest, "WEATHER") && offered(SkillRole::Owner, "EXEC"));
        assert!(!offered(SkillRole::Guest, "EXEC") && !offered(SkillRole::Guest, "NOTIFY"));
        assert!(!offered(SkillRole::Owner, "NOTIFY"));
        put("c.md", "---\nname: a\ndescription: x\n---\nBe rude.");
        put("d.md", "---\nname: d\ndescription: x\nrole: all\n---\nBe rude.");
        let now = skills.now();
        assert_eq!(now.instructions(SkillRole::Guest).as_deref(), Some("Be brief.\n\nBe kind."));
        assert!(!now.offer(SkillRole::Guest, "WEATHER") && now.offer(SkillRole::Owner, "EXEC"));
        let faults: Vec<&str> = now.faults.iter().map(|fault| fault.file.as_str()).collect();
        assert_eq!(faults, ["c.md", "d.md"]);
        assert!(now.faults[1].why.contains("did you mean roles?"), "{}", now.faults[1].why);
    }
    #[test]
    fn what_cannot_be_read_leaves_nothing_to_anybody_but_the_owner() {
        let folder = tempfile::tempdir().unwrap();
        let skills = folder.path().join("skills");
        std::fs::create_dir(&skills).unwrap();
        std::os::unix::fs::symlink("nowhere.md", skills.join("a.md")).unwrap();
        let is_no_folder = folder.path().join("file");
        std::fs::write(&is_no_folder, "").unwrap();
        for (path, file, why) in [(skills, "a.md", "not there"), (is_no_folder, "file", "listed")] {
            let now = PolicyFolder::new(path).now();
            assert_eq!(now.faults.len(), 1, "{file}");
            assert!(
                now.faults[0].file == file && now.faults[0].why.contains(why),
                "{:?}",
                now.faults
            );
            assert!(!now.offer(SkillRole::Guest, "EXEC") && now.offer(SkillRole::Owner, "EXEC"));
        }
    }
}
