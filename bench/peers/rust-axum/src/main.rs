//! The work of our service on axum and rusqlite: `server PORT DATABASE`.

mod admission;
mod limits;
mod listings;
mod log;
mod store;

use axum::body::Bytes;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router, middleware};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use store::{Asked, NewPet, Status, Store};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const PAGE: u32 = 20;
const PAGE_MAX: u32 = 100;
const NAME_MAX: usize = 255;

pub fn refuse(status: StatusCode, message: &'static str) -> Response {
    (status, Json(serde_json::json!({ "message": message }))).into_response()
}

fn fail(error: rusqlite::Error) -> Response {
    eprintln!("{error}");
    refuse(StatusCode::INTERNAL_SERVER_ERROR, "Something went wrong.")
}

/// The value with its entity tag, or 304 to a client that has it.
fn tagged<T: Serialize>(value: &T, sent: &HeaderMap) -> Response {
    let body = serde_json::to_vec(value).expect("it is plain data");
    let tag = format!("\"{:032x}\"", xxhash_rust::xxh3::xxh3_128(&body));
    let has_it = sent.get(header::IF_NONE_MATCH).is_some_and(|it| it.as_bytes() == tag.as_bytes());
    let tag = [(header::ETAG, HeaderValue::try_from(tag).expect("it is ASCII"))];
    if has_it {
        return (StatusCode::NOT_MODIFIED, tag).into_response();
    }
    (tag, [(header::CONTENT_TYPE, "application/json")], body).into_response()
}

#[derive(Deserialize)]
struct ListQuery {
    status: Option<Status>,
    #[serde(rename = "categoryId")]
    category_id: Option<i64>,
    cursor: Option<i64>,
    limit: Option<u32>,
}

async fn list(
    State(store): State<Arc<Store>>,
    query: Result<Query<ListQuery>, axum::extract::rejection::QueryRejection>,
    sent: HeaderMap,
) -> Response {
    let invalid = || refuse(StatusCode::BAD_REQUEST, "A parameter is invalid.");
    let Ok(Query(query)) = query else { return invalid() };
    let limit = query.limit.unwrap_or(PAGE);
    if !(1..=PAGE_MAX).contains(&limit) {
        return invalid();
    }
    let after = query.cursor.unwrap_or(0);
    let asked = Asked { status: query.status, category_id: query.category_id, after, limit };
    let pets = match store.list(&asked) {
        Ok(pets) => pets,
        Err(error) => return fail(error),
    };
    let mut response = tagged(&pets, &sent);
    if pets.len() == limit as usize {
        let mut next = format!("<http://127.0.0.1/v1/pets?limit={limit}&cursor={}", pets[pets.len() - 1].id);
        if let Some(status) = asked.status {
            next += &format!("&status={}", status.text());
        }
        if let Some(category) = asked.category_id {
            next += &format!("&categoryId={category}");
        }
        next += ">; rel=\"next\"";
        response.headers_mut().insert(header::LINK, HeaderValue::try_from(next).expect("it is ASCII"));
    }
    response
}

async fn find(State(store): State<Arc<Store>>, Path(id): Path<i64>, sent: HeaderMap) -> Response {
    match store.find(id) {
        Ok(Some(pet)) => tagged(&pet, &sent),
        Ok(None) => refuse(StatusCode::NOT_FOUND, "There is no such animal."),
        Err(error) => fail(error),
    }
}

#[derive(Deserialize)]
struct Change {
    status: Status,
}

/// Changes the status of an animal, in its row and in its listing.
async fn update(
    State(store): State<Arc<Store>>,
    Path(id): Path<i64>,
    Json(change): Json<Change>,
) -> Response {
    match store.update(id, change.status).and_then(|()| store.find(id)) {
        Ok(pet) => Json(pet).into_response(),
        Err(error) => fail(error),
    }
}

async fn create(State(store): State<Arc<Store>>, body: Bytes) -> Response {
    let pet: NewPet = match serde_json::from_slice(&body) {
        Ok(pet) => pet,
        Err(_) => return refuse(StatusCode::BAD_REQUEST, "Send name, categoryId and status."),
    };
    if pet.name.is_empty() || pet.name.len() > NAME_MAX || pet.category_id < 1 {
        return refuse(StatusCode::BAD_REQUEST, "Send name, categoryId and status.");
    }
    match store.create(pet).await {
        Ok(pet) => {
            let location = [(header::LOCATION, format!("/v1/pets/{}", pet.id))];
            (StatusCode::CREATED, location, Json(pet)).into_response()
        }
        Err(error) => fail(error),
    }
}

// One core, as the others.
#[tokio::main(flavor = "current_thread")]
async fn main() {
    let mut arguments = std::env::args().skip(1);
    let port = arguments.next().expect("a port");
    let store = Store::open(&arguments.next().expect("a database")).expect("the database");
    let admission = Arc::new(admission::Admission::new(store.clone()));
    let app = Router::new()
        .route("/v1/pets", get(list).post(create))
        .route("/v1/pets/{id}", get(find).patch(update))
        .route("/v1/listings", get(listings::list))
        .route("/adopt", get(listings::list_page))
        .route("/adopt/{id}/{name}", get(listings::animal_page))
        .layer(middleware::from_fn_with_state(admission, admission::admit))
        .with_state(store);
    let listener = tokio::net::TcpListener::bind(format!("127.0.0.1:{port}")).await.expect("the port");
    axum::serve(listener, app).await.expect("the server");
}
