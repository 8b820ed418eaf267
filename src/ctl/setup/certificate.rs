//! The step `certificate`: a CA of this machine alone, and the certificate of the page.

use super::answers::ListenAnswer;
use super::machine::{Machine, Readers};
use super::plan::StepState;
use crate::config::Config;
use crate::hall::setup::authority::{Authority, IssuedCertificate, Purpose, Validity};
use crate::hall::setup::certificates::parse;
use crate::hall::setup::trust::verify_chain;
use anyhow::{Context, anyhow, bail};
use data_encoding::HEXUPPER;
use sha2::{Digest, Sha256};
use std::path::Path;
use std::time::{Duration, SystemTime};
use tokio_rustls::rustls::client::verify_server_name;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use tokio_rustls::rustls::server::ParsedCertificate;
use tokio_rustls::rustls::{CertificateError, Error};

/// The certificate of the CA.
pub(in crate::ctl) const CA: &str = "/etc/touchmove/tls/ca.pem";
/// The secret key of the CA.
const CA_KEY: &str = "/etc/touchmove/tls/ca.key";
/// The certificate of the page, followed by that of the CA.
pub(in crate::ctl) const CERTIFICATE: &str = "/etc/touchmove/tls/page.pem";
/// The secret key of the page.
pub(super) const KEY: &str = "/etc/touchmove/tls/page.key";

/// All of them.
const OUR_FILES: [&str; 4] = [CA, CA_KEY, CERTIFICATE, KEY];

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
    OUR_FILES.contains(&path) && config.web.tls.as_ref().is_some_and(|tls| is_ours(&tls.cert) || is_ours(&tls.key))
}

pub(super) fn examine(machine: &Machine, _: bool) -> anyhow::Result<StepState> {
    if let Some(reason) = other_source(machine) {
        return Ok(StepState::Skipped(reason));
    }
    if let Some(note) = OUR_FILES.iter().find_map(|path| machine.change_note(path)) {
        return Ok(StepState::Skipped(note));
    }
    let names = machine.names.certificate_names();
    let pending = match (machine.read(CA)?, machine.read(CERTIFICATE)?) {
        (Some(ca), Some(chain)) => match flaw(&chain, &ca, &names, UnixTime::now()) {
            None => return Ok(StepState::Done(format!("{CERTIFICATE}, for {}", names.join(", ")))),
            Some(flaw) => {
                vec![format!("{CERTIFICATE}: {flaw}"), format!("a new one by the same CA, for {}", names.join(", "))]
            }
        },
        _ => vec![
            format!("{CA}, and its key, which only root can read"),
            format!("{CERTIFICATE}, and its key, for {}", names.join(", ")),
        ],
    };
    match clock_error(SystemTime::now(), program_time()) {
        Some(sentence) => bail!(sentence),
        None => Ok(StepState::Pending(pending)),
    }
}

/// Returns when the file of this program was written; `None`: unknown.
fn program_time() -> Option<SystemTime> {
    std::env::current_exe().ok()?.metadata().ok()?.modified().ok()
}

/// Returns what to do about a clock that is earlier than this program; `None`: it may be right. A certificate that begins at a wrong
/// time would be refused by browsers.
fn clock_error(now: SystemTime, program: Option<SystemTime>) -> Option<String> {
    let sentence = "the clock of this machine is wrong: it is earlier than this program was made, so that browsers would refuse a \
                    certificate. Connect the machine to the Internet and wait until `timedatectl` says that the clock is synchronized, or \
                    set it, such as with `sudo timedatectl set-ntp false` and `sudo timedatectl set-time '2026-05-31 09:30'`; then run \
                    setup again";
    program.is_some_and(|program| now < program).then(|| sentence.to_owned())
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
    let mut ca = machine.read(CA)?.context("the certificate of the CA is missing")?;
    if parse(&ca).is_ok_and(|ca| has_ended(&ca, after_notice(UnixTime::now()))) {
        // The key and the name stay.
        ca = authority.certificate().map_err(failed("the CA"))?;
        machine.write("certificate", CA, &ca, Readers::Everybody)?;
    }
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
    let later = after_notice(now);
    if verify_chain(&one, &ca, later).is_err() {
        return Some("it ends soon".to_owned());
    }
    if has_ended(&ca, later) {
        return Some("its CA ends soon, or has ended".to_owned());
    }
    let [certificate] = &one;
    let parsed = ParsedCertificate::try_from(certificate).ok()?;
    let is_missing =
        |name: &&String| ServerName::try_from(name.as_str()).is_ok_and(|name| verify_server_name(&parsed, &name).is_err());
    names.iter().find(is_missing).map(|name| format!("it is not for {name}"))
}

fn after_notice(now: UnixTime) -> UnixTime {
    UnixTime::since_unix_epoch(Duration::from_secs(now.as_secs()).saturating_add(NOTICE))
}

/// Returns whether the certificate of a CA has ended at this time. That of a trusted CA is not asked for its time, so it is verified like
/// that of a server: it is refused because it is one of a CA, but because of its time first.
fn has_ended(ca: &CertificateDer<'_>, at: UnixTime) -> bool {
    let verified = verify_chain(std::slice::from_ref(ca), ca, at);
    matches!(verified, Err(Error::InvalidCertificate(CertificateError::Expired | CertificateError::ExpiredContext { .. })))
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
        let der = parse(&ca).unwrap();
        assert_eq!([0, 365 * 9, 365 * 12].map(|days| has_ended(&der, at(days))), [false, false, true]);
        let print = fingerprint(&ca).unwrap();
        assert!(print.len() == 95 && print.split(':').count() == 32, "{print}");
    }

    #[test]
    fn a_clock_before_the_program_was_made_is_wrong() {
        let (now, hour) = (SystemTime::now(), Duration::from_secs(3600));
        assert_eq!([None, Some(now), Some(now - hour)].map(|program| clock_error(now, program)), [None, None, None]);
        assert!(clock_error(now, Some(now + hour)).is_some_and(|sentence| sentence.contains("timedatectl")));
        assert!(program_time().is_some());
    }
}
