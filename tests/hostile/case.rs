//! A case as it stands in its file.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::Path;

use serde::Deserialize;

use crate::deed::Deed;
use crate::signs::Signs;

/// One attack, or one everyday request.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Case {
    pub(crate) name: String,
    /// The file's name.
    #[serde(skip)]
    pub(crate) class: String,
    #[serde(default)]
    pub(crate) rule: Vec<u8>,
    pub(crate) from: Source,
    #[serde(default)]
    each: Vec<String>,
    /// What stands for `@EACH@`.
    #[serde(skip)]
    pub(crate) one: String,
    pub(crate) policy: Option<String>,
    pub(crate) config: Option<String>,
    #[serde(default)]
    pub(crate) skills: Vec<String>,
    #[serde(default)]
    pub(crate) secrets: BTreeMap<String, String>,
    #[serde(default)]
    pub(crate) files: BTreeMap<String, String>,
    #[serde(default)]
    pub(crate) pages: BTreeMap<String, Page>,
    pub(crate) emits: Option<String>,
    pub(crate) skill: Option<OneSkill>,
    #[serde(default)]
    pub(crate) over: Over,
    #[serde(default)]
    pub(crate) signed: bool,
    #[serde(default)]
    pub(crate) telegram: bool,
    #[serde(default)]
    pub(crate) terminal: bool,
    #[serde(default)]
    pub(crate) say: Vec<String>,
    #[serde(default, rename = "do")]
    pub(crate) deeds: Vec<Deed>,
    #[serde(default)]
    pub(crate) model: Vec<String>,
    #[serde(default)]
    pub(crate) spare: bool,
    #[serde(default)]
    pub(crate) never: Signs,
    #[serde(default)]
    pub(crate) always: Signs,
}

/// Who attacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Source {
    Model,
    Page,
    Skill,
    Redis,
    File,
    Person,
}

/// Which processes there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Over {
    /// `safeclaw` alone.
    #[default]
    Pipe,
    /// Agent and router, on a Redis.
    Redis,
    /// A router on a Redis; whoever writes there plays the agent.
    Router,
    /// An agent on a Redis; whoever writes there plays the router.
    Agent,
}

/// What a server answers at one path.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Page {
    #[serde(default = "ok")]
    pub(crate) status: u16,
    #[serde(default = "html")]
    pub(crate) kind: String,
    #[serde(default)]
    pub(crate) headers: BTreeMap<String, String>,
    #[serde(default)]
    pub(crate) body: String,
}

fn ok() -> u16 {
    200
}

fn html() -> String {
    "text/html; charset=utf-8".to_owned()
}

/// A skill with its program.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OneSkill {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) manifest: String,
    pub(crate) run: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    case: Vec<Case>,
}

impl Case {
    /// Every case of every file, those with `each` once for each.
    pub(crate) fn read_all() -> Vec<Self> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hostile/cases");
        let mut files: Vec<_> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        let cases: Vec<Self> = files.iter().flat_map(|file| Self::read(file)).collect();
        let mut names = HashSet::new();
        for case in &cases {
            assert!(names.insert(&case.name), "two cases are called {:?}", case.name);
        }
        cases
    }

    fn read(file: &Path) -> Vec<Self> {
        let text = fs::read_to_string(file).unwrap();
        let File { case } =
            toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let class = file.file_stem().unwrap().to_str().unwrap();
        case.into_iter().flat_map(|case| case.spelled_out(class)).collect()
    }

    fn spelled_out(mut self, class: &str) -> Vec<Self> {
        class.clone_into(&mut self.class);
        self.check();
        if self.each.is_empty() {
            return vec![self];
        }
        let each = std::mem::take(&mut self.each);
        let one = |(number, one): (usize, String)| {
            let shown: String = one.chars().take(50).flat_map(char::escape_default).collect();
            Self { name: format!("{} [{}: {shown}]", self.name, number + 1), one, ..self.clone() }
        };
        each.into_iter().enumerate().map(one).collect()
    }

    fn check(&self) {
        let name = &self.name;
        assert!(self.say.is_empty() || self.deeds.is_empty(), "{name}: has both say and do");
        assert!(
            !self.always.is_empty(),
            "{name}: has no always, so it could pass by doing nothing"
        );
        let stopped = !self.never.is_empty() || !self.secrets.is_empty();
        assert!(self.is_benign() || stopped, "{name}: has no never");
        assert!(self.is_benign() || !self.rule.is_empty(), "{name}: names no rule");
        assert!(
            self.rule.iter().all(|rule| (1..=12).contains(rule)),
            "{name}: there are rules 1 to 12"
        );
    }

    /// Whether it must run, and unasked.
    pub(crate) fn is_benign(&self) -> bool {
        self.class == "benign"
    }

    /// Whether it attacks a server on port 80, where not everybody may listen.
    pub(crate) fn needs_port_80(&self) -> bool {
        format!("{self:?}").contains("@IP")
    }

    /// What is done from the first word to the last.
    pub(crate) fn script(&self) -> Vec<Deed> {
        match self.deeds.is_empty() {
            true => self.say.iter().cloned().map(Deed::Say).collect(),
            false => self.deeds.clone(),
        }
    }
}
