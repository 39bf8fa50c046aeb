import { readdirSync, readFileSync } from 'node:fs';

/** @returns the process id of the parent; undefined when the process has ended */
const readParentPid = (pid: string): number | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the program's name in parentheses, which may contain spaces. The state and the parent follow.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
};

/** Lists the process ids of a process and all its descendants; the process itself is first. */
export const listProcessTree = (pid: number): number[] => {
  const childrenByParent = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    const parentPid = /^\d+$/.test(name) ? readParentPid(name) : undefined;
    if (parentPid === undefined) continue;
    childrenByParent.set(parentPid, [...(childrenByParent.get(parentPid) ?? []), Number(name)]);
  }
  const tree = [pid];
  // The list grows while the loop runs, so the loop also visits the children of children.
  for (const member of tree) tree.push(...(childrenByParent.get(member) ?? []));
  return tree;
};

/** Sends a signal to a process and all its descendants, as a supervisor does to a control group. */
export const sendSignalToTree = (pid: number, signal: NodeJS.Signals): void => {
  for (const member of listProcessTree(pid)) {
    try {
      process.kill(member, signal);
    } catch (error) {
      // ESRCH: the process has ended since it was listed.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
};
