import { readdirSync, readFileSync } from 'node:fs';

/** Process ids of the image decoders that run as children of this process. */
export const findDecoderPids = (): number[] => {
  const { pid } = process;
  // Linux lists child processes by the thread that started them.
  return readdirSync(`/proc/${pid}/task`)
    .flatMap((task) => readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim().split(' '))
    .filter((child) => child !== '' && readCommandLine(child).includes('image-decoder.process'))
    .map(Number);
};

const readCommandLine = (pid: string): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return ''; // the process has ended
  }
};

/** Peak resident memory of a process, in bytes. The kernel reports it as `VmHWM`, in units of 1,024 bytes. */
export const readPeakBytes = (pid: number): number =>
  1_024 * Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
