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
