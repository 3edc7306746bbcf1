//! Whom an agent's file means, and whether the owner has set that up.
//!
//! A file may come from others, so it opens no way out of the house: it may name a service that the owner has given a
//! key, a server of the owner's settings, or one on this machine.

use storm::AgentFile;

use crate::config::{Llm, ProviderName, Target};

/// The model of an agent, at the address that the owner has set for such models.
///
/// # Errors
/// What is wrong, and what mends it.
pub(crate) fn target(file: &AgentFile, llm: &Llm) -> Result<Target, String> {
    let (service, model) = (file.service(), file.model());
    let named = |name: &ProviderName| name.as_str().eq_ignore_ascii_case(service);
    let provider = ProviderName::ALL.into_iter().find(named);
    let provider =
        provider.filter(|provider| *provider != ProviderName::Offline).ok_or_else(|| {
            format!("its type is {service:?}; write one of Ollama, OpenAI, Anthropic and Gemini")
        })?;
    let meant: Target =
        format!("{provider}:{model}").parse().map_err(|error| format!("{error}"))?;
    let set: Vec<Target> = llm.asked().collect();
    let of_provider = |target: &&Target| target.provider == provider;
    match &meant.base_url {
        None => {
            let same = set.iter().find(|target| of_provider(target) && target.model == meant.model);
            let same = same.or(set.iter().find(of_provider));
            let base_url = same.and_then(|target| target.base_url.clone());
            Ok(Target { base_url, ..meant })
        }
        Some(url)
            if meant.stays_here()
                || set.iter().any(|target| target.base_url.as_ref() == Some(url)) =>
        {
            Ok(meant)
        }
        Some(url) => Err(format!(
            "its model is at {url}, which you have not set up; if you trust that server, add it with `{}`",
            home::agent_command(&format!("config fallback {meant}"))
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meant(service: &str, model: &str, fallback: &[&str]) -> Result<String, String> {
        let fallback = fallback.iter().map(|target| target.parse().unwrap()).collect();
        let llm = Llm { fallback, ..Llm::default() };
        target(&AgentFile::new(service, model, "x"), &llm).map(|target| target.to_string())
    }

    #[test]
    fn an_agent_is_asked_where_the_owner_has_set_such_models_up() {
        assert_eq!(meant("OpenAI", "gpt-4", &[]).unwrap(), "openai:gpt-4");
        let local = ["openai:qwen@http://127.0.0.1:8080/v1", "openai:gpt-4@https://x.example/v1"];
        assert_eq!(
            meant("OPENAI", "other", &local).unwrap(),
            "openai:other@http://127.0.0.1:8080/v1"
        );
        assert_eq!(meant("openai", "gpt-4", &local).unwrap(), "openai:gpt-4@https://x.example/v1");
        assert_eq!(meant("Ollama", "llama3.1:8B", &[]).unwrap(), "ollama:llama3.1:8B");
    }

    #[test]
    fn a_file_opens_no_way_out_of_the_house() {
        let own = "m@http://127.0.0.1:9/v1";
        assert_eq!(meant("OpenAI", own, &[]).unwrap(), "openai:m@http://127.0.0.1:9/v1");
        let elsewhere = "m@https://elsewhere.example/v1";
        let refused = meant("OpenAI", elsewhere, &[]).unwrap_err();
        assert!(refused.contains("which you have not set up"), "{refused}");
        assert!(
            refused.contains("config fallback openai:m@https://elsewhere.example/v1"),
            "{refused}"
        );
        assert!(meant("OpenAI", elsewhere, &["openai:x@https://elsewhere.example/v1"]).is_ok());
        for service in ["Offline", "Mistral", "OpenAI@x"] {
            assert!(
                meant(service, "m", &[]).unwrap_err().contains("write one of Ollama"),
                "{service}"
            );
        }
    }
}
