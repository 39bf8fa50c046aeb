import { generateKeyPairSync, sign, webcrypto, type KeyObject } from 'node:crypto';
import { act, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { type Receipt, type ReceiptContent } from '@thaw/contract/my-data';
import { MemoryRouter } from 'react-router-dom';
import { ReceiptPage } from '@/features/my-data/receipt/components/receipt-page';
import { fakeServer, Refusal } from '@/testing/fake-server';
import { renderWithCache } from '@/testing/with-cache';

// A receipt states what the deletion of an account erased and kept. It is a JWS, which the server has signed.

/** Ids of receipts are 22 characters of base64url. */
const receiptId = 'AAAAAAAAAAAAAAAAAAAAAA';
const receiptRoute = `GET /api/receipts/${receiptId}` as const;
const keysRoute = 'GET /api/receipts/keys';
const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const serverKey = { ...publicKey.export({ format: 'jwk' }), kid: 'k1', use: 'sig', alg: 'EdDSA' };
const keysResponse = { keys: [serverKey] };

const content: ReceiptContent = {
  v: 1,
  receiptId,
  userId: 7,
  reason: 'asked',
  requestedAt: '2026-11-23T20:00:00.000Z',
  finishedAt: '2026-11-23T20:00:12.000Z',
  erased: {
    personalFields: 412,
    randomChats: 31,
    privateMessages: 0,
    images: 8,
    friendships: 3,
    requests: 0,
    blocks: 0,
    sessions: 1,
    redisKeys: 5,
  },
  kept: [],
  horizons: { backupsDays: 7, browserCachesHours: 24, appendOnlyFileMinutes: 60, logsDays: 30 },
};
const encodeBase64Url = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const validHeader = { alg: 'EdDSA', kid: 'k1', typ: 'thaw-receipt' };
/** Builds the JWS of a receipt, by default a valid one that the server has signed. */
const signReceipt = ({
  payload = content,
  header = validHeader,
  key = privateKey,
}: { payload?: object; header?: object; key?: KeyObject } = {}): string => {
  const signedText = `${encodeBase64Url(header)}.${encodeBase64Url(payload)}`;
  return `${signedText}.${sign(null, Buffer.from(signedText), key).toString('base64url')}`;
};

const nothingRemaining = { personalFields: 0, uploads: 0, sessions: 0, credentials: 0, devices: 0, total: 0 };
/** The response to `receiptRoute` while the deletion is running. */
const runningResponse: Receipt = {
  state: 'running',
  requestedAt: content.requestedAt,
  receipt: null,
  content: null,
  remaining: { ...nothingRemaining, personalFields: 3, total: 3 },
};
/** Creates the response to `receiptRoute` after the deletion. */
const createDoneResponse = (changes: Partial<Receipt> = {}): Receipt => ({
  ...runningResponse,
  state: 'done',
  receipt: signReceipt(),
  content,
  remaining: nothingRemaining,
  ...changes,
});

const showReceiptPage = (id: string | null = receiptId) =>
  renderWithCache(
    <MemoryRouter>
      <ReceiptPage receiptId={id} />
    </MemoryRouter>,
  );
const findHeading = (name: string) => screen.findByRole('heading', { level: 1, name });
/** What `fetch` does when the server is unreachable. */
const failToFetch = () => Promise.reject(new TypeError('Failed to fetch'));

// The page logs a warning when a receipt could not be checked.
beforeAll(() => jest.spyOn(console, 'warn').mockImplementation(() => undefined));
// jsdom has no `crypto.subtle`.
beforeEach(() => Object.defineProperty(globalThis, 'crypto', { value: webcrypto, configurable: true }));
afterEach(() => jest.useRealTimers());

describe('the title of the tab', () => {
  beforeEach(() => {
    document.title = '';
    fakeServer({});
  });

  it.each([
    { address: 'with a malformed id', id: 'x', heading: 'No such receipt' },
    { address: 'without an id', id: null, heading: 'Receipt' },
  ])('is the heading "$heading" for an address $address', ({ id, heading }) => {
    showReceiptPage(id);
    expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent(heading);
    expect(document.title).toBe(`${heading} · Thaw`);
  });

  it('is Receipt before the receipt is loaded', () => {
    showReceiptPage();
    expect(screen.queryByRole('heading')).toBeNull();
    expect(document.title).toBe('Receipt · Thaw');
  });
});

describe('the page of a running deletion', () => {
  const longerThanPollIntervalMs = 3_000;

  beforeEach(() => jest.useFakeTimers({ now: Date.parse(content.requestedAt) }));

  const passTime = (ms: number) => act(() => jest.advanceTimersByTimeAsync(ms));
  const getStatus = () => screen.getByRole('status');
  /** Shows the page right after the deletion was requested. @returns the server */
  const showRunningDeletion = async () => {
    const server = fakeServer({ [receiptRoute]: runningResponse });
    showReceiptPage();
    expect(await findHeading('Your account is being deleted')).toHaveFocus();
    return server;
  };

  it('shows the progress, and says that the user may close it', async () => {
    await showRunningDeletion();
    expect(screen.getByRole('progressbar', { name: 'Deletion in progress' })).toBeVisible();
    expect(getStatus()).toHaveTextContent('You may close this page.');
  });

  it('reports a delay a minute after the deletion was requested', async () => {
    await showRunningDeletion();
    await passTime(59_000);
    expect(getStatus()).toHaveTextContent('You may close this page.');
    await passTime(2_000);
    expect(getStatus()).toHaveTextContent('It takes longer than usual.');
  });

  it('continues to poll after a failed request, and stops when the deletion is done', async () => {
    const server = await showRunningDeletion();
    server.routes[receiptRoute] = failToFetch;
    await passTime(longerThanPollIntervalMs);
    expect(getStatus()).toHaveTextContent('The server does not answer at the moment.');
    server.routes[receiptRoute] = createDoneResponse();
    await passTime(longerThanPollIntervalMs);
    expect(await findHeading('Your account is deleted')).toHaveFocus();
    const callCount = server.calls.length;
    await passTime(60_000);
    expect(server.calls).toHaveLength(callCount);
  });
});

describe('the page of a receipt', () => {
  const findStoredData = async () =>
    within(await screen.findByRole('region', { name: 'What is stored about the account now' }));

  it('lists what was erased, and says that nothing was kept and nothing is stored', async () => {
    fakeServer({ [receiptRoute]: createDoneResponse() });
    showReceiptPage();
    const erased = within(await screen.findByRole('region', { name: 'Erased' }));
    // The counts of `content.erased` that are not 0.
    expect(erased.getAllByRole('definition').map((count) => count.textContent)).toEqual([
      '412',
      '31',
      '8',
      '3',
      '1',
      '5',
    ]);
    expect(screen.queryByRole('region', { name: 'Kept' })).toBeNull();
    expect((await findStoredData()).getByText('Nothing.')).toBeVisible();
  });

  it('counts the stored data again on request', async () => {
    const server = fakeServer({ [receiptRoute]: createDoneResponse() });
    showReceiptPage();
    const stored = await findStoredData();
    server.routes[receiptRoute] = createDoneResponse({
      remaining: { ...nothingRemaining, devices: 1, total: 1 },
    });
    await userEvent.click(stored.getByRole('button', { name: 'Count again' }));
    expect(await stored.findByText('Devices')).toBeVisible();
  });

  it('says what was kept, for each possible reason', async () => {
    const kept: ReceiptContent['kept'] = [
      { what: 'evidence of a report about you', why: 'legal_hold', until: null },
      { what: 'evidence of a report by you', why: 'open_case', until: null },
      { what: 'texts of decisions', why: 'appeal_window', until: '2027-05-22T12:00:00.000Z' },
      { what: 'texts of a sanction', why: 'sanction', until: null },
    ];
    const receipt = signReceipt({ payload: { ...content, kept } });
    fakeServer({ [receiptRoute]: createDoneResponse({ receipt }) });
    showReceiptPage();
    const list = within(await screen.findByRole('region', { name: 'Kept' })).getAllByRole('listitem');
    expect(list[0]).toHaveTextContent('evidence of a report about you as long as the law obliges us');
    expect(list[1]).toHaveTextContent('until the moderators have decided');
    expect(list[2]).toHaveTextContent(/until .*2027.*, as long as someone can appeal/);
    expect(list[3]).toHaveTextContent('as long as the decision applies');
  });

  it('has the heading "This account was deleted" for an anonymous account that expired', async () => {
    const receipt = signReceipt({ payload: { ...content, reason: 'inactive' } });
    fakeServer({ [receiptRoute]: createDoneResponse({ receipt }) });
    showReceiptPage();
    expect(await findHeading('This account was deleted')).toBeVisible();
  });

  it('says that there is no such receipt if the server does not know the id', async () => {
    fakeServer({}); // responds to every request with 404
    showReceiptPage();
    expect(await findHeading('No such receipt')).toBeVisible();
  });

  it('says that there is no such receipt for a malformed id, without a request', async () => {
    const server = fakeServer({});
    showReceiptPage('../user/7');
    expect(await findHeading('No such receipt')).toBeVisible();
    expect(server.calls).toHaveLength(0);
  });

  it.each([
    {
      failure: 'a failed request',
      response: failToFetch,
      text: 'The receipt could not be loaded.',
    },
    {
      failure: 'a refusal',
      response: new Refusal(429, { message: 'That was too fast.' }),
      text: 'The receipt could not be loaded.',
    },
    {
      failure: 'an unreadable receipt',
      response: createDoneResponse({ receipt: 'no.receipt.at-all' }),
      text: 'The server sent a receipt that cannot be read.',
    },
  ])('loads the receipt again on request after $failure', async ({ response, text }) => {
    const server = fakeServer({ [receiptRoute]: response });
    showReceiptPage();
    expect(await screen.findByRole('alert')).toHaveTextContent(text);
    server.routes[receiptRoute] = createDoneResponse();
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await findHeading('Your account is deleted')).toBeVisible();
  });
});

/** Matches every verdict on a receipt, and the message that the keys could not be loaded. */
const anyVerdict = /genuine|another key|could not be loaded/i;

/** Presses the button that checks the receipt, and waits for the verdict. */
const checkReceipt = async () => {
  await userEvent.click(await screen.findByRole('button', { name: 'Check this receipt' }));
  return screen.findByText(anyVerdict);
};

describe('the check of a receipt', () => {
  const otherServerKey = generateKeyPairSync('ed25519').privateKey;
  const [header, payload, signature] = signReceipt().split('.');
  const changedPayload = encodeBase64Url({ ...content, userId: 8 });

  it.each([
    ['the signature of this server', signReceipt(), /^Genuine/],
    ['changed content', `${header}.${changedPayload}.${signature}`, /^Not genuine/],
    ['the algorithm none', `${encodeBase64Url({ ...validHeader, alg: 'none' })}.${payload}.`, /^Not genuine/],
    ['an empty signature', `${header}.${payload}.`, /^Not genuine/],
    // A JWS has three parts.
    ['a fourth part', `${signReceipt()}.more`, /^Not genuine/],
    ['another type', signReceipt({ header: { ...validHeader, typ: 'JWT' } }), /^Not genuine/],
    ['the signature of another server', signReceipt({ key: otherServerKey }), /^Not genuine/],
    [
      'a key id that the server does not publish',
      signReceipt({ header: { ...validHeader, kid: 'k0' } }),
      /another key/,
    ],
    [
      'the id of another deletion',
      signReceipt({ payload: { ...content, receiptId: 'BBBBBBBBBBBBBBBBBBBBBB' } }),
      /^Not genuine: this is the receipt of another deletion/,
    ],
  ])('judges a receipt with %s', async (_title, receipt, verdict) => {
    fakeServer({ [receiptRoute]: createDoneResponse({ receipt }), [keysRoute]: keysResponse });
    showReceiptPage();
    expect((await checkReceipt()).textContent).toMatch(verdict);
  });

  it('can be repeated when the keys could not be loaded', async () => {
    const server = fakeServer({ [receiptRoute]: createDoneResponse(), [keysRoute]: failToFetch });
    showReceiptPage();
    expect(await checkReceipt()).toHaveTextContent('The key of the server could not be loaded.');
    server.routes[keysRoute] = keysResponse;
    await userEvent.click(screen.getByRole('button', { name: 'Check this receipt' }));
    expect(await screen.findByText(/^Genuine/)).toBeVisible();
  });

  it('is not offered in a browser without WebCrypto', async () => {
    Object.defineProperty(globalThis, 'crypto', { value: {}, configurable: true });
    fakeServer({ [receiptRoute]: createDoneResponse() });
    showReceiptPage();
    expect(await screen.findByRole('button', { name: 'Download receipt' })).toBeVisible();
    expect(screen.queryByRole('button', { name: 'Check this receipt' })).toBeNull();
  });
});

describe('a downloaded receipt', () => {
  /** Renders the page without an id in the address, and chooses a file with this content. */
  const openFile = async (file: object | string) => {
    showReceiptPage(null);
    const text = typeof file === 'string' ? file : JSON.stringify(file);
    // jsdom's `File` has no method `text`.
    const chosenFile = Object.assign(new File([text], 'receipt.json'), { text: () => Promise.resolve(text) });
    await userEvent.upload(screen.getByLabelText('Open a receipt'), chosenFile, { applyAccept: false });
  };

  it('is opened and checked without an id in the address', async () => {
    // The page also requests this receipt from the server, which counts what is still stored.
    fakeServer({ [receiptRoute]: createDoneResponse(), [keysRoute]: keysResponse });
    await openFile({ receipt: signReceipt(), content });
    expect(await findHeading('Your account is deleted')).toBeVisible();
    expect(await checkReceipt()).toHaveTextContent(/^Genuine/);
  });

  it('is not genuine when the readable copy of its signed content was changed', async () => {
    fakeServer({ [receiptRoute]: createDoneResponse(), [keysRoute]: keysResponse });
    await openFile({ receipt: signReceipt(), content: { ...content, userId: 8 } });
    expect(await checkReceipt()).toHaveTextContent(/^Not genuine/);
  });

  it.each([
    { defect: 'is not JSON', file: 'not JSON' },
    { defect: 'has an unreadable receipt', file: { receipt: 'a.b.c', content } },
    { defect: 'has invalid content', file: { receipt: signReceipt(), content: {} } },
    { defect: 'has neither a receipt nor content', file: {} },
  ])('is refused when the file $defect', async ({ file }) => {
    fakeServer({});
    await openFile(file);
    expect(await screen.findByRole('alert')).toHaveTextContent('This file is not a receipt.');
  });
});
