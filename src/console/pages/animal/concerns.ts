import { type Event, type Pet, writeJson } from '../../service.ts';

/** Returns a function that says whether an event is about an animal or what belongs to it. */
export function isOf(id: Pet['id'] | bigint): (event: Event) => boolean {
  return (event) => {
    if (!('data' in event) || event.type === 'shop.updated') return false;
    const { data } = event;
    return writeJson('petId' in data ? data.petId : data.id) === writeJson(id);
  };
}
