//! Uses what progenitor makes. Prints what works, as columns of the guide.

use reqwest::header::{HeaderMap, HeaderValue, AUTHORIZATION};
use std::env::var;

progenitor::generate_api!(spec = "openapi-3.0.json", interface = Builder);

fn column(name: &str, works: bool, cell: &str) {
    println!("{name}: {}", if works { cell } else { "no" });
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut headers = HeaderMap::new();
    let key = format!("Bearer {}", var("PETSTORE_KEY")?);
    headers.insert(AUTHORIZATION, HeaderValue::from_str(&key)?);
    let http = reqwest::Client::builder().default_headers(headers).build()?;
    let client = Client::new_with_client(&var("PETSTORE_URL")?, http);

    let create = |name: &'static str, category_id: i64| {
        let body = types::NewPet::builder().name(name).category_id(category_id);
        client.create_pet().body(body).send()
    };
    let pet = create("Willow", i64::MAX).await?.into_inner();
    let other = create("Other", 3).await?.into_inner();
    column("create", pet.status == types::PetStatus::Available, "yes");
    let listed = client.list_pets().id(vec![pet.id, other.id]).send().await?;
    column("list", listed.len() == 2, "yes");
    column("int64", listed[0].category_id == i64::MAX, "exact");

    let photo = std::fs::read(var("PETSTORE_PHOTO")?)?;
    let added = client.add_photo().pet_id(pet.id).body(photo).send().await;
    if let Err(error) = &added {
        eprintln!("{error}");
    }
    column("upload", added.is_ok(), "yes");
    let missing = client.get_pet().pet_id(999_999).send().await;
    let code = match missing {
        Err(Error::ErrorResponse(refused)) => Some(refused.into_inner().code),
        _ => None,
    };
    column("error", code == Some(types::ErrorCode::PetNotFound), "yes");
    Ok(())
}
