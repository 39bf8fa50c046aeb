import { act, render, screen } from '@testing-library/react';
import { Toasts } from '@/app/toasts';
import { Modal } from '@/ui/modal';
import { toast } from '@/ui/toast-store';

it('a toast above an open modal is exposed to screen readers, and the page beneath the modal is not', async () => {
  render(
    <>
      <main>
        <button type="button">beneath</button>
      </main>
      <Toasts />
      <Modal isOpen title="above">
        <button type="button">within</button>
      </Modal>
    </>,
  );
  act(() => toast({ title: 'Friend request sent' }));
  // Queries by role ignore elements that are hidden from screen readers.
  expect(await screen.findByRole('listitem')).toHaveTextContent('Friend request sent');
  expect(screen.getByRole('button', { name: 'within' })).toBeVisible();
  expect(screen.queryByRole('button', { name: 'beneath' })).not.toBeInTheDocument();
});
