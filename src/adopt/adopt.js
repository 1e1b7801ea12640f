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
