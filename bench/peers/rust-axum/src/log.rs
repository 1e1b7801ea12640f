//! Writes a line of JSON per request to standard output, buffered for a second.

use crate::admission::Key;
use axum::http::{Method, StatusCode};
use serde::Serialize;
use std::io::Write;
use std::sync::{Arc, Mutex};
use std::time::Duration;

const FLUSH_EVERY: Duration = Duration::from_secs(1);
const BUFFER_BYTES: usize = 131_072;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Line<'a> {
    /// Milliseconds since the Unix epoch.
    time: u64,
    request_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    key_id: Option<i64>,
    method: &'a str,
    path: &'a str,
    status: u16,
    milliseconds: f64,
}

pub struct RequestLog {
    lines: Arc<Mutex<Vec<u8>>>,
}

fn flush(lines: &Mutex<Vec<u8>>) {
    let mut lines = lines.lock().unwrap();
    let _ = std::io::stdout().write_all(&lines);
    lines.clear();
}

impl RequestLog {
    pub fn start() -> Self {
        let lines = Arc::new(Mutex::new(Vec::with_capacity(BUFFER_BYTES)));
        let flushed = lines.clone();
        tokio::spawn(async move {
            let mut every = tokio::time::interval(FLUSH_EVERY);
            loop {
                every.tick().await;
                flush(&flushed);
            }
        });
        Self { lines }
    }

    #[allow(clippy::too_many_arguments)]
    pub fn add(
        &self,
        time: Duration,
        request_id: &str,
        key: Option<Key>,
        method: &Method,
        path: &str,
        status: StatusCode,
        took: Duration,
    ) {
        let line = Line {
            time: time.as_millis() as u64,
            request_id,
            key_id: key.map(|key| key.id),
            method: method.as_str(),
            path,
            status: status.as_u16(),
            milliseconds: took.as_micros() as f64 / 1_000.0,
        };
        let mut lines = self.lines.lock().unwrap();
        serde_json::to_writer(&mut *lines, &line).expect("it is plain data");
        lines.push(b'\n');
        let is_full = lines.len() >= BUFFER_BYTES;
        drop(lines);
        if is_full {
            flush(&self.lines);
        }
    }
}
