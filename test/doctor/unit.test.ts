import { describe, expect, test } from 'bun:test';
import { chmodSync, chownSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runPetstore } from '../support/command-line.ts';
import { forEachTest } from '../support/lifetime.ts';
import { createTemporaryFolder } from '../support/temporary.ts';

const NOBODY = 65_534;
const MAIN = join(import.meta.dir, '../../src/main.ts');

const folder = forEachTest(() => createTemporaryFolder());

/** Installs a `systemctl` that knows one unit, in the words of systemd 252. */
function installSystemctl(...lines: readonly string[]): void {
  const known = ['LoadState=loaded', ...lines].join('\n');
  writeFileSync(folder.file('known'), `${known}\n`);
  const program = `#!/bin/sh\n[ "$1" = show ] || exit 1\ncase $2 in petstore.service|shop) /bin/cat '${folder.file('known')}' ;;\n*) echo LoadState=not-found ;; esac\n`;
  writeFileSync(folder.file('systemctl'), program);
  chmodSync(folder.file('systemctl'), 0o755);
}

const COMMAND_LINE =
  'ExecStart={ path=/usr/local/bin/petstore ; argv[]=/usr/local/bin/petstore serve --max-waiting many ; ignore_errors=no ; start_time=[n/a] ; stop_time=[n/a] ; pid=0 ; code=(null) ; status=0/0 }';

/** Runs the doctor as an operator does who types no setting. */
async function doctor(
  args: readonly string[] = [],
  variables: Readonly<Record<string, string>> = {},
): Promise<{ exitCode: number; stdout: string; stderr: string }> {
  const child = Bun.spawn([process.execPath, MAIN, 'doctor', ...args], {
    cwd: folder.path,
    env: { PATH: folder.path, ...variables },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { exitCode: await child.exited, stdout, stderr };
}

describe('petstore doctor under systemd', () => {
  test('finds the settings of the unit: its variables, files and flags', async () => {
    writeFileSync(folder.file('petstore.env'), 'PETSTORE_PORT=http\nPETSTORE_LIMITS="x"\n');
    installSystemctl(
      `Environment=PETSTORE_DATABASE=sqlite:${folder.file('shop.db')} PETSTORE_PORT=9 "PETSTORE_MAIL_FROM=a \\"b"`,
      `EnvironmentFiles=${folder.file('petstore.env')} (ignore_errors=yes)`,
      `EnvironmentFiles=${folder.file('absent.env')} (ignore_errors=yes)`,
      COMMAND_LINE,
    );
    const { exitCode, stdout, stderr } = await doctor();
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 1, stderr: expect.anything() });
    expect(stdout).toContain('The settings are those of petstore.service, as systemd knows them.');
    expect(stdout).toContain(`There is no Petstore database at sqlite:${folder.file('shop.db')}`);
    expect(stdout).toContain(
      'PETSTORE_PORT must be a whole number from 0 to 65535 (it is "http").',
    );
    expect(stdout).toContain('PETSTORE_LIMITS must be');
    expect(stdout).toContain(
      'PETSTORE_MAIL_FROM must be e-mail addresses, separated by commas (it is "a "b")',
    );
    expect(stdout).toContain('--max-waiting must be');
    expect(stdout).not.toContain('absent.env');
    const named = await doctor(['--unit', 'shop', '--port', '9001'], { PETSTORE_HOST: '::1' });
    expect(named.stdout).toContain('The settings are those of shop');
    expect(named.stdout).not.toContain('PETSTORE_PORT must');
  });

  test('reports files that cannot be used', async () => {
    writeFileSync(folder.file('petstore.env'), 'export A=1\n');
    installSystemctl(
      `EnvironmentFiles=${folder.file('petstore.env')} (ignore_errors=yes)`,
      `EnvironmentFiles=${folder.file('absent.env')} (ignore_errors=no)`,
    );
    const { stdout } = await doctor();
    expect(stdout).toContain(`${folder.file('petstore.env')}, line 1 is neither NAME=value`);
    expect(stdout).toContain(`${folder.file('absent.env')} cannot be read: ENOENT`);
  });

  test.each<[string, string[], Record<string, string>]>([
    ['a variable', [], { PETSTORE_PORT: '0' }],
    ['a flag', ['--port', '0'], {}],
  ])('checks the settings of the command where it has %s', async (_, args, variables) => {
    installSystemctl('Environment=PETSTORE_PORT=many');
    const { stdout } = await doctor(args, variables);
    expect(stdout).toContain('All settings are valid.');
    expect(stdout).not.toContain('petstore.service');
  });

  test('checks the settings of the command where there is no unit', async () => {
    const without = await doctor([], { PETSTORE_API_KEY: 'x' });
    expect(without.stdout).toContain('All settings are valid.');
    installSystemctl();
    expect(await doctor(['--unit', 'other'])).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: 'petstore: systemd knows no unit other.\n',
    });
  });

  test.skipIf(process.getuid?.() !== 0)(
    'checks as the user and in the folder of the unit',
    async () => {
      chmodSync(folder.path, 0o777);
      writeFileSync(folder.file('key'), `${Buffer.alloc(32).toString('base64')}\n`, {
        mode: 0o600,
      });
      const made = await runPetstore(['migrate', '--database', `sqlite:${folder.file('shop.db')}`]);
      expect(made.exitCode).toBe(0);
      installSystemctl(
        'Environment=PETSTORE_DATABASE=sqlite:shop.db PETSTORE_PORT=0 PETSTORE_OPS_PORT=off PETSTORE_SECRET_KEY_FILE=/run/credentials/petstore.service/key',
        `LoadCredential=key:${folder.file('key')}`,
        `WorkingDirectory=${folder.path}`,
        'User=nobody',
        'Group=',
      );
      const asRoot = await doctor();
      expect(asRoot.stdout).toContain('checked as the user of the service, nobody.');
      expect(asRoot.stdout).toMatch(/WRONG +shop\.db cannot be read and written/);
      expect(asRoot.stdout).not.toContain('credentials');
      for (const name of ['shop.db', 'shop.db-wal', 'shop.db-shm']) {
        if (existsSync(folder.file(name))) chownSync(folder.file(name), NOBODY, NOBODY);
      }
      const { stdout, exitCode } = await doctor();
      expect({ stdout, exitCode }).toMatchObject({ exitCode: 0 });
      rmSync(folder.file('key'));
      expect((await doctor()).stdout).toContain('It was not checked.');
    },
  );

  test.skipIf(process.getuid?.() !== 0)(
    'a server names the owner of a database that it may not open',
    async () => {
      chmodSync(folder.path, 0o755);
      const path = folder.file('shop.db');
      await runPetstore(['migrate', '--database', `sqlite:${path}`]);
      const child = Bun.spawnSync({
        cmd: [process.execPath, MAIN, 'serve', '--port', '0', '--database', `sqlite:${path}`],
        uid: NOBODY,
        gid: NOBODY,
        env: { PATH: '' },
        stderr: 'pipe',
      });
      expect(child.stderr.toString()).toContain(
        `This runs as user ${NOBODY}, and ${folder.path} belongs to user 0, ${path} belongs to user 0`,
      );
    },
  );
});
