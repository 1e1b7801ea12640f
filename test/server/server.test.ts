import { describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { openServer } from '../../src/server/server.ts';
import { type Config, readConfig } from '../../src/settings/config.ts';
import { openLog } from '../../src/telemetry/log.ts';
import { createTemporaryFolder } from '../support/temporary.ts';

const log = openLog('silent');

function configFor(path: string): Config {
  return readConfig({ port: '0', opsPort: 'off' }, { PETSTORE_DATABASE: `sqlite:${path}` });
}

/** SQLite removes the write-ahead log when its last connection closes. */
const isOpen = (path: string) => existsSync(`${path}-wal`);

describe('a server that cannot open', () => {
  test('its limits closes its database', async () => {
    using folder = createTemporaryFolder();
    const path = folder.file('petstore.db');
    const config = { ...configFor(path), limits: 'no address' };
    let wasOpen = false;
    const created = () => {
      wasOpen = isOpen(path);
    };
    expect(openServer(config, { log }, { created })).rejects.toThrow();
    expect(wasOpen).toBe(true);
    expect(isOpen(path)).toBe(false);
  });
});
