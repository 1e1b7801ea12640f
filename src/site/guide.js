// Adds copy buttons to the examples of a guide, and marks the current section in its contents.

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
    // Without https a browser may refuse, so the text is selected to be copied by hand.
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

/** The last heading above this line is the current one, in pixels from the top of the window. */
const READING_LINE = 140;

/** Marks the current section in the contents and scrolls to it there. */
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

// Close a popover list when one of its links is followed.
for (const list of document.querySelectorAll('[popover]')) {
  list.addEventListener('click', ({ target }) => {
    if (target.closest('a') && list.matches(':popover-open')) list.hidePopover();
  });
}
