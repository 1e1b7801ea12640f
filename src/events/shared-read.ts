import type { ChangeLog, ChangePage, WaitRequest } from '../domain/change-log.ts';

/** Changes in one read: those of a moment, unless very many are made. */
const READ_MAX = 1_000;

/** The changes after an id, as one read has found them. */
interface Stretch extends ChangePage {
  readonly from: bigint;
}

/**
 * Creates a reader for many requests that begin at nearly the same place, in ascending order of `after`.
 * It reads changes of all types once, and takes from them what each request asks for. Requests for
 * which that is the same get the same page.
 */
export function createSharedRead(
  log: Pick<ChangeLog, 'list'>,
): (request: WaitRequest) => Promise<ChangePage> {
  let stretch: Stretch | undefined;
  const pages = new Map<string, ChangePage>();
  let last: { readonly key: string; readonly page: ChangePage } | undefined;

  return async (request) => {
    const { after, types, limit } = request;
    const key = `${after} ${limit} ${types ?? ''}`;
    if (last?.key === key) return last.page;
    last = { key, page: shared(request, await read(request)) };
    return last.page;
  };

  async function read(request: WaitRequest): Promise<ChangePage> {
    const known = stretch && pageOf(stretch, request);
    if (known !== undefined) return known;
    const from = request.after;
    stretch = { from, ...(await log.list({ after: from, limit: READ_MAX })) };
    return pageOf(stretch, request) ?? stretch;
  }

  function shared({ types }: WaitRequest, page: ChangePage): ChangePage {
    const key = `${page.changes[0]?.id} ${page.changes.length} ${page.resumeAfter} ${types ?? ''}`;
    const found = pages.get(key) ?? page;
    pages.set(key, found);
    return found;
  }
}

/** Returns undefined if further changes have to be read for the request. */
function pageOf(stretch: Stretch, { after, types, limit }: WaitRequest): ChangePage | undefined {
  const isWhole = stretch.changes.length < READ_MAX;
  if (after < stretch.from || (after > stretch.resumeAfter && !isWhole)) return undefined;
  const changes = stretch.changes
    .filter(({ id, type }) => id > after && (types?.includes(type) ?? true))
    .slice(0, limit);
  const last = changes.at(-1);
  if (last !== undefined && changes.length === limit) return { changes, resumeAfter: last.id };
  if (!isWhole && after > stretch.from) return undefined;
  const { resumeAfter } = stretch;
  return { changes, resumeAfter: resumeAfter > after ? resumeAfter : after };
}
