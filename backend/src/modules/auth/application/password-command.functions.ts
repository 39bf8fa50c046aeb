import type { CommandResult } from '../../../platform/lifecycle/operator-command.functions';
import type { PasswordResetService } from './password-reset.service';

const usage = 'Usage: main.passwords.js reset <e-mail>';

/** Runs `main.passwords` with its arguments. The password is generated, so that no shell history contains it. */
export const runPasswordCommand = async (
  passwords: Pick<PasswordResetService, 'reset'>,
  args: readonly string[],
): Promise<CommandResult> => {
  const [verb, email, ...rest] = args;
  if (verb !== 'reset' || !email || rest.length > 0) return { exitCode: 2, text: usage };
  const reset = await passwords.reset(email);
  if (!reset) return { exitCode: 1, text: `No registered user has the address ${email}.` };
  return {
    exitCode: 0,
    text: `The new password of user ${reset.userId} (${email}) is ${reset.password}\nEvery login of the user has ended.`,
  };
};
