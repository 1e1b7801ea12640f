import * as z from 'zod';
import { mayUse } from '../../domain/api-key.ts';
import { Failure } from '../../domain/failure.ts';
import {
  IMPORT_LEASE_MS,
  type ImportRecord,
  MISSING_MOST,
  NO_ANIMALS,
  NO_ROWS,
} from '../../domain/import.ts';
import { lists, removes, showing, shows } from '../contract/bodies.ts';
import { cursorInQuery, limitInQuery, listPage, pageOf } from '../contract/list-page.ts';
import { defineOperation, Missing, operationsNamed } from '../contract/operation.ts';
import { requireMatch } from '../contract/precondition.ts';
import { int64InPath, oneOf, textInQuery } from '../contract/request-fields.ts';
import { importQuery } from './import-query.ts';
import {
  importSchema,
  importSummarySchema,
  importSummaryValue,
  importValue,
} from './import-schemas.ts';

const CSV_TYPE = 'text/csv';
const NDJSON_TYPE = 'application/x-ndjson';
const JSON_TYPE = 'application/json';
const XLSX_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const IMPORT_SORTS = ['id', 'newest'] as const;
/** 64 MiB: about half a million rows. */
const IMPORT_BYTES_MAX = 67_108_864;

const NO_SUCH_IMPORT = new Missing('import_not_found', 'import');

const QUEUED: ImportRecord = {
  id: 1n,
  keyId: 1n,
  dryRun: false,
  status: 'queued',
  createdAt: Date.UTC(2026, 10, 22, 9),
  endedAt: null,
  rows: NO_ROWS,
  animals: NO_ANIMALS,
  rejectedRows: [],
  failure: null,
  header: null,
  choices: 'name=Name&publish=true',
};

const COMPLETED: ImportRecord = {
  ...QUEUED,
  status: 'completed',
  endedAt: Date.UTC(2026, 10, 22, 9, 0, 4),
  rows: {
    read: 24_977,
    total: 24_977,
    skipped: 1_890,
    repeated: 12,
    rejected: 1,
    unread: [{ part: 'sex', rows: 3, example: 'Neutered' }],
  },
  animals: { created: 23_010, changed: 40, unchanged: 22, held: 2 },
  rejectedRows: [{ line: 812, reason: 'the row has no name' }],
};

const common = { access: 'write', stability: 'experimental', tag: 'Imports' } as const;
const onImport = {
  ...common,
  path: '/imports/{importId}',
  pathParameters: z.object({ importId: int64InPath('Id of the import.') }),
  missing: NO_SUCH_IMPORT,
} as const;

/** The parameters of an import as a query, without the one that each import decides for itself. */
function choicesOf({ dryRun: _dryRun, ...query }: z.output<typeof importQuery>): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return new URLSearchParams(
    given.map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
}

export const importOperations = operationsNamed({
  startImport: defineOperation({
    ...common,
    method: 'POST',
    path: '/imports',
    summary: 'Import a file',
    description:
      'Imports animals from a file, as `petstore import` does. Then follow `GET /imports/{importId}`. The whole file is checked before anything is written: one that cannot be read to its end imports nothing. Rows that cannot become animals are rejected, the others are imported. The columns are recognised by their headers and values, also those of other systems; parameters overrule that: those called as a field of profiles name its column. `recognised` says what was taken for what. The rows of one external id are its stays: the newest decides what the animal is now. Values that fit nothing are counted. If the service stops during an import, it fails and says what was written; with external ids, importing the file again finishes it.',
    queryParameters: importQuery,
    upload: {
      kind: 'imports',
      examples: {
        [CSV_TYPE]: 'name,categoryId,status\nChloe,1,available\n',
        [NDJSON_TYPE]: '{"name":"Chloe","categoryId":1,"status":"available"}\n',
        // JSON in an example of JSON would be taken for the value itself.
        [JSON_TYPE]: undefined,
        [XLSX_TYPE]: undefined,
      },
      bytesMax: IMPORT_BYTES_MAX,
      description:
        'The file: CSV with a header, NDJSON with one object in each line, a JSON array or an object with one, or a spreadsheet (.xlsx), as its content shows; as the body itself, or in a form of which only the file counts. Text in UTF-8, or in an encoding that is found out. At most 64 MiB and 500,000 rows.',
    },
    success: {
      status: 202,
      description: 'The service has the file and will import it.',
      schema: importSchema,
      example: importValue(QUEUED),
      headers: ['Location', 'ETag'],
    },
    async handle({ query, caller, stamp, upload }, { storage, imports, baseUrl, clock }) {
      if (upload === undefined) throw new Error('an import without a file');
      const {
        dryRun = false,
        overwrite = false,
        publish = false,
        onlyNamed = false,
        withHistory = false,
        missing = 'keep',
        missingMost = MISSING_MOST,
        encoding,
        photos = true,
        ...mapping
      } = query;
      imports.requireRoom(upload, caller.familyId);
      const record = await storage.imports.create({
        keyId: caller.keyId,
        dryRun,
        createdAt: stamp.at,
        choices: choicesOf(query),
        owner: imports.owner,
        leaseEndsAt: clock.now() + IMPORT_LEASE_MS,
      });
      return {
        value: importValue(record),
        headers: { location: `${baseUrl}/imports/${record.id}` },
        async complete() {
          const { familyId } = caller;
          const policy = { withHistory, missing, missingMost };
          const how = { mapping, overwrite, publish, onlyNamed, photos, policy, encoding };
          imports.start({ record, familyId, upload, ...how });
        },
      };
    },
  }),
  listImports: defineOperation({
    ...common,
    method: 'GET',
    path: '/imports',
    summary: 'List imports',
    description:
      'Lists imports, by default in ascending order of id. They are kept for 30 days after their end. Follow the Link header for more pages.',
    queryParameters: z.object({
      header: textInQuery(
        'Only imports of files with the columns of another one, by its `header`. No dry runs.',
        16,
        'c2f6b1a09d3e4f58',
      ),
      limit: limitInQuery,
      cursor: cursorInQuery,
      sort: oneOf(IMPORT_SORTS).optional().meta({
        description: 'By ascending `id`, the default, or `newest` first.',
      }),
    }),
    success: lists(
      'A page of imports.',
      pageOf(importSummarySchema, 'Imports', 'Imports, sorted by id.'),
      [importSummaryValue(COMPLETED)],
    ),
    async handle({ query }, { storage, baseUrl }) {
      const { sort, header } = query;
      const isDescending = sort === 'newest';
      const list = listPage({
        baseUrl,
        path: '/imports',
        filters: { sort, header },
        query,
        defaultSort: 'id',
        isDescending,
      });
      const page = await storage.imports.list(list.request, header);
      return list.result(page, importSummaryValue);
    },
  }),
  getImport: defineOperation({
    ...onImport,
    method: 'GET',
    summary: 'Get an import',
    description:
      'Returns how far an import is, what it has written, and the first rejected rows. It is kept for 30 days after its end.',
    success: shows('The requested import.', importSchema, importValue(COMPLETED)),
    handle({ path }, { storage }) {
      return showing(NO_SUCH_IMPORT, storage.imports.find(path.importId), importValue);
    },
  }),
  cancelImport: defineOperation({
    ...onImport,
    method: 'DELETE',
    summary: 'Cancel an import',
    description:
      'Ends an import that waits or runs, at its next batch at the latest. What it has written stays; the import fails with the code `cancelled`. One that has ended stays as it is. Imports of another key need the scope `admin`.',
    success: removes('The import has ended.'),
    async handle({ path, caller, stamp, ifMatch }, { storage }) {
      const record = NO_SUCH_IMPORT.orThrow(await storage.imports.find(path.importId));
      requireMatch(ifMatch, importValue)(record);
      const starter = await storage.keys.find(record.keyId);
      if (starter?.familyId !== caller.familyId && !mayUse(caller, 'admin')) {
        throw new Failure(
          'insufficient_scope',
          'Another API key started this import: cancelling it requires the scope "admin".',
        );
      }
      await storage.imports.cancel(record.id, stamp.at);
      return {};
    },
  }),
});
