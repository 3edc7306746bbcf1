use super::*;

const LATER: &str = include_str!("../../fixtures/later/Weekend.session.md");
const EARLIER: &str = include_str!("../../fixtures/earlier/SessionExample/SessionExample.log.md");
const PREMISE: &str = include_str!("../../fixtures/earlier/SessionExample/SessionExample.ini.md");
const ANALYST: &str =
    include_str!("../../fixtures/earlier/SessionExample/Agents/Critical Analyst.md");

#[test]
fn the_later_layout_is_read_and_written_as_the_earlier_one() {
    let (session, warnings) = Session::read(LATER).unwrap();
    assert_eq!(warnings, []);
    assert_eq!(session.premise.unwrap().write(), PREMISE);
    let names: Vec<_> = session.agents.iter().map(|agent| agent.name.as_str()).collect();
    assert_eq!(names, ["Creative Thinker", "Critical Analyst", "Practical Implementer"]);
    assert_eq!(session.agents[1].file.write(), ANALYST);
    let (earlier, _) = Log::read(EARLIER).unwrap();
    let texts = |log: &Log| log.messages().map(|m| m.text.clone()).collect::<Vec<_>>();
    assert_eq!(texts(&session.log), texts(&earlier)[..3]);
    assert_eq!(Log::read(&session.log.write()).unwrap(), (session.log, vec![]));
}

#[test]
fn an_agent_that_can_t_be_one_is_named_by_its_line() {
    let read = |tag: &str| Session::read(&format!("<aistorm type=\"session\" />\n\n{tag}\n\nx\n"));
    let error = |tag: &str| anyhow(read(tag).unwrap_err());
    insta::assert_snapshot!(error("<aistorm type=\"agent\" service=\"OpenAI\" model=\"m\" />"), @"line 3: the agent has no name that a file could have");
    insta::assert_snapshot!(error("<aistorm type=\"agent\" name=\"../x\" service=\"OpenAI\" model=\"m\" />"), @r#"line 3: the agent has no name that a file could have: "../x" is no name; it may hold no / and no \, and may not begin with a dot"#);
    insta::assert_snapshot!(error("<aistorm type=\"agent\" name=\"x\" model=\"m\" />"), @r#"line 3: the agent can't be read: its <aistorm /> line has no type, which says who serves the model: type="OpenAI""#);
    assert_eq!(Session::read("x"), Err(SessionError::Log(LogError::NoTag)));
}

/// An error with its sources.
fn anyhow(error: SessionError) -> String {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(&error);
    while let Some(error) = source {
        text.push_str(&format!(": {error}"));
        source = error.source();
    }
    text
}
