// What Scalar leaves unnamed or named twice for screen readers, put right as it appears.

const SILENT_FIELDS = '[role="combobox"]:is(:not([aria-expanded]), [data-silent])';

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
  // Regions that share a name with another one.
  for (const region of root.querySelectorAll('div[role="region"], section.contents')) {
    region.role = 'group';
  }
  // Text fields with suggestions, that do not say whether these are shown. Search is outside `root`.
  for (const input of document.querySelectorAll(SILENT_FIELDS)) {
    input.dataset.silent = '';
    input.ariaExpanded = String(
      document.getElementById(input.getAttribute('aria-controls')) !== null,
    );
  }
  const panel = root.querySelector('[role="dialog"].scalar-client');
  if (panel !== null) putPanelRight(panel);
}

function putPanelRight(panel) {
  // The service takes and sets no cookies.
  for (const tab of panel.querySelectorAll('[role="tab"]')) {
    if (tab.textContent.trim() === 'Cookies') tab.hidden = true;
  }
  for (const heading of panel.querySelectorAll('h2')) {
    if (heading.textContent.trim() === 'Cookies')
      heading.closest('.group\\/collapse').hidden = true;
  }
  // The form for a body reads it as JavaScript numbers and rounds an int64; the text keeps it.
  for (const button of panel.querySelectorAll('button')) {
    if (button.textContent.trim() === 'Form') button.hidden = true;
  }
  for (const button of panel.querySelectorAll('button[role="none"]'))
    button.removeAttribute('role');
  for (const editor of panel.querySelectorAll('.cm-content:not([aria-label])')) {
    editor.ariaLabel = editor.isContentEditable ? 'Request body' : 'Response body';
  }
  for (const messages of panel.querySelectorAll('section[aria-live]')) {
    messages.ariaLabel = 'Notifications of the panel';
  }
}
