import { useEffect, useState } from 'preact/hooks';
import { isOf, onChange } from '../live.ts';
import type { Pet } from '../service.ts';

interface AnimalPictureProps {
  readonly id: Pet['id'];
  readonly size: number;
}

/** The first photo of an animal, or a drawing of its species. The name beside it says whose it is. */
export function AnimalPicture({ id, size }: AnimalPictureProps) {
  const [version, setVersion] = useState(0);
  useEffect(
    () =>
      onChange(['photo', 'profile'], (event) => {
        if (!event || isOf(id)(event)) setVersion((before) => before + 1);
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
