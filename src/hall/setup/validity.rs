//! Whether machines accept the certificate of the hall's server, now and in the next weeks.

use super::paths::HallFiles;
use super::trust::verify_chain;
use super::{SetupError, certificates};
use crate::hall::connection::is_wrong_time;
use std::time::Duration;
use tokio_rustls::rustls;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, UnixTime};

/// How long before its end a certificate is to be replaced.
const NOTICE: Duration = Duration::from_secs(30 * 24 * 3600);

/// Whether a certificate is accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Validity {
    /// It is.
    Valid,
    /// It is, for less than 30 days.
    Ending,
    /// It is not, for this reason.
    Refused(String),
}

impl Validity {
    /// Examines the certificate of the server and its key.
    ///
    /// # Errors
    /// The certificate of the CA is missing, or a file cannot be read.
    pub fn of_server(files: &HallFiles, now: UnixTime) -> Result<Validity, SetupError> {
        let ca = certificates::ca(files)?;
        let Some(pem) = HallFiles::read(&files.server_certificate())? else { return Ok(missing("it")) };
        if HallFiles::read(&files.server_key())?.is_none() {
            return Ok(missing("its key"));
        }
        let chain: Result<Vec<CertificateDer<'static>>, _> = CertificateDer::pem_slice_iter(pem.as_bytes()).collect();
        let chain = match chain {
            Ok(chain) => chain,
            Err(error) => return Ok(Validity::Refused(error.to_string())),
        };
        let later = UnixTime::since_unix_epoch(Duration::from_secs(now.as_secs()).saturating_add(NOTICE));
        Ok(match (verify_chain(&chain, &ca, now), verify_chain(&chain, &ca, later)) {
            (Ok(()), Ok(())) => Validity::Valid,
            (Ok(()), Err(_)) => Validity::Ending,
            (Err(rustls::Error::InvalidCertificate(reason)), _) if is_wrong_time(&reason) => {
                Validity::Refused("it is not valid today".to_owned())
            }
            (Err(error), _) => Validity::Refused(error.to_string()),
        })
    }
}

fn missing(what: &str) -> Validity {
    Validity::Refused(format!("{what} is missing"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The end of the year in which a certificate ends that is made today.
    fn end() -> Duration {
        let year = i64::from(jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).year()) + 10;
        let date = jiff::civil::Date::new(year as i16, 12, 31).unwrap();
        let end = date.to_zoned(jiff::tz::TimeZone::UTC).unwrap().timestamp().as_second();
        Duration::from_secs(end as u64)
    }

    #[test]
    fn a_certificate_is_refused_when_it_has_ended_or_is_missing() {
        let dir = tempfile::tempdir().unwrap();
        let files = HallFiles::of(dir.path());
        files.create_dir().unwrap();
        let at = |time: Duration| Validity::of_server(&files, UnixTime::since_unix_epoch(time));
        assert!(matches!(at(end()), Err(SetupError::NoHall)));
        certificates::create(&files, "open-2026", &["localhost".to_owned()]).unwrap();
        let day = Duration::from_secs(24 * 3600);
        assert_eq!(at(end() - 40 * day).unwrap(), Validity::Valid);
        assert_eq!(at(end() - 20 * day).unwrap(), Validity::Ending);
        assert_eq!(at(end() + day).unwrap(), Validity::Refused("it is not valid today".to_owned()));
        std::fs::remove_file(files.server_key()).unwrap();
        assert_eq!(at(end() - 40 * day).unwrap(), Validity::Refused("its key is missing".to_owned()));
    }
}
