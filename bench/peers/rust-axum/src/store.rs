//! A database of our service that no other process writes to. Additions share commits.

use crate::admission::Key;
use crate::listings::{self, Listing};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OptionalExtension, Result, Row, params, params_from_iter};
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};
use tokio::sync::{mpsc, oneshot};

const FIND: &str = "SELECT id, name, category_id, status FROM pets WHERE id = ?";
const FIND_KEY: &str = "SELECT id, per_minute, per_day FROM api_keys
    WHERE hash = ?1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?2)";
const INSERT: &str = "INSERT INTO pets
    (name, name_folded, category_id, status, was_offered, added_at)
    VALUES (?1, ?2, ?3, ?4, ?4 <> 'sold', ?5)";
/// Lists without a filter, by status, by category, and by both.
const LISTS: [&str; 4] = [
    "SELECT id, name, category_id, status FROM pets WHERE id > ? ORDER BY id LIMIT ?",
    "SELECT id, name, category_id, status FROM pets WHERE status = ? AND id > ? ORDER BY id LIMIT ?",
    "SELECT id, name, category_id, status FROM pets WHERE category_id = ? AND id > ? ORDER BY id LIMIT ?",
    "SELECT id, name, category_id, status FROM pets WHERE category_id = ? AND status = ? AND id > ? ORDER BY id LIMIT ?",
];

macro_rules! listings {
    ($rest:literal) => {
        concat!(
            "SELECT p.id, p.name, p.category_id, p.status, f.public FROM listings l
             JOIN pets p ON p.id = l.pet_id JOIN profiles f ON f.pet_id = l.pet_id ",
            $rest
        )
    };
}
const LISTING: &str = listings!("WHERE l.pet_id = ?1");
/// All listings by age and by name, and those of a species.
const LISTINGS: [&str; 4] = [
    listings!("ORDER BY l.pet_id DESC LIMIT ?1"),
    listings!("ORDER BY l.name, l.pet_id LIMIT ?1"),
    listings!("WHERE l.species = ?2 ORDER BY l.pet_id DESC LIMIT ?1"),
    listings!("WHERE l.species = ?2 ORDER BY l.name, l.pet_id LIMIT ?1"),
];
const SPECIES: &str = "SELECT species, count(*) FROM listings GROUP BY species ORDER BY species";

#[derive(Clone, Copy, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    Available,
    Pending,
    Sold,
}

impl Status {
    pub fn text(self) -> &'static str {
        match self {
            Status::Available => "available",
            Status::Pending => "pending",
            Status::Sold => "sold",
        }
    }

    fn from_text(text: &str) -> Self {
        match text {
            "pending" => Status::Pending,
            "sold" => Status::Sold,
            _ => Status::Available,
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Pet {
    pub id: i64,
    pub name: String,
    category_id: i64,
    status: Status,
}

fn available() -> Status {
    Status::Available
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewPet {
    pub name: String,
    pub category_id: i64,
    #[serde(default = "available")]
    status: Status,
}

pub struct Asked {
    pub status: Option<Status>,
    pub category_id: Option<i64>,
    pub after: i64,
    pub limit: u32,
}

struct Addition {
    pet: NewPet,
    done: oneshot::Sender<Result<Pet>>,
}

pub struct Store {
    connection: Mutex<Connection>,
    additions: mpsc::UnboundedSender<Addition>,
}

fn now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as i64
}

fn pet_of(row: &Row) -> Result<Pet> {
    let status = Status::from_text(row.get_ref(3)?.as_str()?);
    Ok(Pet { id: row.get(0)?, name: row.get(1)?, category_id: row.get(2)?, status })
}

fn listing_of(row: &Row) -> Result<Listing> {
    Ok(Listing::new(pet_of(row)?, row.get_ref(4)?.as_str()?))
}

impl Store {
    pub fn open(path: &str) -> Result<Arc<Self>> {
        let connection = Connection::open(path)?;
        connection.execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA cache_size = -16384",
        )?;
        // Otherwise SQLite plans a statement again whenever a bound limit differs.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        connection.set_prepared_statement_cache_capacity(16);
        let (additions, waiting) = mpsc::unbounded_channel();
        let store = Arc::new(Self { connection: Mutex::new(connection), additions });
        tokio::spawn(store.clone().commit_groups(waiting));
        Ok(store)
    }

    pub fn list(&self, asked: &Asked) -> Result<Vec<Pet>> {
        let connection = self.connection.lock().unwrap();
        let mut values: Vec<&dyn rusqlite::ToSql> = Vec::with_capacity(4);
        let status = asked.status.map(Status::text);
        if let Some(category) = &asked.category_id {
            values.push(category);
        }
        if let Some(status) = &status {
            values.push(status);
        }
        values.push(&asked.after);
        values.push(&asked.limit);
        let at = usize::from(status.is_some()) + 2 * usize::from(asked.category_id.is_some());
        let mut statement = connection.prepare_cached(LISTS[at])?;
        statement.query_map(params_from_iter(values), pet_of)?.collect()
    }

    pub fn find(&self, id: i64) -> Result<Option<Pet>> {
        let connection = self.connection.lock().unwrap();
        connection.prepare_cached(FIND)?.query_row([id], pet_of).optional()
    }

    pub fn find_key(&self, hash: &str) -> Result<Option<Key>> {
        let connection = self.connection.lock().unwrap();
        let key = |row: &Row| Ok(Key { id: row.get(0)?, per_minute: row.get(1)?, per_day: row.get(2)? });
        connection.prepare_cached(FIND_KEY)?.query_row(params![hash, now()], key).optional()
    }

    /// The first page of what the public sees.
    pub fn listings(&self, asked: &listings::Asked, limit: i64) -> Result<Vec<Listing>> {
        let connection = self.connection.lock().unwrap();
        let at = usize::from(asked.is_by_name()) + 2 * usize::from(asked.species.is_some());
        let mut statement = connection.prepare_cached(LISTINGS[at])?;
        let mut values: Vec<&dyn rusqlite::ToSql> = vec![&limit];
        if let Some(species) = &asked.species {
            values.push(species);
        }
        statement.query_map(&values[..], listing_of)?.collect()
    }

    pub fn listing(&self, id: i64) -> Result<Option<Listing>> {
        let connection = self.connection.lock().unwrap();
        connection.prepare_cached(LISTING)?.query_row([id], listing_of).optional()
    }

    /// How many animals the public sees of each species.
    pub fn species(&self) -> Result<Vec<(String, i64)>> {
        let connection = self.connection.lock().unwrap();
        let mut statement = connection.prepare_cached(SPECIES)?;
        statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
    }

    pub fn update(&self, id: i64, status: Status) -> Result<()> {
        let mut connection = self.connection.lock().unwrap();
        let transaction = connection.transaction()?;
        transaction.execute("UPDATE pets SET status = ?2 WHERE id = ?1", params![id, status.text()])?;
        transaction.execute("UPDATE listings SET status = ?2 WHERE pet_id = ?1", params![id, status.text()])?;
        transaction.commit()
    }

    /// Adds an animal. It is on disk when this ends.
    pub async fn create(&self, pet: NewPet) -> Result<Pet> {
        let (done, result) = oneshot::channel();
        let _ = self.additions.send(Addition { pet, done });
        result.await.unwrap_or(Err(rusqlite::Error::InvalidQuery))
    }

    /// Commits all additions that wait in one transaction.
    async fn commit_groups(self: Arc<Self>, mut waiting: mpsc::UnboundedReceiver<Addition>) {
        let mut group = Vec::new();
        while waiting.recv_many(&mut group, 512).await > 0 {
            // Requests that have arrived meanwhile join.
            tokio::task::yield_now().await;
            while let Ok(more) = waiting.try_recv() {
                group.push(more);
            }
            let (senders, added) = self.insert(std::mem::take(&mut group));
            match added {
                Ok(pets) => senders.into_iter().zip(pets).for_each(|(sender, pet)| {
                    let _ = sender.send(pet);
                }),
                Err(_) => drop(senders),
            }
        }
    }

    #[allow(clippy::type_complexity)]
    fn insert(
        &self,
        group: Vec<Addition>,
    ) -> (Vec<oneshot::Sender<Result<Pet>>>, Result<Vec<Result<Pet>>>) {
        let mut connection = self.connection.lock().unwrap();
        let mut senders = Vec::with_capacity(group.len());
        let mut pets = Vec::with_capacity(group.len());
        let committed = (|| {
            let transaction = connection.transaction()?;
            let mut statement = transaction.prepare_cached(INSERT)?;
            for Addition { pet: NewPet { name, category_id, status }, done } in group {
                senders.push(done);
                let folded = name.to_lowercase();
                let inserted =
                    statement.insert(params![name, folded, category_id, status.text(), now()]);
                pets.push(inserted.map(|id| Pet { id, name, category_id, status }));
            }
            drop(statement);
            transaction.commit()
        })();
        (senders, committed.map(|()| pets))
    }
}
