import { screen, waitFor, within } from '@testing-library/react';
import { Refusal } from '@/testing/fake-server';
import { aCase, aModeratedPerson, anEvidence, anEvidenceMessage } from '@/testing/moderation-factories';
import {
  createCaseListResponse,
  findCaseHeading,
  moderatorId,
  openQueueRoute,
  showModeration,
} from '@/testing/moderation-page';
import { useToasts } from '@/ui/toast-store';

const imageUrl = '/api/moderation/cases/8/images/1';
const personUrl = '/api/moderation/people/9';

beforeEach(() => {
  // The page logs refused requests.
  jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  useToasts.setState({ shown: null });
  // jsdom has neither function.
  Object.assign(URL, { createObjectURL: () => 'blob:image', revokeObjectURL: jest.fn() });
});
afterEach(() => jest.restoreAllMocks());

/**
 * Opens case 8, which is about user 9.
 * @param changes of the case
 * @param routes further routes of the server, or replacements
 */
const openCase = async ({ changes = {}, routes = {} } = {}) => {
  const page = showModeration([aCase(changes)], '?case=8', routes);
  await findCaseHeading('Case 8: brave-heron-7');
  return page;
};
/**
 * Serves the image of the opened case. The server of `openCase` cannot do this, because it responds with JSON only.
 * @returns a function that counts the requests for the image
 */
const serveImage = (): (() => number) => {
  const { fetch: fetchJson } = globalThis;
  let requestCount = 0;
  Object.assign(globalThis, {
    fetch: async (url: string, options?: RequestInit) => {
      if (url !== imageUrl) return fetchJson(url, options);
      requestCount += 1;
      return { ok: true, status: 200, blob: async () => new Blob(['picture']) };
    },
  });
  return () => requestCount;
};
const getEvidence = () => screen.getByRole('article', { name: 'Report 12, Random chat' });
const getButton = (name: string) => screen.getByRole('button', { name });

// The patterns below have no spaces between the texts of neighbouring elements, because the DOM has none.

it('shows marked messages first, with all versions, and links to them at their places in the chat', async () => {
  const { user } = await openCase();
  const marked = within(getEvidence()).getByRole('list', { name: 'Marked by the reporter' });
  expect(marked).toHaveTextContent(
    /brave-heron-7reported.*Version 1 of 2first wordsVersion 2 of 2last words/,
  );
  const rest = within(getEvidence()).getByRole('list', { name: 'In order' });
  expect(rest).toHaveTextContent(/hello there.*Marked message of .* shown above.*please stop/);
  expect(getEvidence()).toHaveTextContent('3 earlier messages are not included.');
  await user.click(within(rest).getByRole('link'));
  expect(within(marked).getByRole('listitem')).toHaveFocus();
});

it('shows the date of a message only if it was sent on another day than the first one', async () => {
  const messages = [
    anEvidenceMessage({ id: '1-0', senderId: 21 }),
    anEvidenceMessage({ id: '2-0', at: '2026-11-22T12:00:00.000Z' }),
  ];
  await openCase({ changes: { evidence: [anEvidence({ messages })] } });
  const [first, second] = within(getEvidence()).getAllByRole('listitem');
  expect(first!.querySelector('time')).not.toHaveTextContent('2026');
  expect(second!.querySelector('time')).toHaveTextContent(/22.*2026/);
});

it('loads an image only when its button is pressed, and again after it was covered', async () => {
  const { user } = await openCase();
  const countImageRequests = serveImage();
  expect(screen.queryByRole('img')).toBeNull();
  await user.click(getButton('Show image 1'));
  expect(await screen.findByRole('img', { name: 'Image 1 of the evidence' })).toHaveAttribute(
    'src',
    'blob:image',
  );
  expect(countImageRequests()).toBe(1);
  await user.click(getButton('Cover image'));
  expect(screen.queryByRole('img')).toBeNull();
  await user.click(getButton('Show image 1'));
  await screen.findByRole('img');
  expect(countImageRequests()).toBe(2);
});

it('asks for confirmation before it shows an image of a case about a minor', async () => {
  const { user } = await openCase({ changes: { categories: { minor: 1 } } });
  const countImageRequests = serveImage();
  await user.click(getButton('Show image 1'));
  expect(screen.getByRole('alert')).toHaveTextContent('You are about to open sealed material.');
  expect(getButton('Keep it covered')).toHaveFocus();
  await user.click(getButton('Keep it covered'));
  expect(countImageRequests()).toBe(0);
  await user.click(getButton('Show image 1'));
  await user.click(getButton('Open it'));
  await screen.findByRole('img');
  expect(countImageRequests()).toBe(1);
});

it('says that an image is no longer stored when the server does not find it', async () => {
  const { user } = await openCase({ routes: { [`GET ${imageUrl}`]: new Refusal(404) } });
  await user.click(getButton('Show image 1'));
  expect(await screen.findByText('The image is no longer stored.')).toBeVisible();
});

it('shows the reports, the accuracy of their reporters, and the person', async () => {
  await openCase();
  expect(screen.getByRole('list', { name: 'Reports' })).toHaveTextContent(
    /Sexualby quiet-otter-42.*did not stop4 of their 5 decided reports led to action/,
  );
  const person = await screen.findByRole('region', { name: 'Person' });
  await waitFor(() => expect(person).toHaveTextContent('StandingGood standing'));
  expect(person).toHaveTextContent(/Anonymous, \d+ days old/);
  expect(person).toHaveTextContent('Matches40Reports per 100 matches5');
  expect(person).toHaveTextContent('Reports made1 (1 of 1 decided led to action)');
});

it('lifts the sanction that is in force, with a reason', async () => {
  const sanctionInForce = {
    id: 70,
    kind: 'suspended',
    rule: 'no_hate',
    from: '2026-11-20T21:00:00.000Z',
    until: null,
    liftedAt: null,
    isAutomatic: true,
    isConfirmed: true,
    caseId: 8,
  } as const;
  const liftedSanction = { ...sanctionInForce, id: 71, liftedAt: '2026-11-20T22:00:00.000Z' };
  const { user, server } = await openCase({
    routes: {
      [`GET ${personUrl}`]: aModeratedPerson({ sanctions: [sanctionInForce, liftedSanction] }),
      'POST /api/moderation/sanctions/70/lift': aCase(),
    },
  });
  await user.click(await screen.findByRole('button', { name: 'Lift…' }));
  const dialog = screen.getByRole('dialog', { name: 'Lift this sanction' });
  expect(within(dialog).getByRole('button', { name: 'Lift' })).toBeDisabled();
  await user.type(within(dialog).getByRole('textbox', { name: 'Reason' }), 'wrong person');
  await user.click(within(dialog).getByRole('button', { name: 'Lift' }));
  await waitFor(() => expect(dialog).not.toBeInTheDocument());
  expect(server.calls).toContainEqual({
    method: 'POST',
    url: '/api/moderation/sanctions/70/lift',
    body: { reason: 'wrong person' },
  });
  expect(useToasts.getState().shown?.title).toBe('The sanction is lifted.');
});

it('keeps the reason for a legal hold when the server refuses it, so that the moderator can try again', async () => {
  const { user, server } = await openCase({
    routes: { [`PUT ${personUrl}/hold`]: new Refusal(503, { message: 'Busy.' }) },
  });
  await user.click(await screen.findByRole('button', { name: 'Hold the data…' }));
  const reason = screen.getByRole('textbox', { name: 'Reason' });
  await user.type(reason, 'asked by a court');
  await user.click(getButton('Hold'));
  expect(await screen.findByText('Busy.')).toBeVisible();
  expect(reason).toHaveValue('asked by a court');
  const heldPerson = aModeratedPerson({ isHeld: true });
  server.routes[`PUT ${personUrl}/hold`] = heldPerson;
  server.routes[`GET ${personUrl}`] = heldPerson;
  await user.click(getButton('Hold'));
  expect(await screen.findByRole('button', { name: 'Lift the hold…' })).toBeVisible();
  expect(server.calls).toContainEqual({
    method: 'PUT',
    url: `${personUrl}/hold`,
    body: { isHeld: true, reason: 'asked by a court' },
  });
});

it('shows the history of the case, with the names of moderators and without erased texts', async () => {
  const at = '2026-11-20T22:00:00.000Z';
  await openCase({
    changes: {
      history: [
        { kind: 'opened', at },
        // An automatic decision, whose facts are erased.
        { kind: 'decision', at, moderatorId: null, outcome: 'suspended', rule: 'no_hate', facts: null },
        // `showModeration` names moderator 4 mod-two.
        { kind: 'note', at, moderatorId: 4, text: 'seen before' },
        {
          kind: 'sanction',
          at,
          sanctionId: 9,
          sanction: 'suspended',
          rule: 'no_spam',
          until: null,
          isAutomatic: true,
          inheritedFrom: 70,
        },
      ],
    },
  });
  const list = screen.getByRole('list', { name: 'History' });
  await waitFor(() => expect(list).toHaveTextContent(/Noteby mod-two, .*seen before/));
  expect(list).toHaveTextContent(
    /Case opened.*Decision: Suspendedautomatic, .*No hate\.The text is erased\./,
  );
  expect(list).toHaveTextContent(/repeats sanction #70 of an earlier account/);
});

it('loads the case again after a note was added', async () => {
  const { user, server } = await openCase({
    routes: { 'POST /api/moderation/cases/8/notes': { version: 6 } },
  });
  await user.type(screen.getByRole('textbox', { name: 'Add a note' }), 'ask the others');
  await user.click(getButton('Save note'));
  await waitFor(() => expect(screen.getByRole('textbox', { name: 'Add a note' })).toHaveValue(''));
  expect(server.calls).toContainEqual({
    method: 'POST',
    url: '/api/moderation/cases/8/notes',
    body: { text: 'ask the others' },
  });
  expect(server.count('GET', '/api/moderation/cases/8')).toBe(2);
});

it('escalates the case, with a reason', async () => {
  const { user, server } = await openCase({
    routes: { 'POST /api/moderation/cases/8/escalation': aCase({ state: 'escalated' }) },
  });
  await user.click(getButton('Escalate…'));
  await user.type(screen.getByRole('textbox', { name: 'Reason' }), 'I know them');
  await user.click(getButton('Escalate'));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(server.calls).toContainEqual({
    method: 'POST',
    url: '/api/moderation/cases/8/escalation',
    body: { version: aCase().version, reason: 'I know them' },
  });
});

it('offers neither the claim nor the decision to a moderator who may not decide the case', async () => {
  const { user, server } = await openCase({ changes: { excludes: [moderatorId] } });
  expect(screen.getByText(/^Another moderator has to decide this case/)).toBeVisible();
  expect(getButton('Claim')).toBeDisabled();
  expect(getButton('Decide')).toBeDisabled();
  await user.keyboard('c'); // the shortcut of Claim
  expect(server.count('POST', '/api/moderation/cases/8/claim')).toBe(0);
});

it('offers to load the newer version of a case that the queue lists, and then says that a report came in', async () => {
  const openedCase = aCase();
  const { user, server } = await openCase({
    routes: {
      [openQueueRoute]: createCaseListResponse([{ ...openedCase, version: 6 }]),
    },
  });
  expect(await screen.findByText('This case has changed since you opened it.')).toBeVisible();
  const [report] = openedCase.reports;
  server.routes['GET /api/moderation/cases/8'] = aCase({
    version: 6,
    reports: [...openedCase.reports, { ...report!, id: 13 }],
    evidence: [anEvidence(), anEvidence({ reportId: 13 })],
  });
  await user.click(getButton('Show the newest'));
  expect(await screen.findByText('A report came in since you opened this case.')).toBeVisible();
});

it('says that there is no such case when the address has an unknown id', async () => {
  showModeration([], '?case=77');
  expect(await screen.findByText('There is no such case.')).toBeVisible();
});
