import { createTemporaryFolder } from '../support/temporary.ts';

/** A small file system that fills up quickly. */
export interface SmallDisk extends Disposable {
  readonly path: string;
}

/** Mounting needs root. In CI it must be possible: nothing is skipped there. */
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
