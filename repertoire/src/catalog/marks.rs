//! What a manifest says of a parameter beside its JSON Schema.

use protocol::Object;
use serde_json::Value;

/// The marks of a manifest's parameters.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Marks {
    /// `optional = true`: it may be left out.
    pub optional: Vec<String>,
    /// `text = true`: it carries text that says what it likes, as the body of a message or the words of a search. A grant
    /// may leave it open, and it is what can be carried out to the skill's hosts.
    pub text: Vec<String>,
    /// `text = false`: a text that carries nothing, as the name of a room.
    pub no_text: Vec<String>,
    /// `governed = "command"` or `"path"`: router/governance.json judges it.
    pub governed: Vec<(String, Governed)>,
    /// `principal = true`: the router fills it with whoever asks; nobody else can.
    pub principal: Option<String>,
}

/// What a parameter is that router/governance.json judges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Governed {
    /// A line of shell.
    Command,
    /// A path that is read.
    Path,
}

impl Governed {
    fn read(name: &str, mark: Option<Value>) -> Result<Option<Self>, String> {
        match mark.as_ref().map(Value::as_str) {
            None => Ok(None),
            Some(Some("command")) => Ok(Some(Self::Command)),
            Some(Some("path")) => Ok(Some(Self::Path)),
            Some(_) => Err(format!("params.{name}: governed is \"command\" or \"path\"")),
        }
    }
}

impl Marks {
    /// Takes the marks out of `params`, so that plain schemas remain; what the router fills in goes altogether.
    ///
    /// # Errors
    /// The parameter whose mark means nothing.
    pub(super) fn take(params: &mut Object) -> Result<Self, String> {
        let mut marks = Self::default();
        for (name, schema) in params.iter_mut() {
            let Value::Object(schema) = schema else { continue };
            if let Some(kind) = Governed::read(name, schema.shift_remove("governed"))? {
                marks.governed.push((name.clone(), kind));
            }
            let mut mark = |key: &str| match schema.shift_remove(key) {
                None => Ok(None),
                Some(Value::Bool(flag)) => Ok(Some(flag)),
                Some(_) => Err(format!("params.{name}: {key} is true or false")),
            };
            if mark("optional")? == Some(true) {
                marks.optional.push(name.clone());
            }
            match mark("text")? {
                Some(true) => marks.text.push(name.clone()),
                Some(false) => marks.no_text.push(name.clone()),
                None => {}
            }
            if mark("principal")? == Some(true) && marks.principal.replace(name.clone()).is_some() {
                return Err(format!(
                    "params.{name}: one parameter is filled with who asks, not two"
                ));
            }
        }
        if let Some(name) = &marks.principal {
            params.shift_remove(name);
            marks.optional.retain(|optional| optional != name);
        }
        Ok(marks)
    }

    /// Whether the parameter `name` with this schema can carry words out: it is marked so, or it is a text that the
    /// manifest neither narrows down nor says it of.
    #[must_use]
    pub fn carries(&self, name: &str, schema: &Value) -> bool {
        const NARROW: [&str; 4] = ["enum", "const", "format", "pattern"];
        let is = |names: &[String]| names.iter().any(|marked| marked == name);
        if is(&self.text) || is(&self.no_text) {
            return is(&self.text);
        }
        let kind = schema.get("type");
        let is_narrow = NARROW.iter().any(|key| schema.get(key).is_some());
        let is_plain = ["integer", "number", "boolean", "null"];
        !is_narrow && !is_plain.iter().any(|plain| kind == Some(&Value::from(*plain)))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn params(value: Value) -> Object {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn marks_are_taken_out_and_schemas_remain() {
        let mut given = params(json!({
            "to": {"type": "string", "format": "email"},
            "body": {"type": "string", "text": true, "optional": true},
            "who": {"type": "string", "principal": true},
        }));
        let marks = Marks::take(&mut given).unwrap();
        assert_eq!(
            Value::from(given),
            json!({"to": {"type": "string", "format": "email"}, "body": {"type": "string"}})
        );
        assert_eq!(
            (marks.optional, marks.text),
            (vec!["body".to_owned()], vec!["body".to_owned()])
        );
        assert_eq!(marks.principal.as_deref(), Some("who"));
        let mut wrong = params(json!({"a": {"type": "string", "text": "yes"}}));
        assert_eq!(Marks::take(&mut wrong).unwrap_err(), "params.a: text is true or false");
    }

    #[test]
    fn a_text_that_nothing_is_said_of_carries_words() {
        let marks =
            Marks { text: vec!["q".into()], no_text: vec!["room".into()], ..Marks::default() };
        let text = json!({"type": "string"});
        assert!(marks.carries("q", &text) && marks.carries("other", &text));
        assert!(marks.carries("list", &json!({"type": "array"})));
        assert!(!marks.carries("room", &text));
        for narrow in [json!({"type": "string", "enum": ["X"]}), json!({"type": "integer"})] {
            assert!(!marks.carries("other", &narrow), "{narrow}");
        }
    }
}
