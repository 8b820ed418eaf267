//! The findings about the certificate of the page, if it is one that `touchmovectl setup` has made.

use super::report::Report;
use crate::config::Config;
use crate::ctl::setup::certificate::{CA, CERTIFICATE, flaw};
use std::path::Path;
use tokio_rustls::rustls::pki_types::UnixTime;

/// Examines whether browsers accept the certificate, now and in the next weeks, for the names of the page.
pub(super) fn examine(report: &mut Report, config: &Config) {
    let Some(tls) = config.web.tls.as_ref().filter(|tls| tls.cert == Path::new(CERTIFICATE)) else { return };
    let read =
        |path: &Path| std::fs::read_to_string(path).map_err(|error| format!("{} cannot be read ({error})", path.display()));
    let ca = tls.ca.as_deref().unwrap_or(Path::new(CA));
    let names: Vec<String> = config.web.hosts.iter().map(|site| site.host.clone()).collect();
    let flaw = match (read(&tls.cert), read(ca)) {
        (Ok(chain), Ok(ca)) => flaw(&chain, &ca, &names, UnixTime::now()),
        (Err(error), _) | (_, Err(error)) => Some(error),
    };
    match flaw {
        None => report.good("page", format!("browsers that trust {} accept the certificate of the page", ca.display())),
        Some(flaw) => report.bad(
            "page",
            format!("the certificate of the page: {flaw}"),
            "run `sudo touchmovectl setup`, which makes a new one",
        ),
    }
}
