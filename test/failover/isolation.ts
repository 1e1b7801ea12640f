/**
 * What the shell does before the tests: it gives them a folder in memory for data, and their own
 * /etc/hosts. As the first process of its namespace it also waits for processes whose parent has ended.
 */
const PREPARE = `
  set -e
  mount -t tmpfs tmpfs /run
  mount -t tmpfs tmpfs /dev/shm
  mkdir /run/netns /run/postgresql
  cp /etc/hosts /run/hosts
  mount --bind /run/hosts /etc/hosts
  set +e
  "$@"
  exit $?`;

/**
 * Returns a command that runs with its own network, processes and temporary folders. Everything that it started ends
 * with it, however it ends, and nothing that it sends leaves the machine.
 */
export function isolated(command: readonly string[]): string[] {
  const own = ['--net', '--ipc', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];
  return ['unshare', ...own, 'sh', '-c', PREPARE, 'isolated', ...command];
}
