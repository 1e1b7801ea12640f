import type { Limiter } from '../../domain/allowance.ts';
import type { ChangeFeed } from '../../domain/change-log.ts';
import type { ChannelService } from '../../domain/channel.ts';
import type { Clock } from '../../domain/clock.ts';
import type { Environment } from '../../domain/deployment.ts';
import type { CountFacets } from '../../domain/facets.ts';
import type { ImportQueue } from '../../domain/import-queue.ts';
import type { PhotoService } from '../../domain/photo.ts';
import type { Records } from '../../domain/records.ts';
import type { UsageCounter } from '../../domain/usage.ts';
import type { WebhookService } from '../../domain/webhook.ts';

/** The dependencies of a handler. */
export interface HandlerServices {
  readonly storage: Records;
  readonly feed: ChangeFeed;
  readonly clock: Clock;
  /** The configured base address, ending in `/v1`: links are built from it, never from a Host. */
  readonly baseUrl: string;
  /** The address of the public pages, without a path of its own; null if they are turned off. */
  readonly pagesRoot: string | null;
  /** The deployment, which a new key belongs to. */
  readonly environment: Environment;
  readonly limiter: Pick<Limiter, 'peek'>;
  readonly webhooks: WebhookService;
  readonly channels: ChannelService;
  readonly imports: ImportQueue;
  readonly photos: PhotoService;
  readonly usage: Pick<UsageCounter, 'list'>;
  readonly countFacets: CountFacets;
  readonly maxCategories: number;
}
