//! From setup to a telephone that is logged in, with a real touchmoved.

use super::Machine;
use crate::front_ends::web::{Answer, exchange};
use crate::harness::avahi::Avahi;
use crate::harness::{Daemon, PrivateBus, until};
use serde_json::json;
use std::fs;
use std::net::Ipv4Addr;
use std::path::Path;
use std::sync::Arc;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

/// The name that Avahi gives.
const NAME: &str = "hall-2.local";

/// A telephone that trusts the CA of a machine. It knows the address of the name by mDNS.
struct Telephone {
    connector: TlsConnector,
    port: u16,
}

impl Telephone {
    fn trusting(ca: &Path, port: u16) -> Telephone {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_file(ca).unwrap()).unwrap();
        let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
        let config = builder.with_safe_default_protocol_versions().unwrap().with_root_certificates(roots).with_no_client_auth();
        Telephone { connector: TlsConnector::from(Arc::new(config)), port }
    }

    async fn request(&self, request: &str, lines: &str, body: &str) -> Option<Answer> {
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).await.ok()?;
        let stream = self.connector.connect(ServerName::try_from(NAME).unwrap(), stream).await.ok()?;
        let host = format!("{NAME}:{}", self.port);
        let lines = format!("Host: {host}\r\nOrigin: https://{host}\r\nConnection: close\r\n{lines}");
        Some(exchange(stream, &format!("{request} HTTP/1.1\r\n{lines}\r\n{body}")).await)
    }

    async fn log_in(&self, code: &str) -> Answer {
        let body = json!({ "code": code }).to_string();
        let lines = format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len());
        self.request("POST /api/login", &lines, &body).await.unwrap()
    }
}

#[tokio::test]
async fn a_telephone_logs_in_with_the_code_that_setup_prints() {
    let Some(bus) = PrivateBus::start() else { return };
    let machine = Machine::installed();
    let _avahi = Avahi::start(&bus, NAME).await;
    let port = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port();
    let (address, listen) = (bus.address(), format!("0.0.0.0:{port}"));
    let args = ["--yes", "--bus", &address, "--listen", &listen];
    machine.setup(&args).await.says(3, "✓ switch the page on");

    // The same file for a touchmoved that runs here, where the certificate is elsewhere.
    let config = machine.path("touchmoved.toml");
    let tls = machine.path("etc/touchmove/tls");
    let text = fs::read_to_string(machine.config_path()).unwrap();
    fs::write(&config, text.replace("/etc/touchmove/tls", tls.to_str().unwrap())).unwrap();
    let state = machine.path("state");
    fs::create_dir(&state).unwrap();
    let (config, state) = (config.to_str().unwrap(), state.to_str().unwrap());
    let daemon = Daemon::start(&["--bus", &address, "--config", config, "--state-dir", state]);
    daemon.ready();

    let telephone = Telephone::trusting(&tls.join("ca.pem"), port);
    let page = until("the page", async || telephone.request("GET /setup", "", "").await).await;
    assert_eq!(page.status, 200);
    // Nobody is anybody without a code, wherever the request is from.
    assert_eq!(telephone.request("GET /api/setup", "", "").await.unwrap().status, 401);
    assert_eq!(telephone.request("GET /api/settings", "", "").await.unwrap().status, 401);

    let outcome = machine.setup(&args).await;
    outcome.says(0, "Nothing has to be changed.");
    outcome.says(0, &format!("The page is at https://{NAME}:{port}/\n"));
    let (_, rest) = outcome.text.split_once(&format!("https://{NAME}:{port}/setup#code=")).unwrap();
    let code = rest.get(..9).unwrap();
    let answer = telephone.log_in(code).await;
    assert_eq!(answer.json()["role"], "administrator");
    assert_eq!(telephone.log_in(code).await.status, 401, "a code is for one login");
    // Names of cookies have upper and lower case.
    let cookie = answer.cookie().replace("__host-", "__Host-");
    let report = telephone.request("GET /api/setup", &cookie, "").await.unwrap().json();
    for print in ["certificate", "ca"] {
        assert!(outcome.text.contains(report[print].as_str().unwrap()), "{report} in {}", outcome.text);
    }
    let ca = telephone.request("HEAD /ca.crt", "", "").await.unwrap();
    assert!(ca.status == 200 && ca.head.contains("application/x-x509-ca-cert"), "{}", ca.head);
}
