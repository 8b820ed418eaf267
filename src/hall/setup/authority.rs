//! A certificate authority of this machine alone, and the certificates that it signs: for the message server of a hall, and for the
//! page.

use crate::config::clients::LOCAL_NETWORKS;
use data_encoding::HEXUPPER;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use rcgen::{
    BasicConstraints, CertificateParams, CidrSubnet, DistinguishedName, DnType, ExtendedKeyUsagePurpose, GeneralSubtree, IsCa,
    Issuer, KeyPair, KeyUsagePurpose, NameConstraints, date_time_ymd,
};
use sha2::{Digest, Sha256};
use std::str::FromStr;

/// How long a CA, and the certificate of a message server, is valid, in years.
const YEARS: i16 = 10;

/// The domains of names that are valid in one place only, and belong to nobody: RFC 6762, RFC 6761, RFC 8375, and what routers use.
pub const PRIVATE_DOMAINS: [&str; 5] = ["local", "localhost", "home.arpa", "internal", "lan"];

/// What a CA signs certificates for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The message server of a hall. Only the machines of the hall trust it, for that server alone.
    Hall,
    /// The page. People may let a telephone trust it for everything: it can sign for private names and addresses only (RFC 5280,
    /// 4.2.1.10), so that whoever steals its key cannot pretend to be a bank.
    Page,
}

/// The first and the last day of a certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Validity {
    /// The first day.
    pub from: Date,
    /// The last day.
    pub until: Date,
}

impl Validity {
    /// From 2000 on, because a Raspberry Pi has no clock that runs without power: until it has found the time in the network, it may be
    /// any date since its system was built.
    pub fn for_machines() -> Validity {
        let year = today().year().saturating_add(YEARS);
        Validity { from: Date::constant(2000, 1, 1), until: Date::new(year, 12, 31).unwrap_or(Date::MAX) }
    }

    /// For browsers: those of Apple accept no certificate of a server that is valid for more than 825 days.
    pub fn for_browsers() -> Validity {
        let days = |count: i64| today().saturating_add(jiff::Span::new().days(count));
        Validity { from: days(-2), until: days(800) }
    }
}

fn today() -> Date {
    Timestamp::now().to_zoned(TimeZone::UTC).date()
}

/// A CA with its secret key.
pub struct Authority {
    params: CertificateParams,
    issuer: Issuer<'static, KeyPair>,
}

/// A certificate that a CA has signed, with its secret key, both as PEM.
pub struct IssuedCertificate {
    /// The certificate.
    pub certificate: String,
    /// The secret key.
    pub key: String,
}

impl Authority {
    /// Makes a new CA.
    ///
    /// # Errors
    /// The system provides no random numbers.
    pub fn generate(purpose: Purpose) -> Result<Authority, rcgen::Error> {
        Ok(Authority::new(KeyPair::generate()?, purpose))
    }

    /// Returns the CA with this secret key, as PEM.
    ///
    /// # Errors
    /// It is not a key.
    pub fn from_key(pem: &str, purpose: Purpose) -> Result<Authority, rcgen::Error> {
        Ok(Authority::new(KeyPair::from_pem(pem)?, purpose))
    }

    fn new(key: KeyPair, purpose: Purpose) -> Authority {
        // The parameters are the same whenever it signs, because its name must be that of its certificate.
        let mut params = CertificateParams::default();
        set_validity(&mut params, Validity::for_machines());
        params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        // Who trusts it trusts it for servers only: not for programs or mail.
        if purpose == Purpose::Page {
            params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        }
        params.distinguished_name = match purpose {
            Purpose::Hall => name_of("touchmove hall CA"),
            // A telephone may know those of several machines.
            Purpose::Page => {
                let hash = HEXUPPER.encode(&Sha256::digest(key.public_key_raw()));
                name_of(&format!("touchmove CA {}", hash.get(..8).unwrap_or_default()))
            }
        };
        params.name_constraints = match purpose {
            Purpose::Hall => None,
            Purpose::Page => Some(private_names()),
        };
        Authority { issuer: Issuer::new(params.clone(), key), params }
    }

    /// Returns its certificate, as PEM.
    ///
    /// # Errors
    /// It cannot be signed.
    pub fn certificate(&self) -> Result<String, rcgen::Error> {
        Ok(self.params.self_signed(self.issuer.key())?.pem())
    }

    /// Returns its secret key, as PEM.
    pub fn key(&self) -> String {
        self.issuer.key().serialize_pem()
    }

    /// Signs the certificate of a server with these host names and addresses, for a new key.
    ///
    /// # Errors
    /// A name is not valid, or the system provides no random numbers.
    pub fn issue(&self, common_name: &str, names: &[String], validity: Validity) -> Result<IssuedCertificate, rcgen::Error> {
        let key = KeyPair::generate()?;
        let mut params = CertificateParams::new(names)?;
        set_validity(&mut params, validity);
        params.distinguished_name = name_of(common_name);
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        params.use_authority_key_identifier_extension = true;
        let certificate = params.signed_by(&key, &self.issuer)?;
        Ok(IssuedCertificate { certificate: certificate.pem(), key: key.serialize_pem() })
    }
}

/// Returns what the CA of a page may sign for.
fn private_names() -> NameConstraints {
    let domains = PRIVATE_DOMAINS.iter().map(|domain| GeneralSubtree::DnsName((*domain).to_owned()));
    let networks = LOCAL_NETWORKS.iter().chain(["127.0.0.0/8", "::1/128"].iter());
    let networks = networks.filter_map(|network| CidrSubnet::from_str(network).ok()).map(GeneralSubtree::IpAddress);
    NameConstraints { permitted_subtrees: domains.chain(networks).collect(), excluded_subtrees: Vec::new() }
}

fn set_validity(params: &mut CertificateParams, Validity { from, until }: Validity) {
    // Months and days are positive.
    let part = |number: i8| u8::try_from(number).unwrap_or(1);
    params.not_before = date_time_ymd(from.year().into(), part(from.month()), part(from.day()));
    params.not_after = date_time_ymd(until.year().into(), part(until.month()), part(until.day()));
}

fn name_of(common_name: &str) -> DistinguishedName {
    let mut name = DistinguishedName::new();
    name.push(DnType::CommonName, common_name);
    name
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hall::setup::certificates::parse;
    use crate::hall::setup::trust::verify_chain;
    use std::time::Duration;
    use tokio_rustls::rustls::pki_types::UnixTime;

    /// Whether a CA of the page signs for this name so that others accept it.
    fn is_accepted(authority: &Authority, ca: &str, name: &str) -> bool {
        let issued = authority.issue("touchmove page", &[name.to_owned()], Validity::for_browsers()).unwrap();
        verify_chain(&[parse(&issued.certificate).unwrap()], &parse(ca).unwrap(), UnixTime::now()).is_ok()
    }

    #[test]
    fn the_ca_of_a_page_is_accepted_for_private_names_only() {
        let authority = Authority::generate(Purpose::Page).unwrap();
        let ca = authority.certificate().unwrap();
        for (name, expect) in [
            ("hall.local", true),
            ("localhost", true),
            ("hall.lan", true),
            ("192.168.1.10", true),
            ("127.0.0.1", true),
            ("::1", true),
            ("fd00::7", true),
            ("bank.example.com", false),
            ("local.example.com", false),
            ("203.0.113.7", false),
            ("2001:db8::7", false),
        ] {
            assert_eq!(is_accepted(&authority, &ca, name), expect, "{name}");
        }
        // The same with the key read from its file.
        let authority = Authority::from_key(&authority.key(), Purpose::Page).unwrap();
        assert!(is_accepted(&authority, &ca, "hall.local"));
    }

    #[test]
    fn browsers_accept_how_long_a_certificate_is_valid() {
        let Validity { from, until } = Validity::for_browsers();
        let days = (until - from).get_days();
        assert!((300..=825).contains(&days), "{days}");
        let later = UnixTime::since_unix_epoch(Duration::from_secs(UnixTime::now().as_secs() + 700 * 24 * 3600));
        let authority = Authority::generate(Purpose::Page).unwrap();
        let issued = authority.issue("touchmove page", &["a.local".to_owned()], Validity::for_browsers()).unwrap();
        let ca = parse(&authority.certificate().unwrap()).unwrap();
        assert!(verify_chain(&[parse(&issued.certificate).unwrap()], &ca, later).is_ok());
    }
}
