//! What remains after `touchmovectl setup`, for the administrator: devices that have to be named, and the certificate that telephones
//! do not know.

use super::WebState;
use super::post::require_right;
use super::refusal::{HandlerResult, refusal};
use crate::config::web::Tls;
use crate::game::rights::Right;
use crate::publish::http::origin::requested_host;
use axum::Json;
use axum::extract::State;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::IntoResponse;
use data_encoding::HEXUPPER;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::path::PathBuf;
use std::sync::Arc;
use tokio::task::spawn_blocking;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject;

/// The media type with which telephones offer to install a certificate.
const CA_MEDIA_TYPE: &str = "application/x-x509-ca-cert";

/// Handles `GET /api/setup`.
pub(super) async fn read(State(web): State<Arc<WebState>>, headers: HeaderMap) -> HandlerResult {
    require_right(&web, &headers, Right::Administer)?;
    let unused: Vec<Value> = web.hub.read(|state| {
        let devices = state.unused.iter();
        devices.map(|device| json!({"device": device.device, "reason": device.reason, "models": device.models})).collect()
    });
    let fingerprint = async |path: Option<PathBuf>| certificate(path?).await.map(|certificate| fingerprint_of(&certificate));
    let (certificate, ca) = match web.config.tls.clone() {
        Some(Tls { cert, ca, .. }) => (fingerprint(Some(cert)).await, fingerprint(ca).await),
        None => (None, None),
    };
    let address = web.config.browser_address(requested_host(&headers));
    Ok(Json(json!({
        "address": address, "encrypted": web.config.is_encrypted(), "certificate": certificate, "ca": ca, "unused": unused,
    }))
    .into_response())
}

/// Handles `GET /ca.crt`: the certificate of the CA, which is public.
pub(super) async fn ca(State(web): State<Arc<WebState>>) -> HandlerResult {
    let path = web.config.tls.as_ref().and_then(|tls| tls.ca.clone());
    let certificate = match path {
        Some(path) => certificate(path).await,
        None => None,
    };
    let certificate = certificate
        .ok_or_else(|| refusal(StatusCode::NOT_FOUND, "this page has no CA of its own: browsers know its certificate"))?;
    let headers = [(CONTENT_TYPE, CA_MEDIA_TYPE), (CONTENT_DISPOSITION, "attachment; filename=\"touchmove-ca.crt\"")];
    Ok((headers, certificate.to_vec()).into_response())
}

/// Reads the first certificate of a file in PEM.
async fn certificate(path: PathBuf) -> Option<CertificateDer<'static>> {
    spawn_blocking(move || CertificateDer::from_pem_file(path).ok()).await.ok().flatten()
}

/// Returns the SHA-256 of a certificate, as browsers show it.
fn fingerprint_of(certificate: &CertificateDer<'_>) -> String {
    Sha256::digest(certificate).iter().map(|byte| HEXUPPER.encode(&[*byte])).collect::<Vec<_>>().join(":")
}
