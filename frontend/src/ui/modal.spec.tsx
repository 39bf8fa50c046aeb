import { act, fireEvent, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { Modal } from '@/ui/modal';
import { toast } from '@/ui/toast-store';
import { Toaster } from '@/ui/toaster';

type User = ReturnType<typeof userEvent.setup>;

interface PageProps {
  isLocked?: boolean;
  /** Whether opening the second modal closes the first. Otherwise the second opens over the first. */
  isFirstReplaced?: boolean;
}

/** A page with a button, a modal that the button opens, and a second modal that the first opens with 'next'. */
const Page = ({ isLocked = false, isFirstReplaced = false }: PageProps) => {
  const [open, setOpen] = useState<'first' | 'second' | null>(null);
  const [draft, setDraft] = useState('');
  const isFirstOpen = open === 'first' || (open === 'second' && !isFirstReplaced);
  return (
    <>
      <button onClick={() => setOpen('first')}>open</button>
      <Modal isOpen={isFirstOpen} title="First" isLocked={isLocked} onDismiss={() => setOpen(null)}>
        {/* The modal reads `data-unsaved` to know whether closing it would discard input. */}
        <div data-unsaved={draft !== ''}>
          <input aria-label="draft" value={draft} onChange={(event) => setDraft(event.target.value)} />
        </div>
        <button onClick={() => setOpen('second')}>next</button>
      </Modal>
      <Modal
        isOpen={open === 'second'}
        title="Second"
        onDismiss={() => setOpen(isFirstReplaced ? null : 'first')}
      >
        <input aria-label="other" />
      </Modal>
    </>
  );
};

/** Renders the page, opens the first modal and waits until it handles clicks outside. */
const openFirstModal = async (page = <Page />): Promise<User> => {
  const user = userEvent.setup();
  render(page);
  const addListener = jest.spyOn(document, 'addEventListener');
  await user.click(screen.getByText('open'));
  expect(screen.getByRole('dialog', { name: 'First' })).toBeVisible();
  // One tick after Radix has opened the dialog, it blocks the page and listens for clicks outside.
  await waitFor(() => expect(document.body.style.pointerEvents).toBe('none'));
  await waitFor(() => expect(addListener.mock.calls.map(([event]) => event)).toContain('pointerdown'));
  addListener.mockRestore();
  return user;
};
const openModalWithUnsavedDraft = async (): Promise<User> => {
  const user = await openFirstModal();
  await user.type(screen.getByLabelText('draft'), 'text');
  return user;
};
const clickOutside = (): void => {
  fireEvent.pointerDown(document.body);
  fireEvent.click(document.body);
};
const getOpenButton = (): HTMLElement => screen.getByText('open');
const expectModalToClose = (name: string): Promise<void> =>
  waitFor(() => expect(screen.queryByRole('dialog', { name })).not.toBeInTheDocument());

const pressEscape = (user: User): Promise<void> => user.keyboard('{Escape}');
const clickButton = (user: User, name: string): Promise<void> =>
  user.click(screen.getByRole('button', { name }));

it.each([
  { means: 'Escape', close: pressEscape },
  { means: 'the X', close: (user: User) => clickButton(user, 'Close') },
  { means: 'a click outside', close: async () => clickOutside() },
])('a modal closed by $means returns the focus to its opener', async ({ close }) => {
  const user = await openFirstModal();
  await close(user);
  await expectModalToClose('First');
  await waitFor(() => expect(getOpenButton()).toHaveFocus());
});

it('a modal focuses its first field, not the X', async () => {
  await openFirstModal();
  expect(screen.getByLabelText('draft')).toHaveFocus();
});

it('a locked modal disables the X, and ignores Escape and a click outside', async () => {
  const user = await openFirstModal(<Page isLocked />);
  await pressEscape(user);
  clickOutside();
  expect(screen.getByRole('button', { name: 'Close' })).toBeDisabled();
  expect(screen.getByRole('dialog', { name: 'First' })).toBeVisible();
});

it('a modal with unsaved changes ignores a click outside', async () => {
  await openModalWithUnsavedDraft();
  clickOutside();
  expect(screen.getByRole('dialog', { name: 'First' })).toBeVisible();
});

it('Escape asks before discarding unsaved input, and Discard closes the modal', async () => {
  const user = await openModalWithUnsavedDraft();
  await pressEscape(user);
  expect(screen.getByRole('button', { name: 'Discard' })).toHaveFocus();
  await clickButton(user, 'Discard');
  await expectModalToClose('First');
});

it.each([
  { answer: 'a second Escape', keep: pressEscape },
  { answer: 'Keep editing', keep: (user: User) => clickButton(user, 'Keep editing') },
])('$answer keeps unsaved input, and the next Escape asks again', async ({ keep }) => {
  const user = await openModalWithUnsavedDraft();
  await pressEscape(user);
  await keep(user);
  expect(screen.queryByRole('alertdialog')).toBeNull();
  expect(screen.getByLabelText('draft')).toHaveFocus();
  expect(screen.getByLabelText('draft')).toHaveValue('text');
  await pressEscape(user);
  expect(screen.getByRole('button', { name: 'Discard' })).toHaveFocus();
});

it('the first Escape dismisses a modal, even if a toast appeared after the modal', async () => {
  const user = await openFirstModal(
    <>
      <Page />
      <Toaster />
    </>,
  );
  act(() => toast({ title: 'news' }));
  expect(screen.getByText('news')).toBeVisible();
  await pressEscape(user);
  await expectModalToClose('First');
});

it('Escape dismisses a modal once, even if a toast appeared before the modal', async () => {
  const user = userEvent.setup();
  const onDismiss = jest.fn();
  render(<Toaster />);
  act(() => toast({ title: 'news' }));
  render(
    <Modal isOpen title="First" onDismiss={onDismiss}>
      <input aria-label="draft" />
    </Modal>,
  );
  expect(screen.getByText('news')).toBeVisible();
  await pressEscape(user);
  expect(onDismiss).toHaveBeenCalledTimes(1);
});

it('the second of two stacked modals returns the focus to the first, and the first to its opener', async () => {
  const user = await openFirstModal();
  await user.click(screen.getByText('next'));
  expect(screen.getByLabelText('other')).toHaveFocus();
  await pressEscape(user);
  await expectModalToClose('Second');
  await waitFor(() => expect(screen.getByText('next')).toHaveFocus());
  await pressEscape(user);
  await waitFor(() => expect(getOpenButton()).toHaveFocus());
});

it('a second modal that has replaced the first returns the focus to the opener of the first', async () => {
  const user = await openFirstModal(<Page isFirstReplaced />);
  await user.click(screen.getByText('next'));
  await expectModalToClose('First');
  await pressEscape(user);
  await expectModalToClose('Second');
  await waitFor(() => expect(getOpenButton()).toHaveFocus());
});

describe('on a phone', () => {
  beforeEach(() => {
    // Only the query that makes the modal a bottom sheet contains `max-width`.
    const matchNarrowScreen = (media: string) => ({ matches: media.includes('max-width') }) as MediaQueryList;
    jest.spyOn(window, 'matchMedia').mockImplementation(matchNarrowScreen);
  });
  afterEach(() => jest.restoreAllMocks());

  // A drag of at least 96 px dismisses the sheet.
  const shortDragPx = 60;
  const longDragPx = 120;
  const startY = 100;

  const getHeader = () => screen.getByRole('heading', { name: 'First' });
  const createTouch = (clientY: number) => {
    // The horizontal position has no effect.
    const touch = { clientX: 180, clientY };
    return { touches: [touch], changedTouches: [touch] };
  };
  const dragHeaderDown = (distancePx: number): void => {
    const header = getHeader();
    fireEvent.touchStart(header, createTouch(startY));
    fireEvent.touchMove(header, createTouch(startY + distancePx));
    fireEvent.touchEnd(header, { ...createTouch(startY + distancePx), touches: [] });
  };

  it('a short drag of the header moves the modal back, and a long drag dismisses it', async () => {
    await openFirstModal();
    dragHeaderDown(shortDragPx);
    expect(screen.getByRole('dialog', { name: 'First' }).style.transform).toBe('');
    dragHeaderDown(longDragPx);
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it('a second finger moves the modal back', async () => {
    await openFirstModal();
    const moved = createTouch(startY + longDragPx);
    fireEvent.touchStart(getHeader(), createTouch(startY));
    fireEvent.touchMove(getHeader(), moved);
    fireEvent.touchStart(getHeader(), { ...moved, touches: [...moved.touches, ...moved.touches] });
    expect(screen.getByRole('dialog', { name: 'First' }).style.transform).toBe('');
  });

  it('a long drag asks before discarding unsaved input, and moves the modal back', async () => {
    await openModalWithUnsavedDraft();
    dragHeaderDown(longDragPx);
    expect(screen.getByRole('alertdialog', { name: 'Discard your changes?' })).toBeVisible();
    expect(screen.getByRole('dialog', { name: 'First' }).style.transform).toBe('');
  });
});
