//! The step `certificate`: a CA of this machine alone, and the certificate of the page.

use super::answers::ListenAnswer;
use super::machine::{Machine, Readers};
use super::plan::StepState;
use crate::config::Config;
use crate::hall::setup::authority::{Authority, IssuedCertificate, Purpose, Validity};
use crate::hall::setup::certificates::parse;
use crate::hall::setup::trust::verify_chain;
use anyhow::{Context, anyhow};
use data_encoding::HEXUPPER;
use sha2::{Digest, Sha256};
use std::path::Path;
use std::time::Duration;
use tokio_rustls::rustls::client::verify_server_name;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use tokio_rustls::rustls::server::ParsedCertificate;

/// The certificate of the CA.
pub(in crate::ctl) const CA: &str = "/etc/touchmove/tls/ca.pem";
/// The secret key of the CA.
const CA_KEY: &str = "/etc/touchmove/tls/ca.key";
/// The certificate of the page, followed by that of the CA.
pub(in crate::ctl) const CERTIFICATE: &str = "/etc/touchmove/tls/page.pem";
/// The secret key of the page.
pub(super) const KEY: &str = "/etc/touchmove/tls/page.key";

/// How long before its end the certificate is replaced.
const NOTICE: Duration = Duration::from_secs(60 * 24 * 3600);

/// Returns why the page needs no certificate of ours; `None`: it needs one.
pub(super) fn other_source(machine: &Machine) -> Option<String> {
    match machine.answers.listen {
        ListenAnswer::Nowhere => return Some("there is no page".to_owned()),
        ListenAnswer::At(address) if address.ip().is_loopback() => {
            return Some(format!("{address} is reached from this machine only, without encryption"));
        }
        ListenAnswer::At(_) => {}
    }
    let web = &machine.config.web;
    let tls = web.tls.as_ref().filter(|tls| tls.cert != Path::new(CERTIFICATE));
    match tls {
        Some(tls) => Some(format!("the page has one of its own: {}", tls.cert.display())),
        None if web.proxy => Some("a proxy encrypts the connections (proxy = true)".to_owned()),
        None => None,
    }
}

/// Returns whether a file is one of ours for the page, and the page uses one of these.
pub(super) fn is_used(config: &Config, path: &str) -> bool {
    let is_ours = |used: &Path| [CERTIFICATE, KEY, CA].into_iter().any(|ours| used == Path::new(ours));
    [CA, CA_KEY, CERTIFICATE, KEY].contains(&path)
        && config.web.tls.as_ref().is_some_and(|tls| is_ours(&tls.cert) || is_ours(&tls.key))
}

pub(super) fn examine(machine: &Machine, _: bool) -> anyhow::Result<StepState> {
    if let Some(reason) = other_source(machine) {
        return Ok(StepState::Skipped(reason));
    }
    let names = machine.names.certificate_names();
    let (Some(ca), Some(chain)) = (machine.read(CA)?, machine.read(CERTIFICATE)?) else {
        return Ok(StepState::Pending(vec![
            format!("{CA}, and its key, which only root can read"),
            format!("{CERTIFICATE}, and its key, for {}", names.join(", ")),
        ]));
    };
    Ok(match flaw(&chain, &ca, &names, UnixTime::now()) {
        None => StepState::Done(format!("{CERTIFICATE}, for {}", names.join(", "))),
        Some(flaw) => StepState::Pending(vec![
            format!("{CERTIFICATE}: {flaw}"),
            format!("a new one by the same CA, for {}", names.join(", ")),
        ]),
    })
}

pub(super) fn apply(machine: &mut Machine) -> anyhow::Result<()> {
    let failed = |what: &'static str| move |error: rcgen::Error| anyhow!("{what} cannot be made ({error})");
    let authority = match (machine.read(CA_KEY)?, machine.read(CA)?) {
        (Some(key), Some(_)) => Authority::from_key(&key, Purpose::Page)
            .with_context(|| format!("{CA_KEY} holds no key: remove the directory /etc/touchmove/tls, and run setup again"))?,
        _ => {
            let authority = Authority::generate(Purpose::Page).map_err(failed("the CA"))?;
            machine.write("certificate", CA_KEY, &authority.key(), Readers::Root)?;
            machine.write("certificate", CA, &authority.certificate().map_err(failed("the CA"))?, Readers::Everybody)?;
            authority
        }
    };
    let ca = machine.read(CA)?.context("the certificate of the CA is missing")?;
    let names = machine.names.certificate_names();
    let IssuedCertificate { certificate, key } =
        authority.issue("touchmove page", &names, Validity::for_browsers()).map_err(failed("the certificate of the page"))?;
    machine.write("certificate", KEY, &key, Readers::Service)?;
    machine.write("certificate", CERTIFICATE, &format!("{certificate}{ca}"), Readers::Everybody)
}

/// Returns why browsers would refuse this certificate, now or in the next weeks; `None`: they would not.
pub(in crate::ctl) fn flaw(chain: &str, ca: &str, names: &[String], now: UnixTime) -> Option<String> {
    let (Ok(certificate), Ok(ca)) = (parse(chain), parse(ca)) else { return Some("it is damaged".to_owned()) };
    let one = [certificate];
    if let Err(error) = verify_chain(&one, &ca, now) {
        return Some(format!("it is not accepted today ({error})"));
    }
    let later = UnixTime::since_unix_epoch(Duration::from_secs(now.as_secs()).saturating_add(NOTICE));
    if verify_chain(&one, &ca, later).is_err() {
        return Some("it ends soon".to_owned());
    }
    let [certificate] = &one;
    let parsed = ParsedCertificate::try_from(certificate).ok()?;
    let is_missing =
        |name: &&String| ServerName::try_from(name.as_str()).is_ok_and(|name| verify_server_name(&parsed, &name).is_err());
    names.iter().find(is_missing).map(|name| format!("it is not for {name}"))
}

/// Returns the SHA-256 of the first certificate of a text in PEM, as browsers show it; `None`: it has none.
pub(in crate::ctl) fn fingerprint(pem: &str) -> Option<String> {
    let certificate: CertificateDer<'static> = parse(pem).ok()?;
    let hash = Sha256::digest(&certificate);
    Some(hash.iter().map(|byte| HEXUPPER.encode(&[*byte])).collect::<Vec<_>>().join(":"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_certificate_is_replaced_when_it_ends_or_a_name_is_missing() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let authority = Authority::generate(Purpose::Page).unwrap();
        let ca = authority.certificate().unwrap();
        let of = names(&["hall.local", "192.168.1.10"]);
        let chain = authority.issue("touchmove page", &of, Validity::for_browsers()).unwrap().certificate;
        let at = |days: u64| UnixTime::since_unix_epoch(Duration::from_secs(UnixTime::now().as_secs() + days * 24 * 3600));
        assert_eq!(flaw(&chain, &ca, &of, at(0)), None);
        assert_eq!(flaw(&chain, &ca, &of, at(770)).as_deref(), Some("it ends soon"));
        assert!(flaw(&chain, &ca, &of, at(900)).is_some_and(|flaw| flaw.starts_with("it is not accepted today")));
        assert_eq!(flaw(&chain, &ca, &names(&["hall-2.local"]), at(0)).as_deref(), Some("it is not for hall-2.local"));
        assert_eq!(flaw("", &ca, &of, at(0)).as_deref(), Some("it is damaged"));
        let print = fingerprint(&ca).unwrap();
        assert!(print.len() == 95 && print.split(':').count() == 32, "{print}");
    }
}
