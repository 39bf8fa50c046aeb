import { readdirSync, readFileSync } from 'node:fs';

/** The parent of a process; undefined when the process is gone. */
const readParent = (pid: string): number | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the program's name in parentheses, which may contain spaces.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
};

/** A process and all its descendants; the process itself is first. */
export const listProcessTree = (pid: number): number[] => {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    const parent = /^\d+$/.test(name) ? readParent(name) : undefined;
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const tree = [pid];
  for (const member of tree) tree.push(...(children.get(member) ?? []));
  return tree;
};

/** Sends a signal to a process and all its descendants, as a supervisor does to a control group. */
export const sendSignalToTree = (pid: number, signal: NodeJS.Signals): void => {
  for (const member of listProcessTree(pid)) {
    try {
      process.kill(member, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
};
