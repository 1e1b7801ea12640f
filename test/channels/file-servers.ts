import { createHash } from 'node:crypto';
import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { mountSmallDisk, type SmallDisk } from '../storage/small-disk.ts';
import { type Certificates, createCertificates } from '../support/certificates.ts';
import { endWithParent } from '../support/end-with-parent.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { programPath } from '../support/program.ts';
import { createTemporaryFolder } from '../support/temporary.ts';

/*
 * vsftpd with TLS and OpenSSH's sshd, with an account of their own: both run in a mount namespace with other files in place of
 * /etc/passwd and /etc/shadow. That needs root, as mounting does.
 */

const USER = 'shelter';
const PASSWORD = 'correct horse';
const ID = 65_534;

/** A server that takes files, for the user `shelter` with the password `correct horse`. */
export interface FileServer extends AsyncDisposable {
  readonly port: number;
  /** `ftps://shelter@127.0.0.1:PORT/import` */
  readonly address: string;
  readonly password: string;
  /** The folder of the account, whose `import` is the folder of the channel. */
  readonly folder: string;
  read(name: string): string;
  names(): string[];
  /** Ends it at once, with all its connections, and starts it again. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

export interface FtpServer extends FileServer {
  readonly certificates: Certificates;
}

export interface SftpServer extends FileServer {
  hostKey(): string;
  /** Gives the server another key, at the next start. */
  newHostKey(): void;
  /** A private key that signs in. */
  readonly privateKey: string;
}

interface Options {
  readonly kibibytes?: number;
  readonly tls?: boolean;
  readonly lines?: readonly string[];
}

function account(disk: SmallDisk, etc: ReturnType<typeof createTemporaryFolder>): string {
  const { stdout } = Bun.spawnSync(['openssl', 'passwd', '-6', PASSWORD]);
  const home = `${disk.path}/home`;
  mkdirSync(`${home}/import`, { recursive: true });
  for (const path of [home, `${home}/import`]) chownSync(path, ID, ID);
  chmodSync(disk.path, 0o755);
  const system = readFileSync('/etc/passwd', 'utf8').replace(/^nobody:.*\n/m, '');
  writeFileSync(
    etc.file('passwd'),
    `${system}nobody:x:${ID - 1}:${ID - 1}::/nonexistent:/bin/false\n${USER}:x:${ID}:${ID}::${home}:/bin/sh\n`,
  );
  writeFileSync(etc.file('shadow'), `${USER}:${stdout.toString().trim()}:19000:0:99999:7:::\n`);
  return home;
}

/** Runs a command where the files of accounts are others. */
function inNamespace(etc: ReturnType<typeof createTemporaryFolder>, command: string): string[] {
  const binds = ['passwd', 'shadow']
    .map((name) => `mount --bind ${etc.file(name)} /etc/${name}`)
    .join(' && ');
  const script = `${binds} && mkdir -p /run/sshd /run/vsftpd/empty && exec ${command}`;
  return endWithParent(['unshare', '--mount', '--kill-child', 'sh', '-c', script]);
}

async function startServer<More extends object>(
  scheme: string,
  { kibibytes = 4_096 }: Options,
  commandOf: (parts: {
    readonly etc: ReturnType<typeof createTemporaryFolder>;
    readonly port: number;
  }) => Promise<{ readonly command: string; readonly more: More }>,
): Promise<FileServer & More> {
  const etc = createTemporaryFolder();
  const disk = mountSmallDisk(kibibytes);
  const home = account(disk, etc);
  const port = freePort();
  const { command, more } = await commandOf({ etc, port });
  let child: ReturnType<typeof Bun.spawn> | undefined;
  const isUp = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => socket.end(() => resolve(true)));
      socket.on('error', () => resolve(false));
    });
  async function start(): Promise<void> {
    // A process group of its own, so that its sessions end with it.
    child = Bun.spawn(['setsid', '--wait', ...inNamespace(etc, command)], {
      stdout: process.env['PETSTORE_TEST_SERVERS'] ? 'inherit' : 'ignore',
      stderr: process.env['PETSTORE_TEST_SERVERS'] ? 'inherit' : 'ignore',
    });
    await eventually(isUp, (up) => up);
  }
  async function stop(): Promise<void> {
    if (child === undefined) return;
    for (const pid of descendants(child.pid).reverse()) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended meanwhile.
      }
    }
    await child.exited;
    child = undefined;
    await eventually(isUp, (up) => !up);
  }
  await start();
  return {
    port,
    address: `${scheme}://${USER}@127.0.0.1:${port}/import`,
    password: PASSWORD,
    folder: home,
    read: (name) => readFileSync(`${home}/import/${name}`, 'utf8'),
    names: () => readdirSync(`${home}/import`).sort(),
    start,
    stop,
    ...more,
    async [Symbol.asyncDispose]() {
      await stop();
      await eventually(
        () => {
          try {
            disk[Symbol.dispose]();
            return true;
          } catch {
            return false;
          }
        },
        (done) => done,
      );
      etc[Symbol.dispose]();
      await (more as Partial<AsyncDisposable>)[Symbol.asyncDispose]?.();
    },
  };
}

function descendants(pid: number): number[] {
  const path = `/proc/${pid}/task/${pid}/children`;
  try {
    const children = readFileSync(path, 'utf8').trim().split(' ').filter(Boolean).map(Number);
    return [pid, ...children.flatMap(descendants)];
  } catch {
    return [];
  }
}

/** Starts vsftpd, with TLS unless it is turned off. */
export async function startFtpServer(options: Options = {}): Promise<FtpServer> {
  const { tls = true, lines = [] } = options;
  const certificates = await createCertificates();
  const server = await startServer(tls ? 'ftps' : 'ftp', options, async ({ etc, port }) => {
    const config = {
      ...{ listen: 'YES', listen_address: '127.0.0.1', listen_port: port, background: 'NO' },
      ...{ anonymous_enable: 'NO', local_enable: 'YES', write_enable: 'YES', local_umask: '022' },
      ...{ seccomp_sandbox: 'NO', xferlog_enable: 'NO', pam_service_name: 'vsftpd' },
      ...{ pasv_address: '127.0.0.1', chroot_local_user: 'YES', allow_writeable_chroot: 'YES' },
      ...(tls && {
        ...{ ssl_enable: 'YES', force_local_logins_ssl: 'YES', force_local_data_ssl: 'YES' },
        ...{ rsa_cert_file: certificates.certificate, rsa_private_key_file: certificates.key },
        ...{ ssl_tlsv1: 'YES', ssl_ciphers: 'HIGH', require_ssl_reuse: 'YES' },
      }),
    };
    const text = Object.entries(config).map(([name, value]) => `${name}=${value}`);
    writeFileSync(etc.file('vsftpd.conf'), [...text, ...lines, ''].join('\n'));
    return {
      command: `${programPath('vsftpd', 'vsftpd')} ${etc.file('vsftpd.conf')}`,
      more: {},
    };
  });
  return {
    ...server,
    certificates,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      certificates[Symbol.dispose]();
    },
  };
}

/** Starts OpenSSH's sshd, for SFTP alone. */
export async function startSftpServer(options: Options = {}): Promise<SftpServer> {
  const keys = createTemporaryFolder();
  const generate = (name: string) => {
    for (const end of ['', '.pub']) Bun.spawnSync(['rm', '-f', keys.file(name + end)]);
    Bun.spawnSync(['ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', keys.file(name)]);
  };
  generate('host');
  generate('user');
  const server = await startServer('sftp', options, async ({ etc, port }) => {
    chmodSync(etc.path, 0o755);
    writeFileSync(etc.file('authorized'), readFileSync(keys.file('user.pub')), { mode: 0o644 });
    // Of a setting that is there twice, the first counts.
    const lines = [
      ...(options.lines ?? []),
      ...[`Port ${port}`, 'ListenAddress 127.0.0.1', `HostKey ${keys.file('host')}`],
      ...['UsePAM no', 'PasswordAuthentication yes', 'PermitRootLogin no', 'PidFile none'],
      ...['Subsystem sftp internal-sftp', `AuthorizedKeysFile ${etc.file('authorized')}`],
      ...['StrictModes no', 'MaxStartups 100'],
    ];
    writeFileSync(etc.file('sshd_config'), `${lines.join('\n')}\n`);
    const sshd = programPath('openssh-server', 'sshd');
    return { command: `${sshd} -D -e -f ${etc.file('sshd_config')}`, more: {} };
  });
  return {
    ...server,
    address: server.address.replace('/import', `${server.folder}/import`),
    hostKey() {
      const [, key = ''] = readFileSync(keys.file('host.pub'), 'utf8').split(' ');
      const digest = createHash('sha256').update(Buffer.from(key, 'base64')).digest('base64');
      return `SHA256:${digest.replace(/=+$/, '')}`;
    },
    newHostKey: () => generate('host'),
    privateKey: readFileSync(keys.file('user'), 'utf8'),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      keys[Symbol.dispose]();
    },
  };
}
