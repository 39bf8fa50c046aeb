import { type ModerationCase } from '@thaw/contract/moderation';
import { screen, waitFor, within } from '@testing-library/react';
import { type UserEvent } from '@testing-library/user-event';
import { Refusal } from '@/testing/fake-server';
import { aCase } from '@/testing/moderation-factories';
import {
  findCaseHeading,
  openQueueRoute,
  createCaseListResponse,
  showModeration,
  createThreeCases,
} from '@/testing/moderation-page';

// The page logs decisions that could not be sent.
beforeEach(() => jest.spyOn(console, 'warn').mockImplementation(() => undefined));
afterEach(() => jest.restoreAllMocks());

const decisionRoute = 'POST /api/moderation/cases/8/decision' as const;

/** The version of the case with which the server of `showModeration` responds to a claim. */
const versionAfterClaim = 6;

const templateOfNoHate = 'On 20 November 2026 you insulted somebody for who they are.';
const editedFacts = 'You wrote the same insult to three people.';

interface FormOptions {
  /** Case 8 and the further cases of the queue. */
  cases?: ModerationCase[];
  routes?: Parameters<typeof showModeration>[2];
}

/** Opens case 8 and its decision form, which claims the case: no other moderator can then decide it. */
const openForm = async ({ cases = createThreeCases(), routes = {} }: FormOptions = {}) => {
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
const replaceFacts = async (user: UserEvent, facts: string): Promise<void> => {
  await user.clear(getFactsField());
  await user.type(getFactsField(), facts);
};
/** Moves from Dismiss, which has the focus in the opened form, to the next choice, Warn, and sends the decision. */
const warnWithKeyboard = async (user: UserEvent): Promise<void> => {
  await user.keyboard('{ArrowRight}');
  expect(getRadio('Warn')).toBeChecked();
  await user.keyboard('{Control>}{Enter}{/Control}');
};
/** Creates a response to a decision, which the server does not send until `respond` is called. */
const createHeldResponse = () => {
  let respond: (response: object) => void = () => undefined;
  const response = new Promise<object>((resolve) => (respond = resolve));
  return { respond, routes: { [decisionRoute]: () => response } };
};
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

it('previews the notice while the form is filled in', async () => {
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
  await replaceFacts(user, editedFacts);
  expect(preview).toHaveTextContent(`${editedFacts}Rule: No hate.`);
});

it('fills in the facts from the template of the rule, and offers the template again once they are edited', async () => {
  const { user } = await openForm();
  await user.click(getRadio('Suspend'));
  await user.selectOptions(screen.getByRole('combobox', { name: 'Rule' }), 'No hate.');
  expect(getFactsField()).toHaveValue(templateOfNoHate);
  await replaceFacts(user, editedFacts);
  await user.click(screen.getByRole('button', { name: 'Use the template' }));
  expect(getFactsField()).toHaveValue(templateOfNoHate);
});

it('counts the characters of the facts', async () => {
  const { user } = await openForm();
  await user.click(getRadio('Suspend'));
  await replaceFacts(user, editedFacts);
  expect(screen.getByText(`${editedFacts.length} of 1000`)).toBeVisible();
});

it('focuses the heading of the case when its form is closed without a decision', async () => {
  const { user } = await openForm();
  await waitForClaim();
  await user.keyboard('{Escape}');
  expect(await findCaseHeading('Case 8: brave-heron-7')).toHaveFocus();
});

it('sends the decision with the keyboard only', async () => {
  const { user, server } = await openForm({ routes: { [decisionRoute]: aCase({ state: 'decided' }) } });
  await waitForClaim();
  await warnWithKeyboard(user);
  await waitFor(() =>
    expect(findLastRequestBody(server, decisionRoute)).toEqual({
      version: versionAfterClaim,
      outcome: 'warned',
      rule: 'no_unwanted_sexual',
      facts:
        'On 20 November 2026 you went on with sexual messages or pictures that the other person had not asked for.',
    }),
  );
});

it('shows the preloaded next case, and hides the decided one, before the server responds', async () => {
  const { respond, routes } = createHeldResponse();
  const { user, server } = await openForm({ routes });
  await waitFor(() => expect(server.count('GET', '/api/moderation/cases/11')).toBe(1));
  await waitForClaim();
  await warnWithKeyboard(user);
  expect(await findCaseHeading('Case 11: silent-badger')).toHaveFocus();
  // The report of case 11 is visible although the case is not requested again: it was preloaded.
  expect(screen.getByRole('article', { name: 'Report 12, Random chat' })).toBeVisible();
  expect(server.count('GET', '/api/moderation/cases/11')).toBe(1);
  expect(screen.queryByRole('form')).toBeNull();
  // The row of case 8 in the queue.
  expect(screen.queryByRole('button', { name: /^brave-heron-7/ })).toBeNull();
  // The queue no longer contains the decided case.
  server.routes[openQueueRoute] = createCaseListResponse(createThreeCases().slice(1));
  respond(aCase({ state: 'decided', version: 7 }));
  expect(await screen.findByText('Case 8 is decided.')).toBeInTheDocument();
});

it('previews a dismissal: no notice for the person, and the notice for the reporters', async () => {
  const { user } = await openForm();
  await user.click(getRadio('Dismiss'));
  expect(screen.getByText('The person gets no notice.')).toBeVisible();
  expect(screen.getByRole('group', { name: 'What the reporters see' })).toHaveTextContent(
    'We found no breach.',
  );
});

it('shows the empty queue after the decision of the last case', async () => {
  const { user, server } = await openForm({
    cases: [aCase()],
    routes: { [decisionRoute]: aCase({ state: 'decided' }) },
  });
  server.routes[openQueueRoute] = createCaseListResponse([]);
  await user.click(getRadio('Dismiss'));
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
    const { user, server } = await openForm({
      routes: { [decisionRoute]: new Refusal(409, { code, message }) },
    });
    await user.click(getRadio('Warn'));
    await replaceFacts(user, editedFacts);
    // The newest state, which the page requests after the refusal.
    server.routes['GET /api/moderation/cases/8'] = aCase({ version: 9 });
    await user.click(screen.getByRole('button', { name: 'Warn' }));
    expect(await screen.findByText('What you wrote is kept. Please look again.')).toBeVisible();
    expect(within(getForm()).getByRole('alert')).toHaveTextContent(message);
    expect(await findCaseHeading('Case 8: brave-heron-7')).toBeVisible();
    expect(getFactsField()).toHaveValue(editedFacts);
    expect(getRadio('Warn')).toBeChecked();
    // A second attempt sends the newest version, which the server accepts.
    server.routes[decisionRoute] = aCase({ state: 'decided' });
    await user.click(screen.getByRole('button', { name: 'Warn' }));
    expect(await findCaseHeading('Case 11: silent-badger')).toBeVisible();
    expect(findLastRequestBody(server, decisionRoute)).toMatchObject({ version: 9 });
  },
);

it('stays in the next case, whose form is open, when the decision of case 8 fails, and links to case 8', async () => {
  const { respond, routes } = createHeldResponse();
  const { user } = await openForm({ routes });
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
  await replaceFacts(user, 'Too short');
  await user.click(screen.getByRole('button', { name: 'Suspend' }));
  expect(screen.getByText('Choose a time between 1 hour and 365 days from now.')).toBeVisible();
  expect(getFactsField()).toHaveAccessibleDescription(/At least 20 characters\./);
  expect(server.count('POST', '/api/moderation/cases/8/decision')).toBe(0);
});

it('says that another moderator confirms a ban', async () => {
  const { user } = await openForm();
  await user.click(getRadio('Ban'));
  expect(getForm()).toHaveTextContent('The ban acts at once. Another moderator confirms it within 72 hours.');
});

it('sends the ids of the images to block', async () => {
  const { user, server } = await openForm({ routes: { [decisionRoute]: aCase({ state: 'decided' }) } });
  await user.click(getRadio('Ban'));
  await user.click(screen.getByRole('checkbox', { name: 'Image 1' }));
  await user.click(screen.getByRole('button', { name: 'Ban' }));
  await waitFor(() =>
    expect(findLastRequestBody(server, decisionRoute)).toMatchObject({ outcome: 'banned', blockImages: [1] }),
  );
});

it('shows the moderator who imposed a ban and the facts of the ban, and sends the confirmation', async () => {
  const ban = {
    kind: 'decision',
    at: '2026-11-20T22:00:00.000Z',
    moderatorId: 4, // whom `showModeration` names mod-two
    outcome: 'banned',
    rule: 'no_hate',
    facts: 'You insulted them.',
  } as const;
  const { user, server } = await openForm({
    cases: [aCase({ kind: 'confirmation', history: [ban] })],
    routes: { 'POST /api/moderation/cases/8/confirmation': {} },
  });
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
  const appeal = {
    kind: 'appeal',
    at: '2026-11-20T22:00:00.000Z',
    noticeId: 41,
    appellantId: 9,
    words: 'It was not me.',
  } as const;
  const history: ModerationCase['history'] = [
    { ...appeal, appealId: 76, state: 'decided' },
    { ...appeal, appealId: 77, state: 'open' },
  ];
  const { user, server } = await openForm({
    cases: [aCase({ kind: 'appeal', history })],
    routes: { 'PUT /api/moderation/appeals/77': {} },
  });
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
