import { statusName } from '../../components/status.tsx';
import { eventName } from '../../event-names.ts';
import type { Event } from '../../service.ts';

/** Says what happened, with a link to what it happened to. */
export function EventText({ event }: { readonly event: Event }) {
  switch (event.type) {
    case 'pet.created':
    case 'pet.updated':
      return (
        <>
          {eventName(event.type)}:{' '}
          <a href={`/console/animals?animal=${event.data.id}`}>{event.data.name}</a>,{' '}
          {statusName(event.data.status).toLowerCase()}
        </>
      );
    case 'pet.deleted':
    case 'category.created':
    case 'category.updated':
    case 'category.deleted':
      return (
        <>
          {eventName(event.type)}: {event.data.name}
        </>
      );
    case 'order.placed':
    case 'order.updated':
      return (
        <>
          {eventName(event.type)}:{' '}
          <a href={`/console/adoptions?order=${event.data.id}`}>number {String(event.data.id)}</a>,{' '}
          {statusName(event.data.status).toLowerCase()}
        </>
      );
    case 'store.reset':
      return <>{eventName(event.type)}</>;
  }
}
