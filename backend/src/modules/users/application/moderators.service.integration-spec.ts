// Tests `main.moderators`, the program with which operators appoint moderators. Each test dismisses the moderators that
// it appoints. Uses real PostgreSQL and an api replica over HTTP.
import { createEmail, TestAccounts } from '../../../testing/test-accounts.fixture';
import { runModeratorsCommand } from './moderators-command.functions';
import { ModeratorsService } from './moderators.service';

jest.setTimeout(30_000);

describe('moderators command', () => {
  let accounts: TestAccounts;
  let run: (...args: string[]) => ReturnType<typeof runModeratorsCommand>;

  beforeAll(async () => {
    accounts = await TestAccounts.start();
    run = (...args) => runModeratorsCommand(accounts.api.app.get(ModeratorsService), args);
  });
  afterAll(() => accounts.close());

  it('appoints with `add` and dismisses with `remove`, effective from the next request', async () => {
    const { browser, email, userId } = await accounts.register();
    const isModerator = async () => (await browser.get(`/api/user/${userId}`)).body.isModerator as unknown;
    expect(await isModerator()).toBe(false);
    expect(await run('add', email)).toMatchObject({ exitCode: 0 });
    expect(await isModerator()).toBe(true);
    expect(await run('remove', email)).toMatchObject({ exitCode: 0 });
    expect(await isModerator()).toBe(false);
  });

  it('lists the moderators', async () => {
    const { email, userId } = await accounts.register();
    expect(await run('list')).toEqual({ exitCode: 0, text: 'There are no moderators.' });
    await run('add', email);
    expect(await run('list')).toEqual({ exitCode: 0, text: `${userId} ${email}` });
    await run('remove', email);
  });

  it('accepts the address in upper case', async () => {
    const { email, userId } = await accounts.register();
    expect(await run('add', email.toUpperCase())).toMatchObject({ exitCode: 0 });
    expect(await run('list')).toEqual({ exitCode: 0, text: `${userId} ${email}` });
    await run('remove', email);
  });

  it('reports that a user already had the requested role', async () => {
    const { email } = await accounts.register();
    await run('add', email);
    expect(await run('add', email)).toMatchObject({
      exitCode: 0,
      text: expect.stringContaining('already was a moderator'),
    });
    await run('remove', email);
    expect(await run('remove', email)).toMatchObject({
      exitCode: 0,
      text: expect.stringContaining('already was no moderator'),
    });
  });

  it('exits with code 1 when no registered user has the address', async () => {
    expect(await run('add', createEmail())).toMatchObject({
      exitCode: 1,
      text: expect.stringContaining('No registered user'),
    });
  });

  it.each([
    { args: [] },
    { args: ['add'] },
    { args: ['remove'] },
    { args: ['list', 'everybody'] },
    { args: ['add', 'a@example.org', 'b@example.org'] },
    { args: ['appoint', 'a@example.org'] },
  ])('prints its usage and exits with code 2 for the arguments $args', async ({ args }) => {
    expect(await run(...args)).toMatchObject({
      exitCode: 2,
      text: expect.stringContaining('Usage'),
    });
  });
});
