import { query } from '../../router.ts';
import { WebhookList } from './webhook-list.tsx';
import { WebhookView } from './webhook-view.tsx';

/** The webhooks: all of them, or one with its deliveries. */
export default function WebhooksPage() {
  const id = query.value.get('webhook');
  return id === null ? <WebhookList /> : <WebhookView key={id} id={id} />;
}
