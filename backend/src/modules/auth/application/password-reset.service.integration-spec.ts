// Tests `main.passwords`, the program with which operators reset passwords. Uses real PostgreSQL and Redis, and an api
// replica over HTTP.
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { loadEnvironment } from '../../../config/environment.config';
import { PasswordsModule } from '../../../passwords.module';
import { createEmail, TestAccounts } from '../../../testing/test-accounts.fixture';
import { runPasswordCommand } from './password-command.functions';
import { PasswordResetService } from './password-reset.service';

jest.setTimeout(30_000);

describe('password command', () => {
  let accounts: TestAccounts;
  let application: INestApplicationContext;
  const run = (...args: string[]) => runPasswordCommand(application.get(PasswordResetService), args);

  beforeAll(async () => {
    accounts = await TestAccounts.start();
    const environment = loadEnvironment({
      DATABASE_URL: accounts.api.database.url,
      REDIS_URL: process.env.REDIS_URL,
    });
    application = await NestFactory.createApplicationContext(PasswordsModule.forRoot(environment), {
      logger: false,
    });
  });
  afterAll(async () => {
    await application.close();
    await accounts.close();
  });

  it('reset prints a new password for the user, and the old password becomes invalid', async () => {
    const { email, userId } = await accounts.register();
    const { exitCode, text } = await run('reset', email.toUpperCase());
    expect(exitCode).toBe(0);
    const [, password] = /is (\S{16})$/m.exec(text)!;
    await accounts.logIn(email).expect(401); // with the old password
    const { body } = await accounts.logIn(email, { password }).expect(200);
    expect(body.user.id).toBe(userId);
  });

  it('reset ends every login of the user and publishes that their sockets must close', async () => {
    const { email, userId, cookie } = await accounts.register();
    const otherUser = await accounts.register();
    await accounts.logIn(email).expect(200);
    const messages = await accounts.recordChannelMessages(userId, () => run('reset', email));
    expect(messages).toEqual([{ kind: 'revoke', familyIds: 'all' }]); // a family is one login
    expect(await accounts.readProfileStatus(cookie, userId)).toBe(401);
    expect(await accounts.readProfileStatus(otherUser.cookie, otherUser.userId)).toBe(200);
    const rows = await accounts.api.database.dataSource.query(
      'SELECT count(*)::int AS session_count FROM sessions WHERE user_id = $1',
      [userId],
    );
    expect(rows).toEqual([{ session_count: 0 }]);
  });

  it('reset exits with code 1 when no registered user has the address', async () => {
    expect(await run('reset', createEmail())).toMatchObject({
      exitCode: 1,
      text: expect.stringContaining('No registered user'),
    });
  });

  it.each<[string, string[]]>([
    ['no arguments', []],
    ['no e-mail address', ['reset']],
    ['an argument after the e-mail address', ['reset', 'a@example.org', 'a password']],
    ['an unknown verb', ['set', 'a@example.org']],
  ])('prints its usage and exits with code 2 for %s', async (_case, args) => {
    expect(await run(...args)).toMatchObject({ exitCode: 2, text: expect.stringContaining('Usage') });
  });
});
