// Corrects names and roles for screen readers in what Scalar renders, as it appears.

const SILENT_FIELDS = '[role="combobox"]:is(:not([aria-expanded]), [data-silent])';

/** Corrects the controls of the page, now and after every change. */
export function nameControls(root) {
  let planned = false;
  const plan = () => {
    if (planned) return;
    planned = true;
    requestAnimationFrame(() => {
      planned = false;
      correctPage(root);
    });
  };
  new MutationObserver(plan).observe(document.body, { childList: true, subtree: true });
  plan();
}

function correctPage(root) {
  // Copy buttons have text only while the pointer is over them.
  for (const button of root.querySelectorAll('button.group\\/copy-button:not([aria-label])')) {
    button.setAttribute('aria-label', button.textContent.trim() || 'Copy');
  }
  // Regions that share a name with another region.
  for (const region of root.querySelectorAll('div[role="region"], section.contents')) {
    region.role = 'group';
  }
  // Text fields that do not say whether their suggestions are shown. Search is outside `root`.
  for (const input of document.querySelectorAll(SILENT_FIELDS)) {
    input.dataset.silent = '';
    input.ariaExpanded = String(
      document.getElementById(input.getAttribute('aria-controls')) !== null,
    );
  }
  const panel = root.querySelector('[role="dialog"].scalar-client');
  if (panel !== null) correctPanel(panel);
}

function correctPanel(panel) {
  // The service uses no cookies.
  for (const tab of panel.querySelectorAll('[role="tab"]')) {
    if (tab.textContent.trim() === 'Cookies') tab.hidden = true;
  }
  for (const heading of panel.querySelectorAll('h2')) {
    if (heading.textContent.trim() === 'Cookies')
      heading.closest('.group\\/collapse').hidden = true;
  }
  // The form for a body rounds an int64 to a JavaScript number; the text editor does not.
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
