import { useEffect, useRef, useState } from 'preact/hooks';
import { AnimalPicture } from '../../components/animal-picture.tsx';
import { InAddress } from '../../components/dialog.tsx';
import { Icon } from '../../components/icon.tsx';
import { WhenLoaded } from '../../components/states.tsx';
import { explain } from '../../failures.ts';
import { t } from '../../language.ts';
import { useOfAnimal } from '../../loading.ts';
import { notify } from '../../notices.tsx';
import { submit } from '../../outbox.tsx';
import { withQuery } from '../../router.ts';
import { type Pet, type Photo, store } from '../../service.ts';
import { may } from '../../session.ts';
import { AddPhotos, PHOTOS_MAX } from './add-photos.tsx';
import { focusStyle, PhotoDialog, photoAddress } from './photo-dialog.tsx';

/** Shows the photos; with `write`, they are added, arranged and described here. */
export function Photos({ pet }: { readonly pet: Pet }) {
  const load = (signal: AbortSignal) => store.pets.photos(pet.id, { signal });
  const loaded = useOfAnimal(pet.id, load, ['photo']);
  return (
    <section class="photos" aria-labelledby="photos">
      <h2 id="photos" class="visually-hidden">{t`Photos`}</h2>
      <WhenLoaded from={loaded}>
        {(photos) => <Arranged key={pet.id} pet={pet} photos={photos} />}
      </WhenLoaded>
    </section>
  );
}

/** The id of what says which keys move a photo. */
const KEYS = 'photo-keys';

function Arranged({ pet, photos }: { readonly pet: Pet; readonly photos: readonly Photo[] }) {
  /** The order that was chosen here, until the service has it. */
  const [order, setOrder] = useState<readonly Photo['id'][]>();
  const [dragged, setDragged] = useState<Photo['id']>();
  const [said, setSaid] = useState('');
  /** The moves, one after the other: each is a place among the photos as the one before left them. */
  const moves = useRef(Promise.resolve());
  const left = useRef(0);
  useEffect(() => {
    if (left.current === 0) setOrder(undefined);
  }, [photos]);
  const mayWrite = may('write');
  const shown = order ? order.flatMap((id) => photos.find((one) => one.id === id) ?? []) : photos;

  function move(id: Photo['id'], position: number) {
    const rest = shown.map((one) => one.id).filter((one) => one !== id);
    setOrder([...rest.slice(0, position - 1), id, ...rest.slice(position - 1)]);
    setSaid(t`Now photo ${position} of ${shown.length}.`);
    left.current++;
    moves.current = moves.current.then(() => sendMove(id, position));
  }

  async function sendMove(id: Photo['id'], position: number) {
    try {
      await submit({
        label: t`Move a photo of ${pet.name}`,
        call: (to) => to.pets.updatePhoto(pet.id, id, { position }),
      });
    } catch (error) {
      notify(t`The photo was not moved. ${explain(error)}`);
    }
    left.current--;
  }

  return (
    <>
      <ol class="photo-list">
        {shown.length === 0 && (
          <li class="photo missing">
            <AnimalPicture id={pet.id} size={320} />
            <small>{t`No photo yet`}</small>
          </li>
        )}
        {shown.map((photo, index) => (
          <PhotoTile
            key={photo.id}
            photo={photo}
            place={index + 1}
            total={shown.length}
            onMove={mayWrite ? (position) => move(photo.id, position) : undefined}
            drag={{
              isOver: dragged !== undefined && dragged !== photo.id,
              start: () => setDragged(photo.id),
              end: () => setDragged(undefined),
              drop: () => dragged !== undefined && move(dragged, index + 1),
            }}
          />
        ))}
      </ol>
      {mayWrite && shown.length > 1 && (
        <p class="visually-hidden" id={KEYS}>{t`The left and right arrow keys move it.`}</p>
      )}
      <p class="visually-hidden" role="status">
        {said}
      </p>
      {mayWrite && <AddPhotos pet={pet} room={PHOTOS_MAX - photos.length} />}
      <InAddress name="photo">
        {(wanted) =>
          photos
            .filter(({ id }) => String(id) === wanted)
            .map((photo) => <PhotoDialog key={photo.id} pet={pet} photo={photo} />)
        }
      </InAddress>
    </>
  );
}

interface PhotoTileProps {
  readonly photo: Photo;
  readonly place: number;
  readonly total: number;
  /** Moves the photo to another place; undefined if the person may not. */
  readonly onMove: ((position: number) => void) | undefined;
  readonly drag: {
    readonly isOver: boolean;
    start(): void;
    end(): void;
    drop(): void;
  };
}

const STEPS = [
  [t`Move forward`, 'back', -1],
  [t`Move back`, 'forward', 1],
] as const;

/** A photo, which can be dragged to another place, or moved by its buttons and the arrow keys. */
function PhotoTile({ photo, place, total, onMove, drag }: PhotoTileProps) {
  const name = t`Photo ${place} of ${total}`;
  const isPlace = (to: number) => to !== place && to >= 1 && to <= total;
  const moveBy = (step: number) => isPlace(place + step) && onMove?.(place + step);
  return (
    <li
      class="photo"
      draggable={onMove !== undefined}
      data-drop={drag.isOver}
      onDragStart={drag.start}
      onDragEnd={drag.end}
      onDragOver={(event) => drag.isOver && event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        drag.drop();
      }}
      onKeyDown={({ key }) => moveBy({ ArrowLeft: -1, ArrowRight: 1 }[key] ?? 0)}
    >
      <a
        href={withQuery({ photo: String(photo.id) })}
        aria-label={photo.alt ? `${name}: ${photo.alt}` : name}
        aria-describedby={onMove && total > 1 ? KEYS : undefined}
        draggable={false}
      >
        <img
          src={photoAddress(photo, place === 1 ? 'medium' : 'small')}
          alt=""
          loading="lazy"
          draggable={false}
          {...focusStyle(photo.focus)}
        />
      </a>
      {onMove && photo.alt === null && <small>{t`Not described`}</small>}
      {onMove && total > 1 && (
        <div>
          {STEPS.map(([word, icon, step]) => (
            <button
              key={word}
              type="button"
              class="icon-button"
              aria-label={`${name}: ${word}`}
              aria-disabled={!isPlace(place + step)}
              onClick={() => moveBy(step)}
            >
              <Icon name={icon} />
            </button>
          ))}
        </div>
      )}
    </li>
  );
}
