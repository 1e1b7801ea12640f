import { useState } from 'preact/hooks';
import { ask } from '../questions.ts';
import { Dialog } from './dialog.tsx';

interface ShownOnceProps {
  readonly title: string;
  readonly secret: string;
  readonly onClose: () => void;
}

/**
 * Shows a new key or secret, the only time that it can be seen. A change that was sent later from
 * the list of what was not sent shows it on any page.
 */
export function showOnce(title: string, secret: string): Promise<void> {
  return ask((answer) => (
    <ShownOnce title={title} secret={secret} onClose={() => answer(undefined)} />
  ));
}

function ShownOnce({ title, secret, onClose }: ShownOnceProps) {
  const [isCopied, setCopied] = useState(false);

  async function copy() {
    // Without https there is no clipboard: the text can still be selected.
    await navigator.clipboard?.writeText(secret).then(
      () => setCopied(true),
      () => {},
    );
  }

  return (
    <Dialog title={title} onClose={onClose}>
      <p>Copy it now and keep it safe. It cannot be shown again.</p>
      <output class="secret">{secret}</output>
      <p role="status">{isCopied && 'Copied.'}</p>
      <div class="dialog-actions">
        <button type="button" class="button" onClick={copy}>
          Copy
        </button>
        <button type="button" class="button primary" onClick={onClose}>
          Done
        </button>
      </div>
    </Dialog>
  );
}
