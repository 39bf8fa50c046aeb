import { act, render, waitFor } from '@testing-library/react';
import { useAttention, type AttentionOptions } from '@/features/attention/use-attention';
import { setSoundOn } from '@/product/sound-choice';

let notes = 0;

/** Counts the notes that are played. Audio is always allowed here. */
class FakeContext {
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
      start: () => (notes += 1),
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

const quiet: AttentionOptions = {
  phase: 'initial',
  partnerName: undefined,
  friendName: undefined,
  unread: 0,
  partnerMessages: 0,
  friendNews: 0,
};

const Page = (seen: AttentionOptions) => {
  useAttention(seen);
  return null;
};

const renderPage = () => {
  const { rerender } = render(<Page {...quiet} />);
  return { change: (changes: Partial<AttentionOptions>) => rerender(<Page {...quiet} {...changes} />) };
};

const readIconUrl = () => document.querySelector('link[rel="icon"]')?.getAttribute('href');
const expectNotes = (count: number) => waitFor(() => expect(notes).toBe(count));

beforeEach(() => {
  notes = 0;
  visibility = 'visible';
  localStorage.clear();
  document.head.innerHTML = '<link rel="icon" href="/favicon.svg">';
  Object.assign(globalThis, { AudioContext: FakeContext });
  setSoundOn(true);
});

it('counts a friend request in the title of a hidden tab and plays the sound, until the tab is visible', async () => {
  const page = renderPage();
  setVisibility('hidden');
  page.change({ friendNews: 1 });
  expect(document.title).toBe('(1) Chat · Thaw');
  expect(readIconUrl()).toBe('/favicon/initial-calling.svg');
  await expectNotes(2);

  setVisibility('visible');
  expect(document.title).toBe('Chat · Thaw');
  expect(readIconUrl()).toBe('/favicon.svg');
  // What was seen once is not counted again when the tab is hidden.
  setVisibility('hidden');
  expect(document.title).toBe('Chat · Thaw');
  expect(notes).toBe(2);
});

it('counts accepted friend requests and unread messages together', async () => {
  const page = renderPage();
  setVisibility('hidden');
  page.change({ friendNews: 1, unread: 2 });
  expect(document.title).toBe('(3) Chat · Thaw');
  await expectNotes(2);
});

it('plays the sound for a friend request in a visible tab without changing its title', async () => {
  const page = renderPage();
  page.change({ friendNews: 1 });
  expect(document.title).toBe('Chat · Thaw');
  await expectNotes(2);
});

it('plays no sound unless the user has turned it on', async () => {
  const context = jest.spyOn(FakeContext.prototype, 'createOscillator');
  setSoundOn(false);
  const page = renderPage();
  setVisibility('hidden');
  page.change({ friendNews: 1 });
  await waitFor(() => expect(document.title).toBe('(1) Chat · Thaw'));
  expect(context).not.toHaveBeenCalled();
  context.mockRestore();
});

it('plays no sound in a hidden tab while another tab of the page is visible', async () => {
  const query = jest.fn(() => Promise.resolve({ held: [{ name: 'thaw-visible' }], pending: [] }));
  const locks = { request: () => Promise.resolve(), query };
  Object.defineProperty(navigator, 'locks', { configurable: true, value: locks });
  const page = renderPage();
  setVisibility('hidden');
  page.change({ friendNews: 1 });
  await waitFor(() => expect(query).toHaveBeenCalledTimes(1));
  await act(() => Promise.resolve());
  expect(notes).toBe(0);
  Reflect.deleteProperty(navigator, 'locks');
});
