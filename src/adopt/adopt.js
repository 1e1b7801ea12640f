// What makes the pages better where scripts run. Without it, every link and form does the same in its own way.

// The button that passes a page on: it appears where the browser can share or copy.
const button = document.getElementById('share');
const { share, clipboard } = navigator;
if (button instanceof HTMLButtonElement && (share || clipboard)) {
  button.hidden = false;
  button.addEventListener('click', async () => {
    const url = button.dataset.url ?? location.href;
    try {
      if (share) return await navigator.share({ title: document.title, url });
      await clipboard.writeText(url);
      button.textContent = button.dataset.copied ?? '';
    } catch {
      // The reader changed their mind.
    }
  });
}

// A form with problems is the answer to the one before. Once it is sent again, Back must lead to the
// form itself, and not to that answer, which browsers do not show twice.
if (document.querySelector('.problems')) {
  addEventListener('submit', () => history.replaceState(null, '', location.href));
}

// The number of animals that the form would show, while somebody chooses.
const filters = document.getElementById('filters');
if (filters instanceof HTMLFormElement) {
  const submit = filters.querySelector('.do .button');
  let pending;
  let asked;
  filters.addEventListener('input', () => {
    clearTimeout(pending);
    pending = setTimeout(async () => {
      asked?.abort();
      asked = new AbortController();
      const query = new URLSearchParams(new FormData(filters));
      try {
        const response = await fetch(`${filters.action}?${query}`, { signal: asked.signal });
        const page = new DOMParser().parseFromString(await response.text(), 'text/html');
        const shown = page.querySelector('#filters .do .button');
        if (response.ok && shown) submit.textContent = shown.textContent;
      } catch {
        // The button still shows the animals.
      }
    }, 300);
  });
}

// Photos move without an entry in the history for each, and open as large as the screen.
const gallery = document.querySelector('.gallery');
const photos = [...document.querySelectorAll('[data-photo]')];
for (const link of document.querySelectorAll('.thumbs a')) {
  link.addEventListener('click', (event) => {
    event.preventDefault();
    const slide = document.querySelector(link.hash);
    slide.parentElement.scrollTo({ left: slide.offsetLeft - slide.parentElement.offsetLeft });
  });
}
for (const link of photos) {
  link.addEventListener('click', (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    openLarge(Number(link.dataset.photo));
  });
}

function openLarge(first) {
  const dialog = document.createElement('dialog');
  dialog.className = 'large';
  const image = document.createElement('img');
  const counter = document.createElement('span');
  counter.setAttribute('role', 'status');
  const make = (label, sign, act) => {
    const control = document.createElement('button');
    control.type = 'button';
    control.textContent = sign;
    control.setAttribute('aria-label', label);
    control.addEventListener('click', act);
    return control;
  };
  let place = first;
  const show = (next) => {
    place = (next + photos.length) % photos.length;
    const { href, dataset } = photos[place];
    image.src = href;
    image.width = dataset.width;
    image.height = dataset.height;
    image.alt = photos[place].querySelector('img').alt;
    counter.textContent = dataset.label;
    dialog.setAttribute('aria-label', dataset.label);
    // The next one is there when it is asked for.
    if (photos.length > 1) new Image().src = photos[(place + 1) % photos.length].href;
  };
  const { previous, next, close } = gallery.dataset;
  const bar = document.createElement('p');
  if (photos.length > 1) {
    bar.append(
      make(previous, '‹', () => show(place - 1)),
      counter,
      make(next, '›', () => show(place + 1)),
    );
  }
  bar.append(make(close, '×', () => dialog.close()));
  dialog.append(image, bar);
  dialog.addEventListener('keydown', ({ key }) => {
    if (key === 'ArrowLeft') show(place - 1);
    if (key === 'ArrowRight') show(place + 1);
  });
  let from;
  image.addEventListener('pointerdown', ({ clientX }) => {
    from = clientX;
  });
  image.addEventListener('pointerup', ({ clientX }) => {
    if (from !== undefined && Math.abs(clientX - from) > 40)
      show(place + Math.sign(from - clientX));
    from = undefined;
  });
  dialog.addEventListener('close', () => {
    dialog.remove();
    photos[place].focus();
  });
  show(first);
  document.body.append(dialog);
  dialog.showModal();
}

// A film plays in its place once somebody wants to see it.
const film = document.querySelector('[data-video]');
film?.addEventListener('click', (event) => {
  const { video } = film.dataset;
  if (!video) return;
  event.preventDefault();
  const isFile = video === film.href;
  const player = document.createElement(isFile ? 'video' : 'iframe');
  player.src = video;
  if (isFile) Object.assign(player, { controls: true, autoplay: true, playsInline: true });
  else player.allow = 'autoplay; fullscreen; picture-in-picture';
  player.title = film.textContent;
  film.replaceWith(player);
  player.focus();
});
