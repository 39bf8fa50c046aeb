import { type ModerationCase } from '@thaw/contract/moderation';
import { screen, waitFor, within } from '@testing-library/react';
import { Refusal } from '@/testing/fake-server';
import { aCase } from '@/testing/moderation-factories';
import {
  findCaseHeading,
  openQueueRoute,
  createCaseListResponse,
  showModeration,
  createThreeCases,
} from '@/testing/moderation-page';

beforeEach(() => jest.spyOn(console, 'warn').mockImplementation(() => undefined));
afterEach(() => jest.restoreAllMocks());

const decisionRoute = 'POST /api/moderation/cases/8/decision' as const;

/** The version in the response to a claim in `showModeration`. */
const versionAfterClaim = 6;

/** Opens case 8 and its decision form, which claims the case: no other moderator can then decide it. */
const openForm = async (cases: ModerationCase[] = createThreeCases(), routes = {}) => {
  const page = showModeration(cases, '?case=8', routes);
  await findCaseHeading('Case 8: brave-heron-7');
  await page.user.keyboard('d');
  await screen.findByRole('form');
  return page;
};
/** Waits until the server has accepted the claim that opening the form sends. */
const waitForClaim = () => screen.findByRole('button', { name: 'Release' });
const getForm = () => screen.getByRole('form');
const getRadio = (name: string) => screen.getByRole('radio', { name });
const getFactsField = () => screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Facts' });
const findLastRequestBody = (
  server: { calls: { method: string; url: string; body: unknown }[] },
  route: string,
) => server.calls.findLast((call) => `${call.method} ${call.url}` === route)?.body;

it('opens the form and claims the case with D, and releases it when the form is closed without input', async () => {
  const { user, server } = await openForm();
  expect(getRadio('Dismiss')).toHaveFocus();
  await waitForClaim();
  expect(server.count('POST', '/api/moderation/cases/8/claim')).toBe(1);
  await user.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByRole('form')).toBeNull());
  await waitFor(() => expect(server.count('DELETE', '/api/moderation/cases/8/claim')).toBe(1));
});

it('releases the case when the next case is opened while the form has no input', async () => {
  const { user, server } = await openForm();
  await waitForClaim();
  await user.keyboard('j');
  await findCaseHeading('Case 11: silent-badger');
  await waitFor(() => expect(server.count('DELETE', '/api/moderation/cases/8/claim')).toBe(1));
});

it('previews the notice while the form is filled in, and offers the template once the facts are edited', async () => {
  const { user } = await openForm();
  await user.click(getRadio('Suspend'));
  await user.click(getRadio('7 days'));
  const preview = screen.getByRole('group', { name: 'What the person sees' });
  // The text content of an element has no spaces between its children.
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
  // The length of the typed text.
  expect(screen.getByText('42 of 1000')).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'Use the template' }));
  expect(getFactsField()).toHaveValue('On 20 November 2026 you insulted somebody for who they are.');
});

it('focuses the heading of the case when its form is closed without a decision', async () => {
  const { user } = await openForm();
  await waitForClaim();
  await user.keyboard('{Escape}');
  expect(await findCaseHeading('Case 8: brave-heron-7')).toHaveFocus();
});

it('decides with the keyboard only, and shows the preloaded next case before the server responds', async () => {
  let respond = (_: object): void => undefined;
  const { user, server } = await openForm(createThreeCases(), {
    [decisionRoute]: () => new Promise<object>((resolve) => (respond = resolve)),
  });
  await waitFor(() => expect(server.count('GET', '/api/moderation/cases/11')).toBe(1));
  await waitForClaim();
  // From Dismiss to Warn, the next outcome.
  await user.keyboard('{ArrowRight}');
  expect(getRadio('Warn')).toBeChecked();
  await user.keyboard('{Control>}{Enter}{/Control}');
  // The server has not responded to the decision yet.
  expect(await findCaseHeading('Case 11: silent-badger')).toHaveFocus();
  expect(screen.getByRole('article', { name: 'Report 12, Random chat' })).toBeVisible();
  expect(server.count('GET', '/api/moderation/cases/11')).toBe(1);
  expect(screen.queryByRole('form')).toBeNull();
  // The row of case 8 in the queue.
  expect(screen.queryByRole('button', { name: /^brave-heron-7/ })).toBeNull();
  expect(findLastRequestBody(server, decisionRoute)).toEqual({
    version: versionAfterClaim,
    outcome: 'warned',
    rule: 'no_unwanted_sexual',
    facts:
      'On 20 November 2026 you went on with sexual messages or pictures that the other person had not asked for.',
  });
  // The queue no longer contains the decided case.
  server.routes[openQueueRoute] = createCaseListResponse(createThreeCases().slice(1));
  respond(aCase({ state: 'decided', version: 7 }));
  expect(await screen.findByText('Case 8 is decided.')).toBeInTheDocument();
});

it('previews the notices of a dismissal, and shows the empty queue after the decision of the last case', async () => {
  const { user, server } = await openForm([aCase()], { [decisionRoute]: aCase({ state: 'decided' }) });
  server.routes[openQueueRoute] = createCaseListResponse([]);
  await user.click(getRadio('Dismiss'));
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
])(
  'reopens the case in its newest state, with the input, when the server refuses with %s',
  async (code, message) => {
    const { user, server } = await openForm(createThreeCases(), {
      [decisionRoute]: new Refusal(409, { code, message }),
    });
    await user.click(getRadio('Warn'));
    await user.clear(getFactsField());
    await user.type(getFactsField(), 'You wrote the same insult to three people.');
    server.routes['GET /api/moderation/cases/8'] = aCase({ version: 9 });
    await user.click(screen.getByRole('button', { name: 'Warn' }));
    expect(await screen.findByText('What you wrote is kept. Please look again.')).toBeVisible();
    expect(within(getForm()).getByRole('alert')).toHaveTextContent(message);
    expect(await findCaseHeading('Case 8: brave-heron-7')).toBeVisible();
    expect(getFactsField()).toHaveValue('You wrote the same insult to three people.');
    expect(getRadio('Warn')).toBeChecked();
    server.routes[decisionRoute] = aCase({ state: 'decided' });
    await user.click(screen.getByRole('button', { name: 'Warn' }));
    expect(await findCaseHeading('Case 11: silent-badger')).toBeVisible();
    expect(findLastRequestBody(server, decisionRoute)).toMatchObject({ version: 9 });
  },
);

it('stays in the next case if its form is open when the decision of case 8 fails, and links to case 8', async () => {
  let respond = (_: object): void => undefined;
  const { user } = await openForm(createThreeCases(), {
    [decisionRoute]: () => new Promise<object>((resolve) => (respond = resolve)),
  });
  await user.click(getRadio('Warn'));
  await user.click(screen.getByRole('button', { name: 'Warn' }));
  await findCaseHeading('Case 11: silent-badger');
  await user.keyboard('d');
  await screen.findByRole('form');
  respond(new Refusal(409, { message: 'Someone else has changed this case. Please look again.' }));
  expect(await screen.findByText(/^Case 8 was not decided\. Someone else/)).toBeVisible();
  expect(await findCaseHeading('Case 11: silent-badger')).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'Go to case 8' }));
  expect(await findCaseHeading('Case 8: brave-heron-7')).toBeVisible();
  expect(getRadio('Warn')).toBeChecked();
});

it('shows errors for a suspension without an end and for facts that are too short, and sends nothing', async () => {
  const { user, server } = await openForm();
  await user.click(getRadio('Suspend'));
  await user.click(getRadio('Custom'));
  await user.clear(getFactsField());
  await user.type(getFactsField(), 'Too short');
  await user.click(screen.getByRole('button', { name: 'Suspend' }));
  expect(screen.getByText('Choose a time between 1 hour and 365 days from now.')).toBeVisible();
  expect(getFactsField()).toHaveAccessibleDescription(/At least 20 characters\./);
  expect(server.count('POST', '/api/moderation/cases/8/decision')).toBe(0);
});

it('sends the ids of the images to block', async () => {
  const { user, server } = await openForm(createThreeCases(), {
    [decisionRoute]: aCase({ state: 'decided' }),
  });
  await user.click(getRadio('Ban'));
  expect(getForm()).toHaveTextContent('The ban acts at once. Another moderator confirms it within 72 hours.');
  await user.click(screen.getByRole('checkbox', { name: 'Image 1' }));
  await user.click(screen.getByRole('button', { name: 'Ban' }));
  await waitFor(() =>
    expect(findLastRequestBody(server, decisionRoute)).toMatchObject({ outcome: 'banned', blockImages: [1] }),
  );
});

it('shows the moderator who imposed a ban and the facts of the ban, and sends the confirmation', async () => {
  const decidedAt = '2026-11-20T22:00:00.000Z';
  const { user, server } = await openForm(
    [
      aCase({
        kind: 'confirmation',
        history: [
          {
            kind: 'decision',
            at: decidedAt,
            // The moderator whom `showModeration` names mod-two.
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
  await waitFor(() => expect(getForm()).toHaveTextContent('mod-two banned this person.'));
  expect(getForm()).toHaveTextContent('You insulted them.');
  await user.click(getRadio('Confirm'));
  await waitForClaim();
  await user.click(screen.getByRole('button', { name: 'Confirm the ban' }));
  await waitFor(() =>
    expect(findLastRequestBody(server, 'POST /api/moderation/cases/8/confirmation')).toEqual({
      version: versionAfterClaim,
      isConfirmed: true,
    }),
  );
});

it('decides the open appeal of a case, with an answer', async () => {
  const filedAt = '2026-11-20T22:00:00.000Z';
  const appeal = {
    kind: 'appeal',
    at: filedAt,
    noticeId: 41,
    appellantId: 9,
    words: 'It was not me.',
  } as const;
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
  expect(getForm()).toHaveTextContent('It was not me.');
  await waitForClaim();
  await user.click(getRadio('Reverse'));
  await user.type(screen.getByRole('textbox', { name: 'Answer' }), 'You were right about the date.');
  expect(screen.getByRole('group', { name: 'What the person sees' })).toHaveTextContent(
    'Your appealThe decision was reversed.You were right about the date.',
  );
  await user.click(screen.getByRole('button', { name: 'Reverse the decision' }));
  await waitFor(() =>
    expect(findLastRequestBody(server, 'PUT /api/moderation/appeals/77')).toEqual({
      version: versionAfterClaim,
      outcome: 'reversed',
      answer: 'You were right about the date.',
    }),
  );
});
