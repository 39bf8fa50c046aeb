import { act, render, screen, waitFor } from '@testing-library/react';
import { toast, useToasts } from '@/ui/toast-store';
import { Toaster } from '@/ui/toaster';

/** Creates a ref that fixes the place of an element in the window, because jsdom has no layout. */
const fixPlace = (place: { top: number } | { bottom: number }) => (element: HTMLElement | null) => {
  if (element) element.getBoundingClientRect = () => place as DOMRect;
};

/** A bar with controls, which a toast must not cover. `bottom` is its lower edge in px. */
const Bar = ({ bottom }: { bottom: number }) => <div data-controls="" ref={fixPlace({ bottom })} />;

/** Reads the top offset of the list that contains the toast. */
const readToastTop = () => screen.getByRole('list').style.top;

beforeEach(() => useToasts.setState({ shown: null }));

it('places a toast below the lowest bar that is not inert, and moves it when a bar appears', async () => {
  const createPage = ({ hasThirdBar }: { hasThirdBar: boolean }) => (
    <>
      <Bar bottom={64} />
      <Bar bottom={180} />
      {hasThirdBar ? <Bar bottom={240} /> : null}
      <div inert>
        <Bar bottom={300} />
      </div>
      <Toaster />
    </>
  );
  const { rerender } = render(createPage({ hasThirdBar: false }));
  act(() => toast({ title: 'Friend request sent' }));
  expect(readToastTop()).toBe('180px');
  rerender(createPage({ hasThirdBar: true }));
  await waitFor(() => expect(readToastTop()).toBe('240px'));
});

it('places a toast below the title of an open dialog that covers the bars of the page', () => {
  render(
    <>
      <Bar bottom={180} />
      <div role="dialog" data-state="open">
        <Bar bottom={120} />
      </div>
      <Toaster />
    </>,
  );
  act(() => toast({ title: 'Friend request sent' }));
  expect(readToastTop()).toBe('120px');
});

it('places a toast at the top, above an open dialog that leaves room for the toast', () => {
  render(
    <>
      <Bar bottom={180} />
      {/* A toast needs 112 px. */}
      <div role="dialog" data-state="open" ref={fixPlace({ top: 154 })}>
        <Bar bottom={250} />
      </div>
      <Toaster />
    </>,
  );
  act(() => toast({ title: 'Anonymous session started' }));
  expect(readToastTop()).toBe('0px');
});

it('places a toast below the bars of the page while a popover is open', () => {
  // A popover has the role of a dialog, but contains no bar.
  render(
    <>
      <Bar bottom={180} />
      <div role="dialog" data-state="open" />
      <Toaster />
    </>,
  );
  act(() => toast({ title: 'Friend request sent' }));
  expect(readToastTop()).toBe('180px');
});

it('places a toast at the top when the bars reach below the middle of the window', () => {
  render(
    <>
      {/* The window of jsdom is 768 px high. */}
      <Bar bottom={700} />
      <Toaster />
    </>,
  );
  act(() => toast({ title: 'Friend request sent' }));
  expect(readToastTop()).toBe('0px');
});

it('places a toast at the top when there are no bars', () => {
  render(<Toaster />);
  act(() => toast({ title: 'Friend request sent' }));
  expect(readToastTop()).toBe('0px');
});
