//! LinkedIn, by its Posts API:
//! <https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/posts-api>.

use safeclaw_skill::http::{Request, Response};
use safeclaw_skill::{Call, SkillError};
use serde::Deserialize;
use serde_json::json;

use super::length::Length;
use super::trouble::{new_token, said};
use super::{Network, Posted, base};

/// The secret in router/.env.
const TOKEN: &str = "LINKEDIN_TOKEN";

/// The longest post, in characters.
const LIMIT: usize = 3_000;

/// LinkedIn as the settings describe it.
pub(super) struct LinkedIn {
    url: String,
    /// The month of the API, as `YYYYMM`; LinkedIn serves each for a year.
    version: String,
    /// The author's URN; when it is empty LinkedIn is asked whose token it is.
    author: String,
}

impl LinkedIn {
    pub(super) fn new(call: &Call) -> Result<Self, SkillError> {
        Ok(Self {
            url: base(call, "linkedin_url")?,
            version: call.setting("linkedin_version")?,
            author: call.setting("linkedin_author")?,
        })
    }

    fn author(&self, call: &Call) -> Result<String, SkillError> {
        if !self.author.is_empty() {
            return Ok(self.author.clone());
        }
        if call.is_dry_run() {
            return Ok("urn:li:person:<your id>".to_owned());
        }
        let response = call.http().send(&Request::get(format!("{}/v2/userinfo", self.url)))?;
        if !response.is_success() {
            return Err(said(self, "did not say whose token it is", response));
        }
        let User { sub } = response.json()?;
        Ok(format!("urn:li:person:{sub}"))
    }
}

/// The part of <https://learn.microsoft.com/en-us/linkedin/consumer/integrations/self-serve/sign-in-with-linkedin-v2>
/// that is of use.
#[derive(Deserialize)]
struct User {
    sub: String,
}

impl Network for LinkedIn {
    fn name(&self) -> &'static str {
        "LinkedIn"
    }

    fn length(&self, text: &str, _call: &Call) -> Result<Length, SkillError> {
        Ok(Length { counted: text.chars().count(), limit: LIMIT, unit: "characters" })
    }

    fn request(&self, text: &str, call: &Call) -> Result<Request, SkillError> {
        let body = json!({
            "author": self.author(call)?,
            "commentary": escaped(text),
            "visibility": "PUBLIC",
            "distribution": {
                "feedDistribution": "MAIN_FEED",
                "targetEntities": [],
                "thirdPartyDistributionChannels": [],
            },
            "lifecycleState": "PUBLISHED",
            "isReshareDisabledByAuthor": false,
        });
        Ok(Request::post(format!("{}/rest/posts", self.url))
            .secret("Authorization", "Bearer {}", TOKEN)
            .header("LinkedIn-Version", &self.version)
            .header("X-Restli-Protocol-Version", "2.0.0")
            .json(body))
    }

    fn posted(&self, response: Response) -> Result<Posted, SkillError> {
        let id = response
            .header("x-restli-id")
            .ok_or_else(|| SkillError::new("its answer has no header x-restli-id"))?;
        let url = format!("https://www.linkedin.com/feed/update/{id}/");
        Ok(Posted { id: id.to_owned(), url })
    }

    fn advice(&self, status: u16) -> Option<String> {
        let scopes = "with the scopes openid, profile and w_member_social";
        match status {
            401 => {
                let how = format!(
                    "make a new one {scopes} at https://www.linkedin.com/developers/tools/oauth"
                );
                Some(new_token(&how, TOKEN))
            }
            403 => Some(format!("The token has to be made {scopes}")),
            426 => Some(format!(
                "Version {} of the API has ended: set skills.CREATE_POST.settings.linkedin_version in router/config.json to a newer month",
                self.version
            )),
            _ => None,
        }
    }
}

/// `text` in LinkedIn's little text format, where a backslash takes a reserved character its meaning:
/// <https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/little-text-format>.
/// A `#` before a word stays, so that the hashtag that a person wrote is one.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let is_hashtag = c == '#' && chars.peek().is_some_and(|next| next.is_alphanumeric());
        if "\\|{}@[]()<>#*_~".contains(c) && !is_hashtag {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn reserved_characters_are_escaped_and_hashtags_stay() {
        assert_eq!(escaped("Hello World. Ünï, 100% & more!"), "Hello World. Ünï, 100% & more!");
        assert_eq!(escaped(r"\|{}@[]()<>#*_~"), r"\\\|\{\}\@\[\]\(\)\<\>\#\*\_\~");
        assert_eq!(escaped("#rust # 1 ##"), r"#rust \# 1 \#\#");
    }
}
