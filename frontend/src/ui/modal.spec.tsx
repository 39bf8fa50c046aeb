import { act, fireEvent, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { Modal } from '@/ui/modal';
import { toast } from '@/ui/toast-store';
import { Toaster } from '@/ui/toaster';

/** A page with a button, a modal that it opens, and a second modal that opens over the first or replaces it. */
const Page = ({ isLocked = false, isReplaced = false }: { isLocked?: boolean; isReplaced?: boolean }) => {
  const [open, setOpen] = useState<'first' | 'second' | null>(null);
  const [draft, setDraft] = useState('');
  const isFirstOpen = open === 'first' || (open === 'second' && !isReplaced);
  return (
    <>
      <button onClick={() => setOpen('first')}>open</button>
      <Modal isOpen={isFirstOpen} title="First" isLocked={isLocked} onDismiss={() => setOpen(null)}>
        <div data-unsaved={draft !== ''}>
          <input aria-label="draft" value={draft} onChange={(event) => setDraft(event.target.value)} />
        </div>
        <button onClick={() => setOpen('second')}>next</button>
      </Modal>
      <Modal isOpen={open === 'second'} title="Second" onDismiss={() => setOpen(isReplaced ? null : 'first')}>
        <input aria-label="other" />
      </Modal>
    </>
  );
};

const opened = async (page = <Page />) => {
  const user = userEvent.setup();
  render(page);
  const listens = jest.spyOn(document, 'addEventListener');
  await user.click(screen.getByText('open'));
  expect(screen.getByRole('dialog', { name: 'First' })).toBeVisible();
  // Radix handles clicks outside only from the next tick on.
  await waitFor(() => expect(document.body.style.pointerEvents).toBe('none'));
  await waitFor(() => expect(listens.mock.calls.map(([event]) => event)).toContain('pointerdown'));
  listens.mockRestore();
  return user;
};
const clickOutside = (): void => {
  fireEvent.pointerDown(document.body);
  fireEvent.click(document.body);
};
const opener = (): HTMLElement => screen.getByText('open');
const isGone = (name: string) =>
  waitFor(() => expect(screen.queryByRole('dialog', { name })).not.toBeInTheDocument());

it.each([
  ['Esc', (user: ReturnType<typeof userEvent.setup>) => user.keyboard('{Escape}')],
  ['the X', (user) => user.click(screen.getByRole('button', { name: 'Close' }))],
  ['a click outside', async () => clickOutside()],
] satisfies [string, (user: ReturnType<typeof userEvent.setup>) => Promise<void>][])(
  'is closed by %s, and returns the focus',
  async (_how, close) => {
    const user = await opened();
    await close(user);
    await isGone('First');
    await waitFor(() => expect(opener()).toHaveFocus());
  },
);

it('focuses its first field, not the X', async () => {
  await opened();
  expect(screen.getByLabelText('draft')).toHaveFocus();
});

it('ignores Esc, the X and a click outside while it is locked', async () => {
  const user = await opened(<Page isLocked />);
  await user.keyboard('{Escape}');
  clickOutside();
  expect(screen.getByRole('button', { name: 'Close' })).toBeDisabled();
  expect(screen.getByRole('dialog', { name: 'First' })).toBeVisible();
});

it('ignores a click outside while there are unsaved changes', async () => {
  const user = await opened();
  await user.type(screen.getByLabelText('draft'), 'words');
  clickOutside();
  expect(screen.getByRole('dialog', { name: 'First' })).toBeVisible();
});

it('asks before Escape discards unsaved input, and a second press keeps it', async () => {
  const user = await opened();
  await user.type(screen.getByLabelText('draft'), 'words');
  await user.keyboard('{Escape}');
  expect(screen.getByRole('button', { name: 'Discard' })).toHaveFocus();
  await user.keyboard('{Escape}');
  expect(screen.queryByRole('alertdialog')).toBeNull();
  expect(screen.getByLabelText('draft')).toHaveFocus();
  expect(screen.getByLabelText('draft')).toHaveValue('words');

  await user.keyboard('{Escape}');
  await user.click(screen.getByRole('button', { name: 'Keep editing' }));
  expect(screen.getByLabelText('draft')).toHaveFocus();
  await user.keyboard('{Escape}');
  await user.click(screen.getByRole('button', { name: 'Discard' }));
  await isGone('First');
});

it('is dismissed by the first Escape, even if a toast appeared after it', async () => {
  const user = await opened(
    <>
      <Page />
      <Toaster />
    </>,
  );
  act(() => toast({ title: 'news' }));
  expect(screen.getByText('news')).toBeVisible();
  await user.keyboard('{Escape}');
  await isGone('First');
});

it('returns the focus to the modal below it, and that modal to the page', async () => {
  const user = await opened();
  await user.click(screen.getByText('next'));
  expect(screen.getByLabelText('other')).toHaveFocus();
  await user.keyboard('{Escape}');
  await isGone('Second');
  await waitFor(() => expect(screen.getByText('next')).toHaveFocus());
  await user.keyboard('{Escape}');
  await waitFor(() => expect(opener()).toHaveFocus());
});

it('returns the focus to the opener of the modal that it replaced', async () => {
  const user = await opened(<Page isReplaced />);
  await user.click(screen.getByText('next'));
  await isGone('First');
  await user.keyboard('{Escape}');
  await isGone('Second');
  await waitFor(() => expect(opener()).toHaveFocus());
});

describe('on a phone', () => {
  beforeEach(() => {
    const isNarrow = (media: string) => ({ matches: media.includes('max-width') }) as MediaQueryList;
    jest.spyOn(window, 'matchMedia').mockImplementation(isNarrow);
  });
  afterEach(() => jest.restoreAllMocks());

  const pullDown = (distance: number): void => {
    const head = screen.getByRole('heading', { name: 'First' });
    const at = (clientY: number) => {
      const touch = { clientX: 180, clientY };
      return { touches: [touch], changedTouches: [touch] };
    };
    fireEvent.touchStart(head, at(100));
    fireEvent.touchMove(head, at(100 + distance));
    fireEvent.touchEnd(head, { ...at(100 + distance), touches: [] });
  };

  it('is dismissed when it is dragged down by its header, and moves back after a short drag', async () => {
    await opened();
    pullDown(60);
    expect(screen.getByRole('dialog', { name: 'First' }).style.transform).toBe('');
    pullDown(120);
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it('asks before a drag discards input, and moves back meanwhile', async () => {
    const user = await opened();
    await user.type(screen.getByLabelText('draft'), 'words');
    pullDown(120);
    expect(screen.getByRole('alertdialog', { name: 'Discard your changes?' })).toBeVisible();
    expect(screen.getByRole('dialog', { name: 'First' }).style.transform).toBe('');
  });
});
