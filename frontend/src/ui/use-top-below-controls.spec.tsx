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

const getListTop = () => screen.getByRole('list').style.top;

beforeEach(() => useToasts.setState({ shown: null }));

it('places a toast below the lowest active bar, and moves it when a bar appears', async () => {
  const renderPage = (hasSkipBar: boolean) => (
    <>
      <Bar bottom={64} />
      <Bar bottom={180} />
      {hasSkipBar ? <Bar bottom={240} /> : null}
      <div inert>
        <Bar bottom={300} />
      </div>
      <Toaster />
    </>
  );
  const { rerender } = render(renderPage(false));
  act(() => toast({ title: 'Friend request sent' }));
  expect(getListTop()).toBe('180px');
  rerender(renderPage(true));
  await waitFor(() => expect(getListTop()).toBe('240px'));
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
  expect(getListTop()).toBe('120px');
});

it('places a toast at the top, above a dialog that leaves room for it', () => {
  render(
    <>
      <Bar bottom={180} />
      <div
        role="dialog"
        data-state="open"
        ref={(dialog) => {
          if (dialog) dialog.getBoundingClientRect = () => ({ top: 154 }) as DOMRect;
        }}
      >
        <Bar bottom={250} />
      </div>
      <Toaster />
    </>,
  );
  act(() => toast({ title: 'Anonymous session started' }));
  expect(getListTop()).toBe('0px');
});

it('places a toast below the bars of the page while a popover is open', () => {
  render(
    <>
      <Bar bottom={180} />
      <div role="dialog" data-state="open" />
      <Toaster />
    </>,
  );
  act(() => toast({ title: 'Friend request sent' }));
  expect(getListTop()).toBe('180px');
});

it('places a toast at the top when the bars reach too far down or there are none', () => {
  const { rerender } = render(
    <>
      <Bar bottom={700} />
      <Toaster />
    </>,
  );
  act(() => toast({ title: 'Friend request sent' }));
  expect(getListTop()).toBe('0px');
  rerender(<Toaster />);
  expect(getListTop()).toBe('0px');
});
