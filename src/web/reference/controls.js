// What Scalar leaves unnamed or named twice for screen readers, put right as it appears.

/** Puts the controls of the page right, now and whenever it changes. */
export function nameControls(root) {
  let planned = false;
  const plan = () => {
    if (planned) return;
    planned = true;
    requestAnimationFrame(() => {
      planned = false;
      putRight(root);
    });
  };
  new MutationObserver(plan).observe(document.body, { childList: true, subtree: true });
  plan();
}

function putRight(root) {
  // Their text is there only while the pointer is over them.
  for (const button of root.querySelectorAll('button.group\\/copy-button:not([aria-label])')) {
    button.setAttribute('aria-label', button.textContent.trim() || 'Copy');
  }
  // Regions that share a name with the section around them.
  for (const region of root.querySelectorAll('div[role="region"]')) region.role = 'group';
}
