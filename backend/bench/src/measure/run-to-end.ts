import { spawn } from 'node:child_process';

/**
 * Runs a program until it ends.
 * @throws Error when the program cannot be started, or with its output when its exit code is not 0
 */
export const runToEnd = async (
  command: string,
  args: readonly string[],
  env: Record<string, string>,
): Promise<void> => {
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    // Unlike `exit`, this comes after all output.
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(`${args.join(' ')} failed:\n${output}`);
};
