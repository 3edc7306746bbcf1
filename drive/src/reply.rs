//! A reply: thoughts, and commands in fenced blocks.
//!
//! Blocks are those of CommonMark: a line of at least three backticks and a word opens one, and a line of at least as many
//! closes it. Only a block at the top level is a command. What stands in another block, behind `>`, in an item of a list or
//! between tildes is quoted. `<bash>` and `</bash>` on lines of their own are read as well, because later versions of the design write
//! them.

/// What a model wrote, read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reply {
    /// What it says, without its commands.
    pub words: String,
    /// What it wants done, in its order; empty when the task is done.
    pub commands: Vec<FencedCommand>,
}

/// One command for one environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FencedCommand {
    /// The environment, such as `bash`.
    pub environment: String,
    /// What it is to do, without the line break at its end.
    pub text: String,
}

/// What keeps a reply from being carried out. Nothing of it is run; its words are for the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Misread {
    /// A block has no end, so the command may be half a command.
    Open(String),
    /// No block names an environment that is there, and one names another.
    Unknown(String),
    /// The only blocks that name one stand in a list, so they may be an explanation.
    Listed(String),
}

impl Misread {
    /// What the model is told, where `environments` are there.
    #[must_use]
    pub fn told(&self, environments: &[String]) -> String {
        match self {
            Self::Open(word) => format!(
                "The {word} block has no end, so nothing was run. Write it again, with a line of backticks behind it."
            ),
            Self::Unknown(word) => format!(
                "Unknown environment: '{word}'. Available environments: {}",
                environments.join(", ")
            ),
            Self::Listed(word) => format!(
                "The {word} block stands in a list, so nothing was run. To run it, write it outside of the list, from the beginning of the line."
            ),
        }
    }
}

impl Reply {
    /// Reads what a model wrote, without its reasoning, where `environments` are there.
    ///
    /// # Errors
    /// [`Misread`], when it can't be known what is to be run.
    pub fn read(text: &str, environments: &[String]) -> Result<Self, Misread> {
        let (reply, items) = (Self::default(), Items::default());
        let mut reading = Reading { environments, reply, fault: None, items };
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            let is_in_item = reading.items.hold(line);
            match opened(line, environments) {
                Some(block) => reading.block((line, is_in_item), &block, &mut lines)?,
                None => reading.say(line),
            }
        }
        let Reading { mut reply, fault, .. } = reading;
        reply.words = reply.words.trim().to_owned();
        fault.filter(|_| reply.commands.is_empty()).map_or(Ok(reply), Err)
    }
}

/// The part of a reply that stands before the first command that it repeats; the whole reply when it repeats none.
#[must_use]
pub fn before_repetition<'t>(text: &'t str, environments: &[String]) -> &'t str {
    let (mut end, mut whole) = (0, 0);
    for line in text.split_inclusive('\n') {
        end += line.len();
        let Ok(Reply { commands, .. }) = Reply::read(&text[..end], environments) else { continue };
        if commands.split_last().is_some_and(|(last, before)| before.contains(last)) {
            return &text[..whole];
        }
        whole = end;
    }
    text
}

/// A reply while it is read.
struct Reading<'e> {
    environments: &'e [String],
    reply: Reply,
    /// What is wrong with the first block that is no command, though it looks like one.
    fault: Option<Misread>,
    items: Items,
}

/// The items of lists that are open, one within the other, each by the column of its words: what is indented as far belongs to it.
#[derive(Debug, Default)]
struct Items(Vec<usize>);

impl Items {
    /// Takes in the next line outside of a block, and says whether it belongs to an item.
    fn hold(&mut self, line: &str) -> bool {
        let rest = line.trim_start_matches(' ');
        let indent = line.len() - rest.len();
        if !rest.is_empty() {
            self.0.retain(|words| indent >= *words);
        }
        let is_held = !self.0.is_empty();
        self.0.extend(marker(rest).map(|width| indent + width));
        is_held
    }
}

/// How wide the mark of an item is with the blanks behind it, if `rest` begins with one: `- x`, `* x`, `+ x`, `1. x`, `1) x`.
fn marker(rest: &str) -> Option<usize> {
    let digits = rest.chars().take_while(char::is_ascii_digit).count();
    let behind = match digits {
        0 => rest.strip_prefix(['-', '*', '+'])?,
        1..=9 => rest[digits..].strip_prefix(['.', ')'])?,
        _ => return None,
    };
    let words = behind.trim_start_matches(' ');
    let blanks = behind.len() - words.len();
    // Further in than that the words are code, and an item without words is one column wide.
    let blanks = if words.is_empty() || blanks > 4 { 1 } else { blanks };
    let is_mark = behind.is_empty() || behind.starts_with(' ');
    is_mark.then(|| rest.len() - behind.len() + blanks)
}

impl Reading<'_> {
    fn say(&mut self, line: &str) {
        self.reply.words.push_str(line);
        self.reply.words.push('\n');
    }

    /// Reads the block that `line` has opened, to its end.
    fn block<'t>(
        &mut self,
        (line, is_in_item): (&str, bool),
        block: &Block<'_>,
        lines: &mut impl Iterator<Item = &'t str>,
    ) -> Result<(), Misread> {
        let mut inside = Vec::new();
        let is_closed = lines.by_ref().any(|line| {
            let closes = block.is_closed_by(line);
            inside.push(line);
            closes
        });
        let is_environment = self.environments.iter().any(|name| name == block.word);
        if !block.may_be_command || !is_environment || is_in_item {
            self.say(line);
            inside.into_iter().for_each(|line| self.say(line));
            let fault = if is_environment { Misread::Listed } else { Misread::Unknown };
            if block.may_be_command && is_name(block.word) && (is_environment || !is_in_item) {
                self.fault.get_or_insert_with(|| fault(block.word.to_owned()));
            }
            return Ok(());
        }
        if !is_closed {
            return Err(Misread::Open(block.word.to_owned()));
        }
        inside.pop();
        let text = inside.join("\n");
        self.reply.commands.push(FencedCommand { environment: block.word.to_owned(), text });
        Ok(())
    }
}

/// What opens a block.
#[derive(Debug, PartialEq, Eq)]
struct Block<'t> {
    /// The word behind the marks.
    word: &'t str,
    end: End<'t>,
    /// What stands between tildes is quoted.
    may_be_command: bool,
}

#[derive(Debug, PartialEq, Eq)]
enum End<'t> {
    /// A line of at least so many of them.
    Marks(char, usize),
    /// `</word>`.
    Tag(&'t str),
}

impl Block<'_> {
    fn is_closed_by(&self, line: &str) -> bool {
        match self.end {
            End::Marks(mark, count) => {
                let line = line.trim_end();
                let rest = line.trim_start_matches(' ');
                line.len() - rest.len() <= 3
                    && rest.chars().count() >= count
                    && rest.chars().all(|c| c == mark)
            }
            End::Tag(word) => {
                let inside = line.trim().strip_prefix("</").and_then(|tag| tag.strip_suffix('>'));
                inside == Some(word)
            }
        }
    }
}

/// The block that `line` opens, if it opens one.
fn opened<'t>(line: &'t str, environments: &[String]) -> Option<Block<'t>> {
    let rest = line.trim_start_matches(' ');
    if line.len() - rest.len() > 3 {
        return None;
    }
    let tag = rest.trim_end().strip_prefix('<').and_then(|tag| tag.strip_suffix('>'));
    if let Some(word) = tag.filter(|word| environments.iter().any(|name| name == word)) {
        return Some(Block { word, end: End::Tag(word), may_be_command: true });
    }
    let mark = rest.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let word = rest.trim_start_matches(mark);
    let count = rest.len() - word.len();
    // A line such as ```` ```x``` ```` is code within a sentence.
    if count < 3 || (mark == '`' && word.contains('`')) {
        return None;
    }
    let word = word.split_whitespace().next().unwrap_or_default();
    Some(Block { word, end: End::Marks(mark, count), may_be_command: mark == '`' })
}

/// Whether a word could be the name of an environment.
fn is_name(word: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    !word.is_empty() && word.len() <= 64 && word.chars().all(is_letter)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn there() -> Vec<String> {
        ["bash", "python", "editor", "counter"].map(str::to_owned).to_vec()
    }

    fn commands(text: &str) -> Vec<(String, String)> {
        let reply = Reply::read(text, &there()).unwrap();
        reply.commands.into_iter().map(|command| (command.environment, command.text)).collect()
    }

    fn bash(text: &str) -> Vec<(String, String)> {
        vec![("bash".to_owned(), text.to_owned())]
    }

    #[test]
    fn thoughts_and_one_block_are_a_command() {
        let text = "I look first.\n```bash\nls -al\n```\n";
        let reply = Reply::read(text, &there()).unwrap();
        assert_eq!(reply.words, "I look first.");
        assert_eq!(commands(text), bash("ls -al"));
    }

    #[test]
    fn several_blocks_run_in_their_order() {
        let text = "```python\nx = 1\n\nx\n```\nand\n````counter now\n```\n````";
        let expected = [("python", "x = 1\n\nx"), ("counter", "```")]
            .map(|(name, text)| (name.to_owned(), text.to_owned()));
        assert_eq!(commands(text), expected);
    }

    #[test]
    fn a_reply_without_a_command_is_the_end() {
        for text in ["", "Done: all tests pass.", "It prints `ls` and ```x``` here."] {
            assert_eq!(commands(text), [], "{text}");
        }
    }

    #[test]
    fn what_is_quoted_is_no_command() {
        for text in [
            "````markdown\n```bash\nrm -rf .\n```\n````\n```bash\ntrue\n```",
            "~~~\n```bash\nrm -rf .\n```\n~~~\n```bash\ntrue\n```",
            "> ```bash\n> rm -rf .\n> ```\n```bash\ntrue\n```",
            "    ```bash\n    rm -rf .\n    ```\n```bash\ntrue\n```",
            "- ```bash\n- rm -rf .\n```bash\ntrue\n```",
            "1. First:\n   ```bash\n   rm -rf .\n   ```\n2. Then:\n\n   ```bash\n   rm -rf .\n   ```\n\n```bash\ntrue\n```",
            "- Do:\n  - this:\n\n  ```bash\n  rm -rf .\n  ```\n```bash\ntrue\n```",
            "*\n  ```bash\n  rm -rf .\n  ```\nSo:\n ```bash\ntrue\n ```",
            "```\n<bash>\nrm -rf .\n</bash>\n```\n```bash\ntrue\n```",
            "```rust\nfn main() {}\n```\n```bash\ntrue\n```",
        ] {
            assert_eq!(commands(text), bash("true"), "{text}");
        }
    }

    #[test]
    fn tags_are_read_as_blocks() {
        let text = "# Commands\n<bash>\ncat <<'X'\n```\nX\n</bash>\n";
        assert_eq!(commands(text), bash("cat <<'X'\n```\nX"));
    }

    #[test]
    fn half_a_command_is_not_run() {
        for text in ["```bash\nrm -rf build", "```bash\ntrue\n```\n<bash>\nrm -rf build"] {
            assert_eq!(
                Reply::read(text, &there()),
                Err(Misread::Open("bash".to_owned())),
                "{text}"
            );
        }
    }

    #[test]
    fn of_commands_that_go_round_the_first_round_is_run() {
        let round = "```bash\nls\n```\n```bash\nmake\n```\n";
        let text = format!("I look.\n{}```bash\nl", round.repeat(9));
        let first = before_repetition(&text, &there());
        assert_eq!(first, format!("I look.\n{round}"));
        assert_eq!(before_repetition(first, &there()), first);
        let text = "and so on and so on\n".repeat(9);
        assert_eq!(before_repetition(&text, &there()), text);
    }

    #[test]
    fn an_environment_that_is_not_there_is_named_with_those_that_are() {
        let fault = Reply::read("```docker\nps\n```", &there()).unwrap_err();
        assert_eq!(
            fault.told(&there()),
            "Unknown environment: 'docker'. Available environments: bash, python, editor, counter"
        );
        assert_eq!(commands("```\nplain\n```"), []);
        let listed = Reply::read("1. Look:\n   ```bash\n   ls\n   ```\n", &there()).unwrap_err();
        assert!(listed.told(&there()).contains("bash block stands in a list"), "{listed:?}");
    }

    proptest! {
        #[test]
        fn any_text_is_read_and_a_command_stands_in_it(
            text in "(```|~~~|<bash>|</bash>|bash|\n| |x|é|>|`){0,40}"
        ) {
            if let Ok(reply) = Reply::read(&text, &there()) {
                for command in reply.commands {
                    prop_assert!(text.contains(&command.text));
                }
            }
        }
    }
}
