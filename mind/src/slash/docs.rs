//! `/docs`: how much is in the library, by type.

use std::sync::Arc;

use async_trait::async_trait;
use protocol::Object;
use serde_json::Value;

use super::library::list;
use super::perform::{At, Perform, Read};

#[derive(Debug)]
struct Docs;

pub(super) fn read(rest: &str) -> Read {
    match rest.trim() {
        "" => Ok(Arc::new(Docs)),
        _ => Err("it is /docs alone; /search QUERY finds passages".to_owned()),
    }
}

#[async_trait]
impl Perform for Docs {
    async fn perform(&self, mut at: At<'_>) {
        match list(&mut at).await {
            Ok(found) => at.text(counted(&found, at.session.is_owners())),
            Err(why) => at.notice(why),
        }
    }
}

fn counted(found: &Object, is_owners: bool) -> String {
    let number = |value: Option<&Value>| value.and_then(Value::as_u64).unwrap_or(0);
    let documents = number(found.get("documents"));
    if documents == 0 && !is_owners {
        return "No paper is public.".to_owned();
    }
    if documents == 0 {
        return "The library is empty. /index PATH puts a file in.".to_owned();
    }
    let both = |files: u64, passages: u64| {
        format!("{}, {}", home::counted(files, "file"), home::counted(passages, "passage"))
    };
    let mut lines = vec![both(documents, number(found.get("passages")))];
    for (element, counts) in found.get("by_type").and_then(Value::as_object).into_iter().flatten() {
        let (files, passages) = (number(counts.get("documents")), number(counts.get("passages")));
        lines.push(format!("{element}: {}", both(files, passages)));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn files_are_counted_by_type() {
        let found = json!({"documents": 3, "passages": 9, "by_type": {
            "pdf": {"documents": 2, "passages": 8}, "md": {"documents": 1, "passages": 1},
        }});
        let counted = counted(found.as_object().unwrap(), true);
        assert_eq!(counted, "3 files, 9 passages\npdf: 2 files, 8 passages\nmd: 1 file, 1 passage");
        assert!(super::counted(&Object::new(), true).starts_with("The library is empty"));
        assert_eq!(super::counted(&Object::new(), false), "No paper is public.");
    }
}
