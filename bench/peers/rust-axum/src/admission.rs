//! Checks the key, counts the request, sets the common headers and writes a line of the log.

use crate::limits::Limits;
use crate::log::RequestLog;
use crate::refuse;
use crate::store::Store;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

const FRESH: Duration = Duration::from_millis(500);

#[derive(Clone, Copy)]
pub struct Key {
    pub id: i64,
    pub per_minute: i64,
    pub per_day: i64,
}

pub struct Admission {
    store: Arc<Store>,
    /// Keys by the header that they were sent in, and when they were read.
    seen: Mutex<HashMap<HeaderValue, (Key, Instant)>>,
    limits: Limits,
    log: RequestLog,
}

impl Admission {
    pub fn new(store: Arc<Store>) -> Self {
        Self { store, seen: Mutex::default(), limits: Limits::default(), log: RequestLog::start() }
    }

    fn key_of(&self, sent: &HeaderMap, now: Instant) -> Option<Key> {
        let field = sent.get(header::AUTHORIZATION)?;
        let mut seen = self.seen.lock().unwrap();
        if let Some((key, read_at)) = seen.get(field) {
            if now - *read_at < FRESH {
                return Some(*key);
            }
            seen.remove(field);
        }
        let (scheme, text) = field.to_str().ok()?.split_once(' ')?;
        if !scheme.eq_ignore_ascii_case("bearer") {
            return None;
        }
        let key = self.store.find_key(&format!("{:x}", Sha256::digest(text.trim()))).ok()??;
        seen.insert(field.clone(), (key, now));
        Some(key)
    }
}

pub async fn admit(
    State(admission): State<Arc<Admission>>,
    request: Request,
    next: Next,
) -> Response {
    let began = Instant::now();
    let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let id = uuid::Uuid::new_v4().to_string();
    let key = admission.key_of(request.headers(), began);
    let method = request.method().clone();
    let path = request.uri().path().to_owned();
    let mut quota = None;
    let mut response = match key {
        None => refuse(StatusCode::UNAUTHORIZED, "Send a valid API key."),
        Some(key) => {
            let charge = admission.limits.charge(&key, time.as_secs() as i64);
            let granted = charge.granted;
            quota = Some(charge);
            if granted {
                next.run(request).await
            } else {
                refuse(StatusCode::TOO_MANY_REQUESTS, "Wait until the limit resets.")
            }
        }
    };
    let headers = response.headers_mut();
    let fixed = HeaderValue::from_static;
    headers.insert(header::CACHE_CONTROL, fixed("private, no-cache"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, fixed("nosniff"));
    headers.insert(header::VARY, fixed("Authorization"));
    let request_id = HeaderValue::try_from(&id).expect("it is ASCII");
    headers.insert(HeaderName::from_static("x-request-id"), request_id);
    if let Some(quota) = quota {
        quota.write(headers);
    }
    admission.log.add(time, &id, key, &method, &path, response.status(), began.elapsed());
    response
}
