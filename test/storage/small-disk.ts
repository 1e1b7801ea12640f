import { createTemporaryFolder } from '../support/temporary.ts';

/** A file system that is full soon. */
export interface SmallDisk extends Disposable {
  readonly path: string;
}

/** Mounting takes root. On a machine that tests a change it must be possible: nothing is skipped. */
export const canMountSmallDisks = process.env['CI'] === 'true' || process.getuid?.() === 0;

function run(...command: string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(command);
  if (exitCode !== 0) throw new Error(`${command.join(' ')}: ${stderr}`);
}

export function mountSmallDisk(kibibytes: number): SmallDisk {
  const folder = createTemporaryFolder();
  run('mount', '-t', 'tmpfs', '-o', `size=${kibibytes}k`, 'tmpfs', folder.path);
  return {
    path: folder.path,
    [Symbol.dispose]() {
      run('umount', folder.path);
      folder[Symbol.dispose]();
    },
  };
}
