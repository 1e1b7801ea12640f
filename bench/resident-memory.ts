import { readFileSync } from 'node:fs';

const MEBIBYTE_IN_KB = 1_024;

/** Returns the current and peak resident memory of a process, in MiB (proc_pid_status(5)). */
export function residentOf(pid: number): { readonly now: number; readonly most: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const mebibytes = (name: string) =>
    Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / MEBIBYTE_IN_KB;
  return { now: mebibytes('VmRSS'), most: mebibytes('VmHWM') };
}
