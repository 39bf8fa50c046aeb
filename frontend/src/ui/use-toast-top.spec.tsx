import { act, render, screen, waitFor } from '@testing-library/react';
import { toast, useToasts } from '@/ui/toast-store';
import { Toaster } from '@/ui/toaster';

/** A bar with a fixed lower edge, because jsdom has no layout. */
const Bar = ({ bottom }: { bottom: number }) => (
  <div
    data-controls=""
    ref={(bar) => {
      if (bar) bar.getBoundingClientRect = () => ({ bottom }) as DOMRect;
    }}
  />
);

/** Reads the top offset of the list that contains the toast. */
const readToastTop = () => screen.getByRole('list').style.top;

beforeEach(() => useToasts.setState({ shown: null }));

it('places a toast below the lowest bar that is not inert, and moves it when a bar appears', async () => {
  const renderPage = (hasThirdBar: boolean) => (
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
  const { rerender } = render(renderPage(false));
  act(() => toast({ title: 'Friend request sent' }));
  expect(readToastTop()).toBe('180px');
  rerender(renderPage(true));
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
      <div
        role="dialog"
        data-state="open"
        ref={(dialog) => {
          // More than the 112 px that a toast needs.
          if (dialog) dialog.getBoundingClientRect = () => ({ top: 154 }) as DOMRect;
        }}
      >
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

it('places a toast at the top when the bars reach below the middle of the window, or there are none', () => {
  const { rerender } = render(
    <>
      {/* The window of jsdom is 768 px high. */}
      <Bar bottom={700} />
      <Toaster />
    </>,
  );
  act(() => toast({ title: 'Friend request sent' }));
  expect(readToastTop()).toBe('0px');
  rerender(<Toaster />);
  expect(readToastTop()).toBe('0px');
});
