//! Reads request headers and queries, without I/O. A client may send any header more than once, and any bytes in it.

use crate::locale::Locale;
use axum::http::header::{ACCEPT_ENCODING, AUTHORIZATION, CONTENT_TYPE, COOKIE, IF_NONE_MATCH};
use axum::http::{HeaderMap, HeaderName, Uri};
use std::net::IpAddr;

/// Maximum number of cookies of one name that are considered; a browser with more did not get them from this server.
const MAX_COOKIES: usize = 4;
const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// Returns the secret of the first `Authorization: Bearer`. Other schemes are meant for a proxy.
pub fn bearer(headers: &HeaderMap) -> Option<&str> {
    headers.get_all(AUTHORIZATION).iter().find_map(|value| {
        let value = value.to_str().ok()?;
        let (scheme, secret) = value.split_once(' ').unwrap_or((value, ""));
        scheme.eq_ignore_ascii_case("bearer").then(|| secret.trim())
    })
}

/// Returns the values of the first cookies of this name, up to a maximum.
pub fn cookies<'a>(headers: &'a HeaderMap, name: &str) -> Vec<&'a str> {
    let cookies = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let values = cookies.flat_map(|value| value.split(';')).filter_map(|pair| {
        let (known, value) = pair.trim().split_once('=')?;
        (known == name).then_some(value)
    });
    values.take(MAX_COOKIES).collect()
}

/// Returns whether the body is declared as this media type, whatever its parameters.
pub fn is_media_type(headers: &HeaderMap, wanted: &str) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case(wanted)
}

/// Returns the address that the proxy in front of this server has added: the last one. A client may have forged those before it.
pub fn forwarded_for(headers: &HeaderMap) -> Option<IpAddr> {
    let last = headers.get_all(FORWARDED_FOR).iter().next_back()?.to_str().ok()?;
    last.rsplit(',').next()?.trim().parse().ok()
}

/// Returns whether the client already has this version (RFC 9110, 13.1.2).
pub fn has_version(headers: &HeaderMap, tag: &str) -> bool {
    let known = headers.get_all(IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    let mut tags = known.flat_map(|value| value.split(',')).map(str::trim);
    tags.any(|known| known == "*" || known.strip_prefix("W/").unwrap_or(known) == tag)
}

/// Returns the language that a request specifies: `?lang=zh-Hant`.
pub fn requested_locale(uri: &Uri) -> Locale {
    Locale::from_tag(query_field(uri, "lang").unwrap_or_default())
}

/// Returns the value of a query's field, as it is written.
pub fn query_field<'a>(uri: &'a Uri, name: &str) -> Option<&'a str> {
    uri.query()?.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))
}

/// Returns whether the client accepts a body in gzip (RFC 9110, 12.5.3).
pub fn accepts_gzip(headers: &HeaderMap) -> bool {
    let values = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).any(|coding| {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
        let weight = weight.trim().strip_prefix("q=").map_or(Some(1.0), |weight| weight.trim().parse().ok());
        name.trim().eq_ignore_ascii_case("gzip") && weight.is_some_and(|weight: f32| weight > 0.0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    #[test]
    fn gzip_is_accepted_only_if_the_client_says_so() {
        let accepts = |values: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(ACCEPT_ENCODING, HeaderValue::from_static(value));
            }
            accepts_gzip(&headers)
        };
        for values in [&["gzip, deflate, br, zstd"][..], &["br", "GZIP"], &["br;q=1.0,gzip;q=0.5"], &["gzip; q=0.001"]] {
            assert!(accepts(values), "{values:?}");
        }
        for values in [&[][..], &[""], &["identity"], &["gzip;q=0"], &["gzip;q=0.000, br"], &["gzip;q=x"], &["xgzip"]] {
            assert!(!accepts(values), "{values:?}");
        }
    }
}
