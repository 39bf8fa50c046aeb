import { type ModerationCase } from '@thaw/contract/moderation';
import { screen, waitFor, within } from '@testing-library/react';
import { Refusal } from '@/testing/fake-server';
import { aCase } from '@/testing/moderation-factories';
import {
  caseHeading,
  openQueue,
  createCasePage,
  showModeration,
  threeCases,
} from '@/testing/moderation-page';

beforeEach(() => jest.spyOn(console, 'warn').mockImplementation(() => undefined));
afterEach(() => jest.restoreAllMocks());

const decisionUrl = 'POST /api/moderation/cases/8/decision' as const;

const openForm = async (cases: ModerationCase[] = threeCases(), routes = {}) => {
  const page = showModeration(cases, '?case=8', routes);
  await caseHeading('Case 8: brave-heron-7');
  await page.user.keyboard('d');
  await screen.findByRole('form');
  return page;
};
const form = () => screen.getByRole('form');
const choose = (name: string) => screen.getByRole('radio', { name });
const getFactsField = () => screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Facts' });
const findRequestBody = (server: { calls: { method: string; url: string; body: unknown }[] }, url: string) =>
  server.calls.find((call) => `${call.method} ${call.url}` === url)?.body;

it('opens with D, claims the case, and releases it when it is closed untouched', async () => {
  const { user, server } = await openForm();
  expect(choose('Dismiss')).toHaveFocus();
  await screen.findByRole('button', { name: 'Release' });
  expect(server.count('POST', '/api/moderation/cases/8/claim')).toBe(1);
  await user.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByRole('form')).toBeNull());
  await waitFor(() => expect(server.count('DELETE', '/api/moderation/cases/8/claim')).toBe(1));
});

it('shows the notice exactly as the person will see it while it is written', async () => {
  const { user } = await openForm();
  await user.click(choose('Suspend'));
  await user.click(choose('7 days'));
  const preview = screen.getByRole('group', { name: 'What the person sees' });
  expect(preview).toHaveTextContent(
    'Your account is pausedOn 20 November 2026 you went on with sexual messages',
  );
  expect(preview).toHaveTextContent(
    /Rule: Nothing sexual that the other does not want\.Decided by a moderatorUntil .*You can appeal until/,
  );
  await user.selectOptions(screen.getByRole('combobox', { name: 'Rule' }), 'No hate.');
  expect(getFactsField()).toHaveValue('On 20 November 2026 you insulted somebody for who they are.');
  await user.clear(getFactsField());
  await user.type(getFactsField(), 'You wrote the same insult to three people.');
  expect(preview).toHaveTextContent('You wrote the same insult to three people.Rule: No hate.');
  expect(screen.getByText('42 of 1000')).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'Use the template' }));
  expect(getFactsField()).toHaveValue('On 20 November 2026 you insulted somebody for who they are.');
});

it('decides by keyboard only, and has loaded the next case before', async () => {
  let respond = (_: object): void => undefined;
  const { user, server } = await openForm(threeCases(), {
    [decisionUrl]: () => new Promise<object>((resolve) => (respond = resolve)),
  });
  await waitFor(() => expect(server.count('GET', '/api/moderation/cases/11')).toBe(1));
  await screen.findByRole('button', { name: 'Release' });
  await user.keyboard('{ArrowRight}');
  expect(choose('Warn')).toBeChecked();
  await user.keyboard('{Control>}{Enter}{/Control}');
  // The server has not answered yet.
  expect(await caseHeading('Case 11: silent-badger')).toHaveFocus();
  expect(screen.getByRole('article', { name: 'Report 12, Random chat' })).toBeVisible();
  expect(server.count('GET', '/api/moderation/cases/11')).toBe(1);
  expect(screen.queryByRole('form')).toBeNull();
  expect(screen.queryByRole('button', { name: /^brave-heron-7/ })).toBeNull();
  expect(findRequestBody(server, decisionUrl)).toEqual({
    version: 6,
    outcome: 'warned',
    rule: 'no_unwanted_sexual',
    facts:
      'On 20 November 2026 you went on with sexual messages or pictures that the other person had not asked for.',
  });
  server.routes[openQueue] = createCasePage(threeCases().slice(1));
  respond(aCase({ state: 'decided', version: 7 }));
  expect(await screen.findByText('Case 8 is decided.')).toBeInTheDocument();
});

it('ends with thanks when it was the last case', async () => {
  const { user, server } = await openForm([aCase()], { [decisionUrl]: aCase({ state: 'decided' }) });
  server.routes[openQueue] = createCasePage([]);
  await user.click(choose('Dismiss'));
  expect(screen.getByText('The person gets no notice.')).toBeVisible();
  expect(screen.getByRole('group', { name: 'What the reporters see' })).toHaveTextContent(
    'We found no breach.',
  );
  await user.click(screen.getByRole('button', { name: 'Dismiss the case' }));
  expect(await screen.findByText('Nothing waits. Thank you.')).toBeVisible();
});

it.each([
  ['case_changed', 'Someone else has changed this case. Please look again.'],
  ['claimed', 'Another moderator is looking at this.'],
  ['own_decision', 'Another moderator has to look at this.'],
  ['already_answered', 'That was already answered.'],
])('brings the case back after %s, in its newest state, with what was written', async (code, message) => {
  const { user, server } = await openForm(threeCases(), {
    [decisionUrl]: new Refusal(409, { code, message }),
  });
  await user.click(choose('Warn'));
  await user.clear(getFactsField());
  await user.type(getFactsField(), 'You wrote the same insult to three people.');
  server.routes['GET /api/moderation/cases/8'] = aCase({ version: 9 });
  await user.click(screen.getByRole('button', { name: 'Warn' }));
  expect(await screen.findByText('What you wrote is kept. Please look again.')).toBeVisible();
  expect(within(form()).getByRole('alert')).toHaveTextContent(message);
  expect(await caseHeading('Case 8: brave-heron-7')).toBeVisible();
  expect(getFactsField()).toHaveValue('You wrote the same insult to three people.');
  expect(choose('Warn')).toBeChecked();
  server.routes[decisionUrl] = aCase({ state: 'decided' });
  await user.click(screen.getByRole('button', { name: 'Warn' }));
  expect(await caseHeading('Case 11: silent-badger')).toBeVisible();
  const versions = server.calls
    .filter(({ url }) => url.endsWith('/decision'))
    .map(({ body }) => (body as { version: number }).version);
  expect(versions.at(-1)).toBe(9);
});

it('keeps the next case open when its decision has begun, and links to the case whose decision failed', async () => {
  let refuse = (_: object): void => undefined;
  const { user } = await openForm(threeCases(), {
    [decisionUrl]: () => new Promise<object>((resolve) => (refuse = resolve)),
  });
  await user.click(choose('Warn'));
  await user.click(screen.getByRole('button', { name: 'Warn' }));
  await caseHeading('Case 11: silent-badger');
  await user.keyboard('d');
  await screen.findByRole('form');
  refuse(new Refusal(409, { message: 'Someone else has changed this case. Please look again.' }));
  expect(await screen.findByText(/^Case 8 was not decided\. Someone else/)).toBeVisible();
  expect(await caseHeading('Case 11: silent-badger')).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'Go to case 8' }));
  expect(await caseHeading('Case 8: brave-heron-7')).toBeVisible();
  expect(choose('Warn')).toBeChecked();
});

it('names what is missing, and sends nothing', async () => {
  const { user, server } = await openForm();
  await user.click(choose('Suspend'));
  await user.click(choose('Custom'));
  await user.clear(getFactsField());
  await user.type(getFactsField(), 'Too short');
  await user.click(screen.getByRole('button', { name: 'Suspend' }));
  expect(screen.getByText('Choose a time between 1 hour and 365 days from now.')).toBeVisible();
  expect(getFactsField()).toHaveAccessibleDescription(/At least 20 characters\./);
  expect(server.count('POST', '/api/moderation/cases/8/decision')).toBe(0);
});

it('blocks chosen images of the person', async () => {
  const { user, server } = await openForm(threeCases(), { [decisionUrl]: aCase({ state: 'decided' }) });
  await user.click(choose('Ban'));
  expect(form()).toHaveTextContent('The ban acts at once. Another moderator confirms it within 72 hours.');
  await user.click(screen.getByRole('checkbox', { name: 'Image 1' }));
  await user.click(screen.getByRole('button', { name: 'Ban' }));
  await waitFor(() =>
    expect(findRequestBody(server, decisionUrl)).toMatchObject({ outcome: 'banned', blockImages: [1] }),
  );
});

it('confirms a ban after a second look', async () => {
  const at = '2026-11-20T22:00:00.000Z';
  const { user, server } = await openForm(
    [
      aCase({
        kind: 'confirmation',
        history: [
          {
            kind: 'decision',
            at,
            moderatorId: 4,
            outcome: 'banned',
            rule: 'no_hate',
            facts: 'You insulted them.',
          },
        ],
      }),
    ],
    { 'POST /api/moderation/cases/8/confirmation': {} },
  );
  await waitFor(() => expect(form()).toHaveTextContent('mod-two banned this person.'));
  expect(form()).toHaveTextContent('You insulted them.');
  await user.click(choose('Confirm'));
  await screen.findByRole('button', { name: 'Release' });
  await user.click(screen.getByRole('button', { name: 'Confirm the ban' }));
  await waitFor(() =>
    expect(findRequestBody(server, 'POST /api/moderation/cases/8/confirmation')).toEqual({
      version: 6,
      isConfirmed: true,
    }),
  );
});

it('decides an appeal with an answer', async () => {
  const at = '2026-11-20T22:00:00.000Z';
  const appeal = { kind: 'appeal', at, noticeId: 41, appellantId: 9, words: 'It was not me.' } as const;
  const { user, server } = await openForm(
    [
      aCase({
        kind: 'appeal',
        history: [
          { ...appeal, appealId: 76, state: 'decided' },
          { ...appeal, appealId: 77, state: 'open' },
        ],
      }),
    ],
    { 'PUT /api/moderation/appeals/77': {} },
  );
  expect(form()).toHaveTextContent('It was not me.');
  await screen.findByRole('button', { name: 'Release' });
  await user.click(choose('Reverse'));
  await user.type(screen.getByRole('textbox', { name: 'Answer' }), 'You were right about the date.');
  expect(screen.getByRole('group', { name: 'What the person sees' })).toHaveTextContent(
    'Your appealThe decision was reversed.You were right about the date.',
  );
  await user.click(screen.getByRole('button', { name: 'Reverse the decision' }));
  await waitFor(() =>
    expect(findRequestBody(server, 'PUT /api/moderation/appeals/77')).toEqual({
      version: 6,
      outcome: 'reversed',
      answer: 'You were right about the date.',
    }),
  );
});
