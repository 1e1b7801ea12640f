/** What the public sees: a list of the interface, and pages made of template strings. */
const SELECT = `SELECT p.id, p.name, p.category_id AS categoryId, p.status, f.public
  FROM listings l JOIN pets p ON p.id = l.pet_id JOIN profiles f ON f.pet_id = l.pet_id`;
/** The animals on a page of the public. */
const CARDS = 24;
const ORDERS = { newest: 'l.pet_id DESC', name: 'l.name, l.pet_id' };
const UNKNOWN = Object.fromEntries(
  [
    ...['species', 'breed', 'secondBreed', 'mixed', 'sex', 'birthDate', 'birthDatePrecision'],
    ...['ageGroup', 'size', 'weightGrams', 'coat', 'colours', 'headline', 'description'],
    ...['goodWithDogs', 'goodWithCats', 'goodWithChildren', 'houseTrained', 'neutered'],
    ...[
      'vaccinated',
      'specialNeeds',
      'specialNeedsNote',
      'energy',
      'fee',
      'inCareSince',
      'videoUrl',
    ],
  ].map((name) => [name, null]),
);
const ESCAPES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text) => String(text ?? '').replace(/[&<>"]/g, (sign) => ESCAPES[sign]);
const summary = ({ breed, sex, ageGroup, size }) =>
  [breed, sex, ageGroup, size].filter(Boolean).map(escaped).join(' · ');

function listingOf({ public: known, ...pet }) {
  const url = `http://127.0.0.1/adopt/${pet.id}/${pet.name.toLowerCase().replaceAll(' ', '-')}`;
  return { pet, profile: { ...UNKNOWN, ...JSON.parse(known) }, photos: [], url };
}

/** The statements of what the public sees, and its pages. */
export function openListings(database) {
  const one = database.prepare(`${SELECT} WHERE l.pet_id = ?`);
  const counts = database.prepare('SELECT species, count(*) AS n FROM listings GROUP BY species');
  const lists = Object.entries(ORDERS).map(([sort, order]) => {
    const end = `ORDER BY ${order} LIMIT ?`;
    const all = database.prepare(`${SELECT} ${end}`);
    return [sort, { all, of: database.prepare(`${SELECT} WHERE l.species = ? ${end}`) }];
  });
  const bySort = Object.fromEntries(lists);
  const list = ({ species, sort = 'newest' }, limit = 20) => {
    const { all, of } = bySort[sort];
    return (species === undefined ? all.all(limit) : of.all(species, limit)).map(listingOf);
  };
  return {
    list,
    listPage: (query) =>
      page(
        'Animals',
        counts
          .all()
          .map(({ species, n }) => `<a href="/adopt?species=${species}">${species} ${n}</a>`),
        list(query, CARDS).map(
          ({ pet, profile, url }) =>
            `<li class="card"><h2><a href="${url}">${escaped(pet.name)}</a></h2><p>${summary(profile)}</p>` +
            `<p>${escaped(profile.headline)}</p><p>since ${escaped(profile.inCareSince)}</p></li>`,
        ),
      ),
    animalPage(id) {
      const row = one.get(id);
      if (!row) return undefined;
      const { pet, profile } = listingOf(row);
      const texts = [profile.headline, profile.description].map(
        (text) => `<p>${escaped(text)}</p>`,
      );
      return page(escaped(pet.name), [`<h1>${escaped(pet.name)}</h1>`, summary(profile)], texts);
    },
  };
}

const page = (title, ...parts) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title} · Animal shelter</title>
<link rel="stylesheet" href="/adopt.css"></head><body><header><a href="/adopt">Animal shelter</a></header>
<main>${parts.flat().join('')}</main><footer><a href="/adopt">See all animals</a></footer></body></html>`;
