import { act, render, screen } from '@testing-library/react';
import { MemoryRouter, Route, Routes, useLocation } from 'react-router-dom';
import { ChatRoute } from '@/app/routes/chat-route';
import { ReceiptRoute } from '@/app/routes/receipt-route';
import { resetAccountDeletion, useAccountDeletion } from '@/features/my-data/deletion/account-deletion.store';
import { fakeServer } from '@/testing/fake-server';

const receiptId = 'AAAAAAAAAAAAAAAAAAAAAA';
/** Shows the current address. */
const Address = () => {
  const { pathname, search } = useLocation();
  return <output>{pathname + search}</output>;
};
/** Opens /chat without a signed-in user, as after the end of the session. */
const openChatPage = () =>
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
const getAddressElement = () => screen.getByText(/^\//);

beforeEach(() => {
  fakeServer({});
  resetAccountDeletion();
});

it('waits for the deletion response when the session ends first, and then redirects to the receipt', async () => {
  useAccountDeletion.setState({ isPending: true });
  openChatPage();
  expect(await screen.findByText('Deleting your account…')).toBeVisible();
  expect(getAddressElement()).toHaveTextContent('/chat');
  act(() => useAccountDeletion.setState({ isPending: false, receiptId }));
  expect(getAddressElement()).toHaveTextContent(`/receipt?id=${receiptId}`);
  // The receipt is forgotten, so that the next user who signs out in this tab is not redirected to the receipt.
  expect(useAccountDeletion.getState().receiptId).toBeNull();
});

it('redirects to the sign-in page when the deletion response is lost', () => {
  useAccountDeletion.setState({ isPending: true });
  openChatPage();
  act(() => useAccountDeletion.setState({ isPending: false, failure: 'The server did not answer.' }));
  expect(getAddressElement()).toHaveTextContent('/auth');
});
