/** Adding photos: chosen, dropped, or taken with the camera of a phone. */

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { DropZone, FileButton } from '../../components/drop-zone.tsx';
import { Icon } from '../../components/icon.tsx';
import { Explained, explain } from '../../failures.ts';
import { count, formatNumber } from '../../format.ts';
import { t } from '../../language.ts';
import { submit } from '../../outbox.tsx';
import type { Pet } from '../../service.ts';

/** The service decodes one photo at a time, perhaps after those of others. */
const TIMEOUT_MS = 90_000;
export const PHOTO_FILES = { accept: 'image/*,.heic,.heif' };

export const PHOTOS_MAX = 12;

/** What was not added, by names, and why. */
interface Refusal {
  readonly name: string;
  readonly reason: string;
}

interface AddPhotosProps {
  readonly pet: Pet;
  /** How many more photos there is room for. */
  readonly room: number;
}

/** A tile that takes photos, with how far they have come. */
export function AddPhotos({ pet, room }: AddPhotosProps) {
  const left = useSignal<readonly File[]>([]);
  const refused = useSignal<readonly Refusal[]>([]);
  const total = useSignal(0);

  useEffect(() => {
    const ask = (event: Event) => left.value.length > 0 && event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, []);

  async function add(files: readonly File[]) {
    const isIdle = left.value.length === 0;
    const free = Math.max(0, room - left.value.length);
    const added = files.slice(0, free);
    const over = files.length - free;
    if (over > 0) {
      const reason = t`An animal has ${PHOTOS_MAX} photos at most.`;
      refused.value = [...refused.value, { name: count(over, 'photo'), reason }];
    }
    left.value = [...left.value, ...added];
    total.value = (isIdle ? 0 : total.value) + added.length;
    if (!isIdle) return;
    for (let file = left.value[0]; file; file = left.value[0]) {
      const reason = await addPhotoTo(pet, file);
      const { name } = file;
      left.value = left.value.slice(1);
      if (reason) refused.value = withRefusal(refused.value, name, reason);
    }
  }

  const done = total.value - left.value.length;
  return (
    <div class="add-photos">
      <DropZone legend={t`Photos to add`} onFiles={add}>
        {room > 0 ? (
          <>
            <FileButton
              label={t`Add photos`}
              kind="primary"
              icon="add"
              onFiles={add}
              more={{ ...PHOTO_FILES, multiple: true }}
            />
            <FileButton
              label={t`Take a photo`}
              kind="camera"
              icon="camera"
              onFiles={add}
              more={{ ...PHOTO_FILES, capture: 'environment' }}
            />
            <p class="hint seldom">{t`or drop them here`}</p>
          </>
        ) : (
          <p class="hint">{t`There is no room for more photos.`}</p>
        )}
      </DropZone>
      <div role="status" class="photo-progress">
        {left.value.length > 0 && (
          <>
            <progress aria-label={t`Photos added`} max={total.value} value={done} />
            <p class="hint">{t`${left.value[0]?.name}: adding ${formatNumber(done + 1)} of ${count(total.value, 'photo')}`}</p>
          </>
        )}
      </div>
      <div role="alert" class="photo-refusals">
        <ul class="stack">
          {refused.value.map((one, place) => (
            <li key={place} class="row spread">
              <span>
                {t`Not added:`} <b>{one.name}</b>. {one.reason}
              </span>
              <button
                type="button"
                class="icon-button"
                aria-label={t`Dismiss: ${one.name}`}
                onClick={() => {
                  refused.value = refused.value.filter((other) => other !== one);
                }}
              >
                <Icon name="close" />
              </button>
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}

/** Files that were refused for the same reason are one message. */
function withRefusal(all: readonly Refusal[], name: string, reason: string): readonly Refusal[] {
  const same = all.find((one) => one.reason === reason);
  const names = same === undefined ? name : `${same.name}, ${name}`;
  return [...all.filter((one) => one !== same), { name: names, reason }];
}

/** Adds a photo. Returns why that cannot be, if it cannot. */
export async function addPhotoTo(pet: Pet, file: File): Promise<string | undefined> {
  try {
    const photo = await preparePhoto(file);
    await submit({
      label: t`Add ${file.name} to ${pet.name}`,
      call: (to) => to.pets.addPhoto(pet.id, photo, {}),
      isFleeting: true,
      timeout: TIMEOUT_MS,
    });
    return undefined;
  } catch (error) {
    return explain(error);
  }
}

/** What the service takes. */
const TYPES = ['image/jpeg', 'image/png', 'image/webp'];
/** The service keeps no more of a photo than this, so that a phone need not send more. */
const SIDE_MAX = 2_048;
const SENT_BYTES_MAX = 5_000_000;
const QUALITY = 0.92;

/** Says why a file cannot be a photo. */
const unusable = (reason: string) => new Explained(reason, { code: 'invalid_body' });

/** Returns a file as the service takes it: as it is, or as a smaller JPEG. Throws if this browser cannot read it. */
async function preparePhoto(file: File): Promise<Blob> {
  if (TYPES.includes(file.type) && file.size <= SENT_BYTES_MAX) return file;
  const picture = await createImageBitmap(file).catch(() => {
    throw unusable(reasonOf(file));
  });
  const scale = Math.min(1, SIDE_MAX / Math.max(picture.width, picture.height));
  const canvas = new OffscreenCanvas(
    Math.max(1, Math.round(picture.width * scale)),
    Math.max(1, Math.round(picture.height * scale)),
  );
  const context = canvas.getContext('2d');
  if (context === null) throw unusable(t`This browser cannot convert it.`);
  // A JPEG has no transparency: what is transparent would be black.
  context.fillStyle = '#fff';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(picture, 0, 0, canvas.width, canvas.height);
  picture.close();
  return canvas.convertToBlob({ type: 'image/jpeg', quality: QUALITY });
}

function reasonOf({ name, type }: File): string {
  if (/^image\/hei[cf]/.test(type) || /\.hei[cf]$/i.test(name)) {
    return t`This browser cannot read HEIC. Save it as JPEG, or add it with Safari.`;
  }
  if (type.startsWith('image/')) return t`This browser cannot read it. Save it as JPEG.`;
  return t`This is not a photo.`;
}
