import { act, render, waitFor } from '@testing-library/react';
import { useAttention, type AttentionOptions } from '@/features/attention/use-attention';
import { setSoundOn } from '@/product/sound-choice';

/** Number of notes that were played. */
let noteCount = 0;
const notesPerSound = 2;

/** Counts the notes. Audio is always allowed here. */
class FakeAudioContext {
  readonly state = 'running';
  readonly currentTime = 0;
  readonly destination = {};

  resume(): Promise<void> {
    return Promise.resolve();
  }

  createGain() {
    const gain = { setValueAtTime() {}, linearRampToValueAtTime() {}, exponentialRampToValueAtTime() {} };
    return { gain, connect: (next: unknown) => next };
  }

  createOscillator() {
    return {
      frequency: { value: 0 },
      connect: (next: { connect: (to: unknown) => unknown }) => next,
      start: () => (noteCount += 1),
      stop: () => undefined,
    };
  }
}

let visibility: DocumentVisibilityState = 'visible';
Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => visibility });
const setVisibility = (state: DocumentVisibilityState): void =>
  act(() => {
    visibility = state;
    document.dispatchEvent(new Event('visibilitychange'));
  });

const initialOptions: AttentionOptions = {
  phase: 'initial',
  partnerName: undefined,
  friendName: undefined,
  unreadFriendMessageCount: 0,
  partnerMessageCount: 0,
  friendNewsCount: 0, // friend requests received, plus own requests accepted
};

const Page = (options: AttentionOptions) => {
  useAttention(options);
  return null;
};

const renderPage = () => {
  const { rerender } = render(<Page {...initialOptions} />);
  return {
    change: (changes: Partial<AttentionOptions>) => rerender(<Page {...initialOptions} {...changes} />),
  };
};

const readIconUrl = () => document.querySelector('link[rel="icon"]')?.getAttribute('href');
const expectOneSound = () => waitFor(() => expect(noteCount).toBe(notesPerSound));

/** Fakes another visible tab of Thaw: each visible tab holds the lock `thaw-visible`. */
const fakeVisibleTab = () => {
  const query = jest.fn(() => Promise.resolve({ held: [{ name: 'thaw-visible' }], pending: [] }));
  const locks = { request: () => Promise.resolve(), query };
  Object.defineProperty(navigator, 'locks', { configurable: true, value: locks });
  return { query };
};

beforeEach(() => {
  noteCount = 0;
  visibility = 'visible';
  localStorage.clear();
  document.head.innerHTML = '<link rel="icon" href="/favicon.svg">';
  Object.assign(globalThis, { AudioContext: FakeAudioContext });
  setSoundOn(true);
});

afterEach(() => {
  Reflect.deleteProperty(navigator, 'locks');
});

it('shows a friend request in the title and the icon of a hidden tab, and plays the sound once', async () => {
  const page = renderPage();
  setVisibility('hidden');
  page.change({ friendNewsCount: 1 });
  expect(document.title).toBe('(1) Chat · Thaw');
  expect(readIconUrl()).toBe('/favicon/initial-calling.svg'); // the icon of the phase `initial`, with a dot
  await expectOneSound();
});

it('does not count a friend request again in a tab that has been visible since', async () => {
  const page = renderPage();
  setVisibility('hidden');
  page.change({ friendNewsCount: 1 });
  await expectOneSound();

  setVisibility('visible');
  expect(document.title).toBe('Chat · Thaw');
  expect(readIconUrl()).toBe('/favicon.svg');

  setVisibility('hidden');
  expect(document.title).toBe('Chat · Thaw');
  expect(noteCount).toBe(notesPerSound);
});

it('counts friend requests and unread messages together', async () => {
  const page = renderPage();
  setVisibility('hidden');
  page.change({ friendNewsCount: 1, unreadFriendMessageCount: 2 });
  expect(document.title).toBe('(3) Chat · Thaw');
  await expectOneSound();
});

it('plays the sound for a friend request in a visible tab without changing its title', async () => {
  const page = renderPage();
  page.change({ friendNewsCount: 1 });
  expect(document.title).toBe('Chat · Thaw');
  await expectOneSound();
});

it('plays no sound unless the user has turned it on', async () => {
  setSoundOn(false);
  const page = renderPage();
  setVisibility('hidden');
  page.change({ friendNewsCount: 1 });
  await waitFor(() => expect(document.title).toBe('(1) Chat · Thaw'));
  expect(noteCount).toBe(0);
});

it('plays no sound in a hidden tab while another tab of Thaw is visible', async () => {
  const { query } = fakeVisibleTab();
  const page = renderPage();
  setVisibility('hidden');
  page.change({ friendNewsCount: 1 });
  await waitFor(() => expect(query).toHaveBeenCalledTimes(1));
  // Lets the code after the query run.
  await act(() => Promise.resolve());
  expect(noteCount).toBe(0);
});
