// What a guide can do besides being read: copy its examples, and show where the reader is.

const COPIED_MS = 2000;

for (const block of document.querySelectorAll('.guide pre')) {
  const button = Object.assign(document.createElement('button'), {
    type: 'button',
    className: 'copy',
    textContent: 'Copy',
  });
  button.addEventListener('click', () => copy(block.textContent, button));
  block.before(button);
}

async function copy(text, button) {
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = 'Copied';
  } catch {
    // Without https a browser may refuse: the text is chosen, so that it can be copied by hand.
    getSelection().selectAllChildren(button.nextElementSibling);
    button.textContent = 'Press Ctrl+C';
  }
  setTimeout(() => {
    button.textContent = 'Copy';
  }, COPIED_MS);
}

const links = new Map(
  [...document.querySelectorAll('.contents a')].map((link) => [link.hash.slice(1), link]),
);
const headings = [...links.keys()].map((id) => document.getElementById(id));

/** A heading this far below the top of the window, in pixels, is the one that is being read. */
const READING_LINE = 140;

/** Marks the section that is being read in the contents, and keeps it in sight there. */
function markSection() {
  const isPassed = (heading) => heading.getBoundingClientRect().top < READING_LINE;
  const current = links.get(headings.findLast(isPassed)?.id);
  for (const link of links.values()) link.removeAttribute('aria-current');
  if (current === undefined) return;
  current.ariaCurrent = 'true';
  const list = current.closest('.contents');
  list.scrollTop = current.offsetTop - list.clientHeight / 2;
}

if (headings.length > 0) {
  let planned = false;
  addEventListener(
    'scroll',
    () => {
      if (planned) return;
      planned = true;
      requestAnimationFrame(() => {
        planned = false;
        markSection();
      });
    },
    { passive: true },
  );
  markSection();
}

// A list that a button opened has done its work when a link in it was followed.
for (const list of document.querySelectorAll('[popover]')) {
  list.addEventListener('click', ({ target }) => {
    if (target.closest('a') && list.matches(':popover-open')) list.hidePopover();
  });
}
