//! The list of all parts, as CycloneDX 1.5 in JSON (cyclonedx.org/docs/1.5/json).

use anyhow::Result;
use serde_json::{Value, json};

use super::Facts;
use super::parts::{Part, Parts};

/// The list, as text.
pub(super) fn json(parts: &Parts, facts: &Facts) -> Result<String> {
    let libraries = parts.all.values().filter(|part| part.id != parts.root().id);
    let components: Vec<Value> = libraries.map(|part| component(part, parts, "library")).collect();
    let of = |id: &String| parts.all.get(id).map(reference);
    let dependencies: Vec<Value> = parts
        .uses
        .iter()
        .map(|(id, uses)| {
            json!({"ref": of(id), "dependsOn": uses.iter().filter_map(of).collect::<Vec<_>>()})
        })
        .collect();
    let property = |name: &str, value: &str| json!({"name": name, "value": value});
    let bom = json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": component(parts.root(), parts, "application"),
            "properties": [property("commit", &facts.commit), property("target", &facts.target)],
        },
        "components": components,
        "dependencies": dependencies,
    });
    Ok(serde_json::to_string_pretty(&bom)? + "\n")
}

/// The same name for the same crate in all lists (github.com/package-url/purl-spec).
fn reference(part: &Part) -> String {
    format!("pkg:cargo/{}@{}", part.name, part.version)
}

fn component(part: &Part, parts: &Parts, kind: &str) -> Value {
    let mut component = json!({
        "type": kind,
        "bom-ref": reference(part),
        "name": part.name,
        "version": part.version,
        "purl": reference(part),
    });
    if let Some(description) = &part.description {
        component["description"] = description.trim().into();
    }
    if let Some(licence) = &part.license {
        // Older manifests part alternatives by a slash.
        component["licenses"] = json!([{"expression": licence.replace('/', " OR ")}]);
    }
    if let Some(sum) = parts.sums.get(&(part.name.clone(), part.version.clone())) {
        component["hashes"] = json!([{"alg": "SHA-256", "content": sum}]);
    }
    if let Some(repository) = &part.repository {
        component["externalReferences"] = json!([{"type": "vcs", "url": repository}]);
    }
    component
}
