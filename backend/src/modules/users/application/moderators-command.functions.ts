import type { CommandResult } from '../../../platform/lifecycle/operator-command.functions';
import type { Moderator, ModeratorsService } from './moderators.service';

const usage = 'Usage: main.moderators.js add <e-mail> | remove <e-mail> | list';

/** Runs the operators' program `main.moderators` with its arguments. Only registered users can be moderators. */
export const runModeratorsCommand = async (
  moderators: Pick<ModeratorsService, 'list' | 'appoint' | 'dismiss'>,
  args: readonly string[],
): Promise<CommandResult> => {
  const [verb, email, ...rest] = args;
  if (verb === 'list' && email === undefined) return succeed(describeAll(await moderators.list()));
  if ((verb !== 'add' && verb !== 'remove') || !email || rest.length > 0) return { exitCode: 2, text: usage };
  const isAdding = verb === 'add';
  const change = await (isAdding ? moderators.appoint(email) : moderators.dismiss(email));
  if (!change) return { exitCode: 1, text: `No registered user has the address ${email}.` };
  const state = isAdding ? 'a moderator' : 'no moderator';
  return succeed(`User ${change.userId} (${email}) ${change.isNew ? 'is now' : 'already was'} ${state}.`);
};

const succeed = (text: string): CommandResult => ({ exitCode: 0, text });

const describeAll = (all: readonly Moderator[]): string =>
  all.length === 0
    ? 'There are no moderators.'
    : all.map(({ userId, email }) => `${userId} ${email ?? '-'}`).join('\n');
