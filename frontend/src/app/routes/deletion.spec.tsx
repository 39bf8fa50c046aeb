import { act, render, screen } from '@testing-library/react';
import { MemoryRouter, Route, Routes, useLocation } from 'react-router-dom';
import { ChatRoute } from '@/app/routes/chat-route';
import { ReceiptRoute } from '@/app/routes/receipt-route';
import { resetAccountDeletion, useAccountDeletion } from '@/features/my-data/deletion/account-deletion.store';
import { fakeServer } from '@/testing/fake-server';

const receiptId = 'AAAAAAAAAAAAAAAAAAAAAA';
const Address = () => {
  const { pathname, search } = useLocation();
  return <output>{pathname + search}</output>;
};
const show = () =>
  render(
    <MemoryRouter initialEntries={['/chat']}>
      <Address />
      <Routes>
        <Route path="/chat" element={<ChatRoute />} />
        <Route path="/auth" element={null} />
        <Route path="/receipt" element={<ReceiptRoute />} />
      </Routes>
    </MemoryRouter>,
  );
const getAddress = () => screen.getByText(/^\//);

beforeEach(() => {
  fakeServer({});
  resetAccountDeletion();
});

it('waits for the receipt when the session ends before the response of the deletion, and then leads to it', async () => {
  useAccountDeletion.setState({ isPending: true });
  show();
  expect(await screen.findByText('Deleting your account…')).toBeVisible();
  expect(getAddress()).toHaveTextContent('/chat');
  act(() => useAccountDeletion.setState({ isPending: false, receiptId }));
  expect(getAddress()).toHaveTextContent(`/receipt?id=${receiptId}`);
  // The next user of this tab who signs out is not led there.
  expect(useAccountDeletion.getState().receiptId).toBeNull();
});

it('leads to the sign-in when the response of the deletion is lost', () => {
  useAccountDeletion.setState({ isPending: true });
  show();
  act(() => useAccountDeletion.setState({ isPending: false, failure: 'The server did not answer.' }));
  expect(getAddress()).toHaveTextContent('/auth');
});
