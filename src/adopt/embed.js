// Shows the animals of a shop on any site: <adoptable-animals species="dog" limit="12"></adoptable-animals>.
// What is inside the element is shown until the animals are there, and when they cannot be.
{
  const WORDS = WORDS_OF_ALL_LANGUAGES;
  // A copy on another site, and one that a site puts into a file of its own, know the shop from this.
  const SHOP = 'ADDRESS_OF_THE_SHOP';
  const OWN = /^(.*)\/adopt\/embed\.js(?:[?#]|$)/;
  const { src } =
    document.currentScript ?? document.querySelector('script[src*="/adopt/embed.js"]') ?? {};
  const [, root = SHOP] = OWN.exec(src ?? '') ?? [];
  const FILTERS = {
    species: 'species',
    sex: 'sex',
    'age-group': 'ageGroup',
    size: 'size',
    'good-with': 'goodWith',
    children: 'children',
    breed: 'breed',
    status: 'status',
    q: 'q',
    sort: 'sort',
  };
  const LIMIT = 12;
  const TIMEOUT_MS = 10_000;

  const styles = new CSSStyleSheet();
  styles.replaceSync(`
:host { display: block; container-type: inline-size; color: inherit; font: inherit; }
li a, li p { unicode-bidi: plaintext; }
ul, p { letter-spacing: normal; text-align: start; text-indent: 0; text-transform: none; white-space: normal; }
:host([hidden]) { display: none; }
ul { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 13rem), 1fr)); gap: 1.5rem 1.25rem; margin: 0; padding: 0; list-style: none; }
li { position: relative; min-width: 0; overflow-wrap: break-word; }
img { display: block; box-sizing: border-box; width: 100%; height: auto; aspect-ratio: 4 / 3; object-fit: cover; border-radius: var(--adoptable-radius, 12px); background: rgb(128 128 128 / 15%); }
img.drawing { padding: 12%; object-fit: contain; }
a { color: inherit; }
li a { display: block; margin-top: .6rem; font-size: 1.15em; font-weight: 650; text-decoration: none; }
li a::after { content: ""; position: absolute; inset: 0; border-radius: 12px; }
li a:hover { text-decoration: underline; }
:focus-visible { outline: none; }
li a:focus-visible::after, p a:focus-visible { outline: 3px solid var(--adoptable-accent, currentcolor); outline-offset: 3px; }
p { margin: .15rem 0 0; }
.all { margin-top: 1.25rem; }
.badge { position: absolute; top: .6rem; left: .6rem; padding: .1rem .6rem; border-radius: 99px; background: #fff; color: #1b1b1f; font-size: .85em; }
`);

  /** An element with its part, which the page around it may style. */
  function make(tag, part, more = {}) {
    const element = Object.assign(document.createElement(tag), more);
    element.setAttribute('part', part);
    return element;
  }

  const breedOf = ({ breed, secondBreed, mixed }, { mix, mixOf }) => {
    if (!breed) return undefined;
    if (secondBreed) return mixOf.replace('%', breed).replace('%', secondBreed);
    return mixed ? mix.replace('%', breed) : breed;
  };

  /** The time since a date in whole years, or months, or days where it is known so exactly. */
  function since(date, precision) {
    const now = new Date();
    const isEarly = now.getUTCDate() < date.getUTCDate() ? 1 : 0;
    const months =
      (now.getUTCFullYear() - date.getUTCFullYear()) * 12 +
      now.getUTCMonth() -
      date.getUTCMonth() -
      isEarly;
    if (precision === 'year' || months >= 24) return [Math.floor(months / 12), 'year'];
    if (precision === 'month' || months >= 1) return [Math.max(months, 0), 'month'];
    return [Math.max(Math.floor((now - date) / 86_400_000), 0), 'day'];
  }

  class AdoptableAnimals extends HTMLElement {
    static observedAttributes = [...Object.keys(FILTERS), 'limit', 'lang', 'target'];
    #shadow = this.attachShadow({ mode: 'open' });
    #turn = 0;
    #isPlanned = false;

    connectedCallback() {
      this.#shadow.adoptedStyleSheets = [styles];
      this.#plan();
    }

    attributeChangedCallback() {
      if (this.isConnected) this.#plan();
    }

    /** Attributes that change together are one change. */
    #plan() {
      if (this.#isPlanned) return;
      this.#isPlanned = true;
      queueMicrotask(() => {
        this.#isPlanned = false;
        void this.#load();
      });
    }

    get #language() {
      const near = this.closest('[lang]')?.lang || navigator.language;
      const name = near.slice(0, 2).toLowerCase();
      return Object.hasOwn(WORDS, name) ? name : 'en';
    }

    /** Links leave a frame, as the pages of the shop may not be in one. */
    get #target() {
      return this.getAttribute('target') ?? '_top';
    }

    get #query() {
      const query = new URLSearchParams();
      for (const [attribute, name] of Object.entries(FILTERS)) {
        const value = this.getAttribute(attribute);
        if (value) query.set(name, value);
      }
      return query;
    }

    async #load() {
      const turn = ++this.#turn;
      const words = WORDS[this.#language];
      const limit = Math.min(Math.max(Math.trunc(this.getAttribute('limit')) || LIMIT, 1), 100);
      const query = this.#query;
      query.set('limit', limit);
      const address = `${root}/adopt/animals.json?${query}`;
      if (this.#shadow.childElementCount === 0) this.#say(words.loading);
      this.setAttribute('aria-busy', 'true');
      let animals;
      try {
        const signal = AbortSignal.timeout(TIMEOUT_MS);
        const response = await fetch(address, { credentials: 'omit', signal });
        const body = await response.json();
        if (response.ok) animals = body;
        else console.warn(`adoptable-animals: ${body.message}`);
      } catch {
        // The shop cannot be reached: what is inside the element is shown.
      }
      if (turn !== this.#turn) return;
      this.removeAttribute('aria-busy');
      if (animals === undefined) this.#say(words.failed);
      else this.#show(animals, words);
      this.dispatchEvent(
        new CustomEvent('adoptable-animals', { detail: animals?.length, bubbles: true }),
      );
    }

    /** A sentence, followed by what the page has inside the element, or a link. */
    #say(text) {
      const slot = document.createElement('slot');
      slot.append(this.#linkToAll());
      this.#shadow.replaceChildren(
        make('p', 'status', { role: 'status', textContent: text }),
        slot,
      );
    }

    #linkToAll() {
      const query = this.#query;
      query.delete('sort');
      const paragraph = make('p', 'all', { className: 'all' });
      const { all } = WORDS[this.#language];
      paragraph.append(
        make('a', 'all-link', {
          ...{ href: `${root}/adopt?${query}`, textContent: all, target: this.#target },
        }),
      );
      return paragraph;
    }

    #show(animals, words) {
      if (animals.length === 0) {
        this.#say(words.none);
        return;
      }
      const list = make('ul', 'list', { role: 'list', lang: this.#language });
      list.append(...animals.map((animal) => this.#card(animal, words)));
      this.#shadow.replaceChildren(list, this.#linkToAll());
    }

    #card({ pet, profile, photos: [photo], url }, words) {
      const item = make('li', 'card');
      const { species, sex, headline } = profile;
      const age = this.#ageOf(profile, words);
      const facts = [breedOf(profile, words) ?? words.species[species][0], words.sex[sex], age];
      const link = make('a', 'name', { href: url, textContent: pet.name, target: this.#target });
      const shown = make('p', 'facts', { textContent: facts.filter(Boolean).join('\u00a0· ') });
      item.append(this.#picture(photo, profile, pet, words), link, shown);
      if (headline) item.append(make('p', 'headline', { textContent: headline }));
      if (pet.status === 'pending') {
        item.append(make('span', 'badge', { className: 'badge', textContent: words.reserved }));
      }
      return item;
    }

    /** The age as exactly as it is known: `3 years`, `about 2 months`. */
    #ageOf({ birthDate, birthDatePrecision: precision, ageGroup }, words) {
      if (!birthDate) return words.ageGroup[ageGroup];
      const [number, unit] = since(new Date(birthDate), precision);
      if (number === 0) return words.youngest[unit];
      const style = { style: 'unit', unit, unitDisplay: 'long' };
      const text = new Intl.NumberFormat(this.#language, style).format(number);
      return precision === 'day' ? text : words.about.replace('%', text);
    }

    #picture(photo, { species }, pet, words) {
      const picture = make('img', 'photo', { loading: 'lazy', decoding: 'async' });
      if (photo === undefined) {
        const src = `${root}DRAWINGS/${species}.svg`;
        return Object.assign(picture, {
          className: 'drawing',
          alt: '',
          width: 320,
          height: 320,
          src,
        });
      }
      const { alt, width, height, focus, urls } = photo;
      picture.style.objectPosition = `${focus.x * 100}% ${focus.y * 100}%`;
      const shown = alt || `${pet.name}, ${words.species[species][0]}`;
      const srcset = `${urls.small} 320w, ${urls.medium} 640w`;
      const sizes = '(min-width: 40rem) 16rem, 90vw';
      return Object.assign(picture, { alt: shown, width, height, sizes, srcset, src: urls.jpeg });
    }
  }

  if (!customElements.get('adoptable-animals')) {
    customElements.define('adoptable-animals', AdoptableAnimals);
  }
}
