/** Adding photos: chosen, dropped, or taken with the camera of a phone. */
import { useSignal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { keepPage } from '../../components/dropping.ts';
import { Icon } from '../../components/icon.tsx';
import { explain } from '../../failures.ts';
import { count, formatNumber } from '../../format.ts';
import { submit } from '../../outbox.tsx';
import type { Pet } from '../../service.ts';
import { preparePhoto, UnusableFile } from './prepare-photo.ts';

/** The service decodes one photo at a time, perhaps after those of others. */
const TIMEOUT_MS = 90_000;

/** A file that was refused, and why. */
interface Refusal {
  readonly id: string;
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
  const [isOver, setOver] = useState(false);
  const left = useSignal<readonly File[]>([]);
  const refused = useSignal<readonly Refusal[]>([]);
  const total = useSignal(0);

  useEffect(keepPage, []);
  useEffect(() => {
    const ask = (event: Event) => left.value.length > 0 && event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, []);

  async function add(files: Iterable<File>) {
    const isIdle = left.value.length === 0;
    const added = [...files];
    left.value = [...left.value, ...added];
    total.value = (isIdle ? 0 : total.value) + added.length;
    if (!isIdle) return;
    for (let file = left.value[0]; file; file = left.value[0]) {
      const reason = await addOne(pet, file);
      const { name } = file;
      left.value = left.value.slice(1);
      if (reason) refused.value = [...refused.value, { id: crypto.randomUUID(), name, reason }];
    }
  }

  const done = total.value - left.value.length;
  return (
    <div class="add-photos">
      <fieldset
        class="drop-zone"
        data-over={isOver}
        onDragOver={(event) => {
          if (!event.dataTransfer?.types.includes('Files')) return;
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          void add(event.dataTransfer?.files ?? []);
        }}
      >
        <legend class="visually-hidden">Photos to add</legend>
        {room > 0 ? (
          <>
            <FileButton label="Add photos" onFiles={add} />
            <FileButton label="Take a photo" onFiles={add} isCamera />
            <p class="hint seldom">or drop them here</p>
          </>
        ) : (
          <p class="hint">There is room for no more photos.</p>
        )}
      </fieldset>
      <div role="status" class="photo-progress">
        {left.value.length > 0 && (
          <>
            <progress aria-label="Photos added" max={total.value} value={done} />
            <p class="hint">
              {left.value[0]?.name}: adding {formatNumber(done + 1)} of{' '}
              {count(total.value, 'photo')}
            </p>
          </>
        )}
      </div>
      <div role="alert" class="photo-refusals">
        <ul>
          {refused.value.map((one) => (
            <li key={one.id}>
              <span>
                <b>{one.name}</b> was not added. {one.reason}
              </span>
              <button
                type="button"
                class="icon-button"
                aria-label={`Dismiss: ${one.name}`}
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

/** Adds a photo. Returns why that cannot be, if it cannot. */
async function addOne(pet: Pet, file: File): Promise<string | undefined> {
  try {
    const photo = await preparePhoto(file);
    await submit({
      label: `Add ${file.name} to ${pet.name}`,
      call: (to) => to.pets.addPhoto(pet.id, photo, {}),
      isFleeting: true,
      timeout: TIMEOUT_MS,
    });
    return undefined;
  } catch (error) {
    if (error instanceof UnusableFile) return error.message;
    return explain(error);
  }
}

interface FileButtonProps {
  readonly label: string;
  readonly onFiles: (files: Iterable<File>) => void;
  readonly isCamera?: boolean;
}

function FileButton({ label, onFiles, isCamera }: FileButtonProps) {
  return (
    <label class={isCamera ? 'button camera' : 'button primary'}>
      <Icon name={isCamera ? 'camera' : 'add'} />
      {label}
      <input
        type="file"
        class="visually-hidden"
        accept="image/*,.heic,.heif"
        multiple={!isCamera}
        {...(isCamera && { capture: 'environment' as const })}
        onChange={({ currentTarget }) => {
          const files = [...(currentTarget.files ?? [])];
          // The same file can be chosen again.
          currentTarget.value = '';
          onFiles(files);
        }}
      />
    </label>
  );
}
