import type { CommandResult } from '../../../platform/lifecycle/operator-command.functions';
import type { Moderator, ModeratorsService } from './moderators.service';

const usage = 'Usage: main.moderators.js add <e-mail> | remove <e-mail> | list';

/** Runs the operators' program `main.moderators` with its arguments. Only registered users can be moderators. */
export const runModeratorsCommand = async (
  moderators: Pick<ModeratorsService, 'list' | 'appoint' | 'dismiss'>,
  args: readonly string[],
): Promise<CommandResult> => {
  const [verb, email, ...rest] = args;
  if (verb === 'list' && email === undefined) return succeed(describeModerators(await moderators.list()));
  if ((verb !== 'add' && verb !== 'remove') || !email || rest.length > 0) return { exitCode: 2, text: usage };
  const isAdding = verb === 'add';
  const result = await (isAdding ? moderators.appoint(email) : moderators.dismiss(email));
  if (!result) return { exitCode: 1, text: `No registered user has the address ${email}.` };
  const role = isAdding ? 'a moderator' : 'no moderator';
  return succeed(`User ${result.userId} (${email}) ${result.hasChanged ? 'is now' : 'already was'} ${role}.`);
};

const succeed = (text: string): CommandResult => ({ exitCode: 0, text });

const describeModerators = (moderators: readonly Moderator[]): string =>
  moderators.length === 0
    ? 'There are no moderators.'
    : moderators.map(({ userId, email }) => `${userId} ${email ?? '-'}`).join('\n');
