//! The token that authenticates the organiser to Lichess.

use crate::config::lichess::Lichess;
use crate::config::secret;
use std::path::PathBuf;

/// The name of the systemd credential, see systemd.exec(5).
const CREDENTIAL: &str = "lichess";

/// Reads the token. It is read for each request, so that a new token takes effect at once.
///
/// # Errors
/// Returns a sentence that says what to do.
pub fn token(config: &Lichess) -> Result<String, String> {
    let credential =
        || Some(PathBuf::from(std::env::var_os("CREDENTIALS_DIRECTORY")?).join(CREDENTIAL)).filter(|path| path.exists());
    let Some(path) = config.token_file.clone().or_else(credential) else {
        return Err("there is no token for Lichess: set token_file under [lichess], or add LoadCredential=lichess:FILE to the unit of the service".to_owned());
    };
    if let Some(error) = secret::exposure_warning(&path) {
        return Err(format!("the token for Lichess is not used: {error}"));
    }
    let text = std::fs::read_to_string(&path).map_err(|error| {
        format!(
            "the token for Lichess cannot be read from {} ({error}): make it readable for the user of the service",
            path.display()
        )
    })?;
    let token = text.trim();
    if token.is_empty() || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(format!(
            "{} has no token for Lichess: put the token into it, such as lip_…, and nothing else",
            path.display()
        ));
    }
    Ok(token.to_owned())
}
