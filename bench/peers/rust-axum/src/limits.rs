//! Counts requests of keys in fixed windows of a minute and a day.

use crate::admission::Key;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use std::collections::HashMap;
use std::sync::Mutex;

const MINUTE: i64 = 60;
const DAY: i64 = 86_400;

#[derive(Clone, Copy, Default)]
struct Window {
    start: i64,
    count: i64,
}

#[derive(Default)]
pub struct Limits {
    used: Mutex<HashMap<i64, [Window; 2]>>,
}

pub struct Quota {
    pub granted: bool,
    allowed: [i64; 2],
    left: [i64; 2],
    resets: [i64; 2],
    now: i64,
}

impl Limits {
    /// Counts a request if both windows have room.
    pub fn charge(&self, key: &Key, now: i64) -> Quota {
        let lengths = [MINUTE, DAY];
        let allowed = [key.per_minute, key.per_day];
        let mut used = self.used.lock().unwrap();
        let windows = used.entry(key.id).or_default();
        for (window, length) in windows.iter_mut().zip(lengths) {
            let start = now - now % length;
            if window.start != start {
                *window = Window { start, count: 0 };
            }
        }
        let granted = windows.iter().zip(allowed).all(|(window, most)| window.count < most);
        if granted {
            windows.iter_mut().for_each(|window| window.count += 1);
        }
        let left = [allowed[0] - windows[0].count, allowed[1] - windows[1].count];
        let resets = [windows[0].start + MINUTE, windows[1].start + DAY];
        Quota { granted, allowed, left, resets, now }
    }
}

impl Quota {
    pub fn write(&self, headers: &mut HeaderMap) {
        let Self { allowed, left, resets, now, .. } = self;
        let tightest = usize::from(left[1] < left[0]);
        let mut set = |name: &'static str, value: String| {
            let value = HeaderValue::try_from(value).expect("it is ASCII");
            headers.insert(HeaderName::from_static(name), value);
        };
        set("x-ratelimit-limit", allowed[tightest].to_string());
        set("x-ratelimit-remaining", left[tightest].to_string());
        set("x-ratelimit-reset", resets[tightest].to_string());
        set(
            "ratelimit-policy",
            format!("\"minute\";q={};w={MINUTE}, \"day\";q={};w={DAY}", allowed[0], allowed[1]),
        );
        set(
            "ratelimit",
            format!(
                "\"minute\";r={};t={}, \"day\";r={};t={}",
                left[0],
                resets[0] - now,
                left[1],
                resets[1] - now
            ),
        );
    }
}
