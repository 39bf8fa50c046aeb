import { screen, waitFor, within } from '@testing-library/react';
import { Refusal } from '@/testing/fake-server';
import { aCase, aModeratedPerson, anEvidence, anEvidenceMessage } from '@/testing/moderation-factories';
import { caseHeading, showModeration } from '@/testing/moderation-page';
import { useToasts } from '@/ui/toast-store';

const imageUrl = '/api/moderation/cases/8/images/1';
const personUrl = '/api/moderation/people/9';

beforeEach(() => {
  jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  useToasts.setState({ shown: null });
  Object.assign(URL, { createObjectURL: () => 'blob:image', revokeObjectURL: jest.fn() });
});
afterEach(() => jest.restoreAllMocks());

/** Opens case 8; its image answers with a picture. */
const open = async (changes = {}, routes = {}) => {
  const page = showModeration([aCase(changes)], '?case=8', routes);
  await caseHeading('Case 8: brave-heron-7');
  const { fetch: answerJson } = globalThis;
  let imageCalls = 0;
  Object.assign(globalThis, {
    fetch: async (url: string, options?: RequestInit) => {
      if (url !== imageUrl || imageUrl in page.server.routes) return answerJson(url, options);
      imageCalls += 1;
      return { ok: true, status: 200, blob: async () => new Blob(['picture']) };
    },
  });
  return { ...page, imageCalls: () => imageCalls };
};
const getEvidence = () => screen.getByRole('article', { name: 'Report 12, Random chat' });
const button = (name: string) => screen.getByRole('button', { name });

it('shows marked messages first, with all versions, and a link to them in their place', async () => {
  const { user } = await open();
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

it('dates the messages of another day than that of the first one', async () => {
  const messages = [
    anEvidenceMessage({ id: '1-0', senderId: 21 }),
    anEvidenceMessage({ id: '2-0', at: '2026-11-22T12:00:00.000Z' }),
  ];
  await open({ evidence: [anEvidence({ messages })] });
  const [first, second] = within(getEvidence()).getAllByRole('listitem');
  expect(first!.querySelector('time')).not.toHaveTextContent('2026');
  expect(second!.querySelector('time')).toHaveTextContent(/22.*2026/);
});

it('loads an image only when it is pressed, and again after it was covered', async () => {
  const { user, imageCalls } = await open();
  expect(screen.queryByRole('img')).toBeNull();
  await user.click(button('Show image 1'));
  expect(await screen.findByRole('img', { name: 'Image 1 of the evidence' })).toHaveAttribute(
    'src',
    'blob:image',
  );
  expect(imageCalls()).toBe(1);
  await user.click(button('Cover image'));
  expect(screen.queryByRole('img')).toBeNull();
  await user.click(button('Show image 1'));
  await screen.findByRole('img');
  expect(imageCalls()).toBe(2);
});

it('asks for confirmation before it shows an image of a case about a minor', async () => {
  const { user, imageCalls } = await open({ categories: { minor: 1 } });
  await user.click(button('Show image 1'));
  expect(screen.getByRole('alert')).toHaveTextContent('You are about to open sealed material.');
  expect(button('Keep it covered')).toHaveFocus();
  await user.click(button('Keep it covered'));
  expect(imageCalls()).toBe(0);
  await user.click(button('Show image 1'));
  await user.click(button('Open it'));
  await screen.findByRole('img');
  expect(imageCalls()).toBe(1);
});

it('says that an image no longer exists', async () => {
  const { user } = await open({}, { [`GET ${imageUrl}`]: new Refusal(404), [imageUrl]: undefined });
  await user.click(button('Show image 1'));
  expect(await screen.findByText('The image is no longer stored.')).toBeVisible();
});

it('shows the reports with words and accuracy, and the person', async () => {
  await open();
  expect(screen.getByRole('list', { name: 'Reports' })).toHaveTextContent(
    /Sexualby quiet-otter-42.*did not stop4 of their 5 decided reports led to action/,
  );
  const person = await screen.findByRole('region', { name: 'Person' });
  await waitFor(() => expect(person).toHaveTextContent('StandingGood standing'));
  expect(person).toHaveTextContent(/Anonymous, \d+ days old/);
  expect(person).toHaveTextContent('Matches40Reports per 100 matches5');
  expect(person).toHaveTextContent('Reports made1 (1 of 1 decided led to action)');
});

it('lifts a sanction in force, with a reason', async () => {
  const sanction = {
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
  const { user, server } = await open(
    {},
    {
      [`GET ${personUrl}`]: aModeratedPerson({
        sanctions: [sanction, { ...sanction, id: 71, liftedAt: sanction.from }],
      }),
      'POST /api/moderation/sanctions/70/lift': aCase(),
    },
  );
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

it('holds the data of a person; a refusal keeps the dialog and the reason', async () => {
  const { user, server } = await open(
    {},
    { [`PUT ${personUrl}/hold`]: new Refusal(503, { message: 'Busy.' }) },
  );
  await user.click(await screen.findByRole('button', { name: 'Hold the data…' }));
  const reason = screen.getByRole('textbox', { name: 'Reason' });
  await user.type(reason, 'asked by a court');
  await user.click(button('Hold'));
  expect(await screen.findByText('Busy.')).toBeVisible();
  expect(reason).toHaveValue('asked by a court');
  server.routes[`PUT ${personUrl}/hold`] = aModeratedPerson({ isHeld: true });
  server.routes[`GET ${personUrl}`] = aModeratedPerson({ isHeld: true });
  await user.click(button('Hold'));
  expect(await screen.findByRole('button', { name: 'Lift the hold…' })).toBeVisible();
  expect(server.calls.at(-1)?.url).not.toBe('');
  expect(server.calls).toContainEqual({
    method: 'PUT',
    url: `${personUrl}/hold`,
    body: { isHeld: true, reason: 'asked by a court' },
  });
});

it('shows the history, and adds a note', async () => {
  const at = '2026-11-20T22:00:00.000Z';
  const { user, server } = await open(
    {
      history: [
        { kind: 'opened', at },
        { kind: 'decision', at, moderatorId: null, outcome: 'suspended', rule: 'no_hate', facts: null },
        { kind: 'note', at, moderatorId: 4, text: 'seen before' },
      ],
    },
    { 'POST /api/moderation/cases/8/notes': { version: 6 } },
  );
  const list = screen.getByRole('list', { name: 'History' });
  await waitFor(() => expect(list).toHaveTextContent(/Noteby mod-two, .*seen before/));
  expect(list).toHaveTextContent(
    /Case opened.*Decision: Suspendedautomatic, .*No hate\.The text is erased\./,
  );
  await user.type(screen.getByRole('textbox', { name: 'Add a note' }), 'ask the others');
  await user.click(button('Save note'));
  await waitFor(() => expect(screen.getByRole('textbox', { name: 'Add a note' })).toHaveValue(''));
  expect(server.calls).toContainEqual({
    method: 'POST',
    url: '/api/moderation/cases/8/notes',
    body: { text: 'ask the others' },
  });
  expect(server.count('GET', '/api/moderation/cases/8')).toBe(2);
});

it('escalates with a reason', async () => {
  const { user, server } = await open(
    {},
    { 'POST /api/moderation/cases/8/escalation': aCase({ state: 'escalated' }) },
  );
  await user.click(button('Escalate…'));
  await user.type(screen.getByRole('textbox', { name: 'Reason' }), 'I know them');
  await user.click(button('Escalate'));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(server.calls).toContainEqual({
    method: 'POST',
    url: '/api/moderation/cases/8/escalation',
    body: { version: 5, reason: 'I know them' },
  });
});

it('leaves the decision to others when the moderator is involved', async () => {
  await open({ excludes: [3] });
  expect(screen.getByText(/^Another moderator has to decide this case/)).toBeVisible();
  expect(button('Decide')).toBeDisabled();
});

it('offers the newest state when the queue has one, and counts what is new in it', async () => {
  const known = aCase();
  const { user, server } = await open(
    {},
    {
      'GET /api/moderation/cases?state=open&limit=50': {
        cases: [{ ...known, version: 6 }],
        nextCursor: null,
      },
    },
  );
  expect(await screen.findByText('This case has changed since you opened it.')).toBeVisible();
  const [report] = known.reports;
  server.routes['GET /api/moderation/cases/8'] = aCase({
    version: 6,
    reports: [...known.reports, { ...report!, id: 13 }],
    evidence: [anEvidence(), anEvidence({ reportId: 13 })],
  });
  await user.click(button('Show the newest'));
  expect(await screen.findByText('A report came in since you opened this case.')).toBeVisible();
});

it('says that there is no such case', async () => {
  showModeration([], '?case=77');
  expect(await screen.findByText('There is no such case.')).toBeVisible();
});
