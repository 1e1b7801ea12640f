/** One photo: what it shows, and what must stay in sight where it is cut. */

import { useRef, useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { confirm, Dialog, useClose } from '../../components/dialog.tsx';
import { Field } from '../../components/field.tsx';
import { FormDialog, type ReadField } from '../../components/form.tsx';
import { t } from '../../language.ts';
import { changedIn } from '../../merge.tsx';
import { submit } from '../../outbox.tsx';
import type { Pet, Photo } from '../../service.ts';
import { may } from '../../session.ts';

const ALT_MAX = 500;

/** How far an arrow key moves the point. */
const STEP = 0.05;

export function PhotoDialog({ pet, photo }: { readonly pet: Pet; readonly photo: Photo }) {
  const close = useClose();
  const [focus, setFocus] = useState(photo.focus);
  if (!may('write')) {
    return (
      <Dialog title={t`Photo of ${pet.name}`} isWide>
        <img class="photo-whole" src={photoAddress(photo, 'large')} alt={photo.alt ?? ''} />
      </Dialog>
    );
  }

  const save = (read: ReadField, _: FormData, seen: Photo) => {
    const change = changedIn({ alt: read('alt') || null, focus }, seen);
    return submit({
      label: t`Edit a photo of ${pet.name}`,
      call: (to) => to.pets.updatePhoto(pet.id, photo.id, change),
      says: t`The photo was saved.`,
    });
  };

  async function remove() {
    const isWanted = await confirm({
      title: t`Remove this photo?`,
      text: t`It is gone from all pages within a minute. This cannot be undone.`,
      action: t`Remove photo`,
    });
    if (!isWanted) return;
    close();
    await submit({
      label: t`Remove a photo of ${pet.name}`,
      call: (to) => to.pets.deletePhoto(pet.id, photo.id),
      says: t`The photo was removed.`,
    });
  }

  return (
    <FormDialog
      title={t`Photo of ${pet.name}`}
      of={photo}
      onSubmit={save}
      aside={<Button kind="quiet danger" onClick={remove}>{t`Remove`}</Button>}
    >
      <FocusPoint photo={photo} focus={focus} onFocus={setFocus} />
      <Field
        label={t`What the photo shows`}
        name="alt"
        type="textarea"
        rows={2}
        maxLength={ALT_MAX}
        hint={t`For people who cannot see it: “${pet.name} lies on a red blanket and looks up”`}
      />
    </FormDialog>
  );
}

interface FocusPointProps {
  readonly photo: Photo;
  readonly focus: Photo['focus'];
  readonly onFocus: (focus: Photo['focus']) => void;
}

/** The whole photo with a mark on what matters, and how it looks where it is cut. */
function FocusPoint({ photo, focus, onFocus }: FocusPointProps) {
  const area = useRef<HTMLDivElement>(null);
  const { x, y } = focus;

  function change(next: Photo['focus']) {
    onFocus(next);
    // The form asks before it forgets what was changed.
    area.current?.dispatchEvent(new Event('input', { bubbles: true }));
  }

  function point({ clientX, clientY, buttons }: PointerEvent) {
    const box = area.current?.getBoundingClientRect();
    if (!box || buttons === 0) return;
    change(inside((clientX - box.left) / box.width, (clientY - box.top) / box.height));
  }

  function step(event: KeyboardEvent) {
    const [dx = 0, dy = 0] =
      { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key] ??
      [];
    if (dx === 0 && dy === 0) return;
    event.preventDefault();
    change(inside(x + dx * STEP, y + dy * STEP));
  }

  const place = t`${percent(x)} from the left, ${percent(y)} from the top`;
  return (
    <div class="focus-point">
      <div ref={area} class="focus-area" onPointerDown={point} onPointerMove={point}>
        <img src={photoAddress(photo, 'large')} alt={photo.alt ?? ''} draggable={false} />
        <button
          type="button"
          aria-label={t`What must stay in sight: ${place}`}
          aria-describedby="focus-hint"
          style={{ left: percent(x), top: percent(y) }}
          onKeyDown={step}
        />
      </div>
      <img
        class="focus-cut"
        src={photoAddress(photo, 'small')}
        alt=""
        draggable={false}
        {...focusStyle(focus)}
      />
      <p
        class="hint"
        id="focus-hint"
      >{t`Point at what must stay in sight where the photo is cut, or move the mark with the arrow keys.`}</p>
      <output class="visually-hidden">{place}</output>
    </div>
  );
}

function inside(x: number, y: number): Photo['focus'] {
  const within = (value: number) => Math.round(Math.min(1, Math.max(0, value)) * 100) / 100;
  return { x: within(x), y: within(y) };
}

function percent(value: number): string {
  return `${Math.round(value * 100)}%`;
}

/** Returns the path of a file of a photo: the page loads nothing from another host. */
export function photoAddress({ urls }: Photo, size: keyof Photo['urls']): string {
  return new URL(urls[size], location.href).pathname;
}

/** Keeps the point in sight that matters, where a photo is cut. */
export function focusStyle({ x, y }: Photo['focus']): { style: { objectPosition: string } } {
  return { style: { objectPosition: `${x * 100}% ${y * 100}%` } };
}
