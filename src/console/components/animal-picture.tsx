import { useEffect, useState } from 'preact/hooks';
import { type EventType, onChange } from '../live.ts';
import type { Pet } from '../service.ts';

/** Changes after which it may be another picture. */
const TYPES: readonly EventType[] = [
  ...(['photo.added', 'photo.updated', 'photo.removed'] as const),
  'profile.updated',
];

interface AnimalPictureProps {
  readonly id: Pet['id'];
  /** Width and height in pixels. */
  readonly size: number;
}

/** The first photo of an animal, or a drawing of its species. The name beside it says whose it is. */
export function AnimalPicture({ id, size }: AnimalPictureProps) {
  const [version, setVersion] = useState(0);
  useEffect(
    () =>
      onChange(TYPES, (event) => {
        const isOther =
          event && 'data' in event && 'petId' in event.data && event.data.petId !== id;
        if (!isOther) setVersion((before) => before + 1);
      }),
    [id],
  );
  const again = version === 0 ? '' : `?${version}`;
  return (
    <img
      class="animal-picture"
      src={`/photos/animals/${id}${again}`}
      alt=""
      width={size}
      height={size}
      loading="lazy"
    />
  );
}
