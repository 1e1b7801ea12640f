//! Uses what openapi-generator makes for Rust. Prints what works, as columns of the guide.

use petstore::apis::animals_api::{create_pet, get_pet, list_pets};
use petstore::apis::configuration::Configuration;
use petstore::apis::photos_api::add_photo;
use petstore::apis::Error;
use petstore::models::{NewPet, PetStatus};
use std::env::var;

fn column(name: &str, works: bool, cell: &str) {
    println!("{name}: {}", if works { cell } else { "no" });
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut store = Configuration::new();
    store.base_path = var("PETSTORE_URL")?;
    store.bearer_access_token = Some(var("PETSTORE_KEY")?);

    let new = |name: &str, category_id: i64| NewPet::new(name.to_string(), category_id);
    let pet = create_pet(&store, new("Willow", i64::MAX), None, None).await?;
    let other = create_pet(&store, new("Other", 3), None, None).await?;
    column("create", pet.status == PetStatus::Available, "yes");
    let ids = Some(vec![pet.id, other.id]);
    let listed =
        list_pets(&store, None, None, None, ids, None, None, None, None, None, None).await?;
    column("list", listed.len() == 2, "yes");
    column("int64", listed[0].category_id == i64::MAX, "exact");

    let photo = var("PETSTORE_PHOTO")?.into();
    let added = add_photo(&store, pet.id, photo, None, None, None).await;
    if let Err(error) = &added {
        eprintln!("{error}");
    }
    column("upload", added.is_ok_and(|photo| photo.width == 60), "yes");
    let code = match get_pet(&store, 999_999, None, None).await {
        Err(Error::ResponseError(refused)) => refused.content,
        _ => String::new(),
    };
    column("error", code.contains("pet_not_found"), "yes");
    Ok(())
}
