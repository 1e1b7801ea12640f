//! What the public sees: a list of the interface, and pages made of format strings.

use crate::store::{Pet, Store};
use crate::{PAGE, fail, refuse, tagged};
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{Html, IntoResponse, Response};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Arc;

/// The animals on a page of the public.
const CARDS: i64 = 24;

#[derive(Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Profile {
    species: Option<String>,
    breed: Option<String>,
    second_breed: Option<String>,
    mixed: Option<bool>,
    sex: Option<String>,
    birth_date: Option<String>,
    birth_date_precision: Option<String>,
    age_group: Option<String>,
    size: Option<String>,
    weight_grams: Option<i64>,
    coat: Option<String>,
    colours: Option<Vec<String>>,
    headline: Option<String>,
    description: Option<String>,
    good_with_dogs: Option<String>,
    good_with_cats: Option<String>,
    good_with_children: Option<String>,
    house_trained: Option<bool>,
    neutered: Option<bool>,
    vaccinated: Option<bool>,
    special_needs: Option<bool>,
    special_needs_note: Option<String>,
    energy: Option<String>,
    fee: Option<serde_json::Value>,
    in_care_since: Option<String>,
    video_url: Option<String>,
    published: bool,
}

#[derive(Serialize)]
pub struct Listing {
    pub pet: Pet,
    pub profile: Profile,
    photos: [(); 0],
    url: String,
}

impl Listing {
    pub fn new(pet: Pet, profile: &str) -> Self {
        let url = format!("http://127.0.0.1/adopt/{}/{}", pet.id, slug(&pet.name));
        Self { pet, profile: serde_json::from_str(profile).unwrap_or_default(), photos: [], url }
    }
}

#[derive(Deserialize)]
pub struct Asked {
    pub species: Option<String>,
    sort: Option<String>,
}

impl Asked {
    pub fn is_by_name(&self) -> bool {
        self.sort.as_deref() == Some("name")
    }
}

fn slug(name: &str) -> String {
    name.to_lowercase().replace(' ', "-")
}

pub async fn list(State(store): State<Arc<Store>>, Query(asked): Query<Asked>, sent: HeaderMap) -> Response {
    match store.listings(&asked, PAGE.into()) {
        Ok(listings) => tagged(&listings, &sent),
        Err(error) => fail(error),
    }
}

/// Writes a text so that nothing in it is an element.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            other => safe.push(other),
        }
    }
    safe
}

fn summary(profile: &Profile) -> String {
    let parts = [&profile.breed, &profile.sex, &profile.age_group, &profile.size];
    parts.into_iter().flatten().map(|it| escaped(it)).collect::<Vec<_>>().join(" · ")
}

fn page(title: &str, main: &str) -> Response {
    Html(format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title} · Animal shelter</title>\
         <meta name=\"viewport\" content=\"width=device-width\"><link rel=\"stylesheet\" href=\"/adopt.css\"></head>\
         <body><header><a href=\"/adopt\">Animal shelter</a></header><main>{main}</main>\
         <footer><a href=\"/adopt\">See all animals</a></footer></body></html>"
    ))
    .into_response()
}

pub async fn list_page(State(store): State<Arc<Store>>, Query(asked): Query<Asked>) -> Response {
    let (listings, counts) = match store.listings(&asked, CARDS).and_then(|it| Ok((it, store.species()?))) {
        Ok(found) => found,
        Err(error) => return fail(error),
    };
    let mut main = String::with_capacity(16_384);
    for (species, count) in counts {
        let _ = write!(main, "<a href=\"/adopt?species={species}\">{species} <small>{count}</small></a>");
    }
    for Listing { pet, profile, url, .. } in &listings {
        let headline = escaped(profile.headline.as_deref().unwrap_or(""));
        let since = escaped(profile.in_care_since.as_deref().unwrap_or(""));
        let _ = write!(
            main,
            "<li class=\"card\"><h2><a href=\"{url}\">{}</a></h2><p>{}</p><p>{headline}</p><p>since {since}</p></li>",
            escaped(&pet.name),
            summary(profile),
        );
    }
    page("Animals", &main)
}

pub async fn animal_page(
    State(store): State<Arc<Store>>,
    Path((id, _)): Path<(i64, String)>,
    Query(_): Query<HashMap<String, String>>,
) -> Response {
    match store.listing(id) {
        Ok(Some(Listing { pet, profile, .. })) => {
            let name = escaped(&pet.name);
            let headline = escaped(profile.headline.as_deref().unwrap_or(""));
            let text = escaped(profile.description.as_deref().unwrap_or(""));
            let summary = summary(&profile);
            page(&name, &format!("<h1>{name}</h1><p>{summary}</p><p>{headline}</p><p>{text}</p>"))
        }
        Ok(None) => refuse(StatusCode::NOT_FOUND, "There is no such animal."),
        Err(error) => fail(error),
    }
}
