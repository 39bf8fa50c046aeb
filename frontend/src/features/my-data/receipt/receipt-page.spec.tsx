import { generateKeyPairSync, sign, webcrypto, type KeyObject } from 'node:crypto';
import { act, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { type Receipt, type ReceiptContent } from '@thaw/contract/my-data';
import { MemoryRouter } from 'react-router-dom';
import { ReceiptPage } from '@/features/my-data/receipt/components/receipt-page';
import { fakeServer, Refusal } from '@/testing/fake-server';
import { renderWithCache } from '@/testing/with-cache';

// A receipt is a signed statement of the server, in the form of a JWS, about the deletion of an account.

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
  const text = `${encodeBase64Url(header)}.${encodeBase64Url(payload)}`;
  return `${text}.${sign(null, Buffer.from(text), key).toString('base64url')}`;
};
const nothingLeft = { personalFields: 0, uploads: 0, sessions: 0, credentials: 0, devices: 0, total: 0 };
const runningReceipt: Receipt = {
  state: 'running',
  requestedAt: content.requestedAt,
  receipt: null,
  content: null,
  remaining: { ...nothingLeft, personalFields: 3, total: 3 },
};
const createDoneReceipt = (changes: Partial<Receipt> = {}): Receipt => ({
  ...runningReceipt,
  state: 'done',
  receipt: signReceipt(),
  content,
  remaining: nothingLeft,
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
    { state: 'for an id that no receipt can have', id: 'x', heading: 'No such receipt' },
    { state: 'without an id', id: null, heading: 'Receipt' },
  ])('is that of the heading, $heading, $state', ({ id, heading }) => {
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
  it('polls until the deletion is done, despite a failed request, and reports a delay after a minute', async () => {
    jest.useFakeTimers({ now: Date.parse(content.requestedAt) });
    const server = fakeServer({ [receiptRoute]: runningReceipt });
    showReceiptPage();
    expect(await findHeading('Your account is being deleted')).toHaveFocus();
    expect(screen.getByRole('progressbar', { name: 'Deletion in progress' })).toBeVisible();
    expect(screen.getByRole('status')).toHaveTextContent('You may close this page.');
    // 59 s after the deletion was requested
    await act(() => jest.advanceTimersByTimeAsync(59_000));
    expect(screen.getByRole('status')).toHaveTextContent('You may close this page.');
    // 61 s after it was requested
    await act(() => jest.advanceTimersByTimeAsync(2_000));
    expect(screen.getByRole('status')).toHaveTextContent('It takes longer than usual.');
    server.routes[receiptRoute] = failToFetch;
    await act(() => jest.advanceTimersByTimeAsync(longerThanPollIntervalMs));
    expect(screen.getByRole('status')).toHaveTextContent('The server does not answer at the moment.');
    server.routes[receiptRoute] = createDoneReceipt();
    await act(() => jest.advanceTimersByTimeAsync(longerThanPollIntervalMs));
    expect(await findHeading('Your account is deleted')).toHaveFocus();
    // No further request is sent.
    const callCount = server.calls.length;
    await act(() => jest.advanceTimersByTimeAsync(60_000));
    expect(server.calls).toHaveLength(callCount);
  });
});

describe('the page of a receipt', () => {
  it('lists what was erased and what is still stored, and counts the stored data again on request', async () => {
    const server = fakeServer({ [receiptRoute]: createDoneReceipt() });
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
    const stored = within(screen.getByRole('region', { name: 'What is stored about the account now' }));
    expect(stored.getByText('Nothing.')).toBeVisible();
    server.routes[receiptRoute] = createDoneReceipt({
      remaining: { ...nothingLeft, devices: 1, total: 1 },
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
    fakeServer({
      [receiptRoute]: createDoneReceipt({ receipt: signReceipt({ payload: { ...content, kept } }) }),
    });
    showReceiptPage();
    const list = within(await screen.findByRole('region', { name: 'Kept' })).getAllByRole('listitem');
    expect(list[0]).toHaveTextContent('evidence of a report about you as long as the law obliges us');
    expect(list[1]).toHaveTextContent('until the moderators have decided');
    expect(list[2]).toHaveTextContent(/until .*2027.*, as long as someone can appeal/);
    expect(list[3]).toHaveTextContent('as long as the decision applies');
  });

  it('has the heading "This account was deleted" for an anonymous account that expired', async () => {
    const receipt = signReceipt({ payload: { ...content, reason: 'inactive' } });
    fakeServer({ [receiptRoute]: createDoneReceipt({ receipt }) });
    showReceiptPage();
    expect(await findHeading('This account was deleted')).toBeVisible();
  });

  it('says that there is no such receipt, and sends no request if the id is not well-formed', async () => {
    // Responds to every request with 404.
    const server = fakeServer({});
    const { unmount } = showReceiptPage();
    expect(await findHeading('No such receipt')).toBeVisible();
    unmount();
    showReceiptPage('../user/7');
    expect(await findHeading('No such receipt')).toBeVisible();
    expect(server.calls).toHaveLength(1);
  });

  it('loads the receipt again on request after a failed request, a refusal, or an invalid receipt', async () => {
    const server = fakeServer({ [receiptRoute]: failToFetch });
    showReceiptPage();
    const retry = () => userEvent.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await screen.findByRole('alert')).toHaveTextContent('The receipt could not be loaded.');
    server.routes[receiptRoute] = new Refusal(429, { message: 'That was too fast.' });
    await retry();
    expect(await screen.findByRole('alert')).toHaveTextContent('The receipt could not be loaded.');
    server.routes[receiptRoute] = createDoneReceipt({ receipt: 'no.receipt.at-all' });
    await retry();
    expect(await screen.findByText('The server sent a receipt that cannot be read.')).toBeVisible();
    server.routes[receiptRoute] = createDoneReceipt();
    await retry();
    expect(await findHeading('Your account is deleted')).toBeVisible();
  });
});

/** Presses the button that checks the receipt, and waits for the verdict. */
const checkReceipt = async () => {
  await userEvent.click(await screen.findByRole('button', { name: 'Check this receipt' }));
  return screen.findByText(/genuine|another key|could not be loaded/i);
};

describe('the check of a receipt', () => {
  const otherServerKey = generateKeyPairSync('ed25519').privateKey;
  const [header, , signature] = signReceipt().split('.');
  const changedContent = encodeBase64Url({ ...content, userId: 8 });
  it.each([
    ['the signature of this server', signReceipt(), /^Genuine/],
    ['changed content', `${header}.${changedContent}.${signature}`, /^Not genuine/],
    [
      'the algorithm none',
      `${encodeBase64Url({ ...validHeader, alg: 'none' })}.${encodeBase64Url(content)}.`,
      /^Not genuine/,
    ],
    ['an empty signature', `${header}.${encodeBase64Url(content)}.`, /^Not genuine/],
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
    fakeServer({ [receiptRoute]: createDoneReceipt({ receipt }), [keysRoute]: keysResponse });
    showReceiptPage();
    expect((await checkReceipt()).textContent).toMatch(verdict);
  });

  it('can be repeated when the keys could not be loaded', async () => {
    const server = fakeServer({ [receiptRoute]: createDoneReceipt(), [keysRoute]: failToFetch });
    showReceiptPage();
    expect(await checkReceipt()).toHaveTextContent('The key of the server could not be loaded.');
    server.routes[keysRoute] = keysResponse;
    await userEvent.click(screen.getByRole('button', { name: 'Check this receipt' }));
    expect(await screen.findByText(/^Genuine/)).toBeVisible();
  });

  it('is not offered in a browser without WebCrypto', async () => {
    Object.defineProperty(globalThis, 'crypto', { value: {}, configurable: true });
    fakeServer({ [receiptRoute]: createDoneReceipt() });
    showReceiptPage();
    expect(await screen.findByRole('button', { name: 'Download receipt' })).toBeVisible();
    expect(screen.queryByRole('button', { name: 'Check this receipt' })).toBeNull();
  });
});

describe('a downloaded receipt', () => {
  /** Renders the page without an id in the address, and chooses a file with this content. @returns `unmount` */
  const openFile = async (file: object | string) => {
    const { unmount } = showReceiptPage(null);
    const text = typeof file === 'string' ? file : JSON.stringify(file);
    // jsdom's `File` has no method `text`.
    const chosenFile = Object.assign(new File([text], 'receipt.json'), { text: () => Promise.resolve(text) });
    await userEvent.upload(screen.getByLabelText('Open a receipt'), chosenFile, { applyAccept: false });
    return unmount;
  };

  it('is opened and checked without an id in the address', async () => {
    // The page also requests this receipt from the server, which counts what is still stored.
    fakeServer({ [receiptRoute]: createDoneReceipt(), [keysRoute]: keysResponse });
    await openFile({ receipt: signReceipt(), content });
    expect(await findHeading('Your account is deleted')).toBeVisible();
    expect(await checkReceipt()).toHaveTextContent(/^Genuine/);
  });

  it('is not genuine when the readable copy of its signed content was changed', async () => {
    fakeServer({ [receiptRoute]: createDoneReceipt(), [keysRoute]: keysResponse });
    await openFile({ receipt: signReceipt(), content: { ...content, userId: 8 } });
    expect(await checkReceipt()).toHaveTextContent(/^Not genuine/);
  });

  it('is refused when the file is not a valid receipt', async () => {
    fakeServer({});
    for (const file of [
      'not JSON',
      { receipt: 'a.b.c', content },
      { receipt: signReceipt(), content: {} },
      {},
    ]) {
      const unmount = await openFile(file);
      expect(await screen.findByRole('alert')).toHaveTextContent('This file is not a receipt.');
      unmount();
    }
  });
});
