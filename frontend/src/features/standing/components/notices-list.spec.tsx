import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { NoticesButton } from '@/features/standing/components/notices-list';
import { resetNoticeDialog, useNoticeDialog } from '@/features/standing/stores/notice-dialog.store';
import { aUser } from '@/testing/factories';
import { fakeServer, Refusal } from '@/testing/fake-server';
import { aNotice } from '@/testing/safety-factories';
import { renderWithCache } from '@/testing/with-cache';

const seenAt = '2026-11-20T22:00:00.000Z';
/** The id of the signed-in user. */
const userId = aUser().id;
const noticesRoute = `GET /api/notices/${userId}` as const;
const getOpenedId = () => useNoticeDialog.getState().openedId;

beforeEach(() => resetNoticeDialog());

describe('the list of notices', () => {
  const openList = async () => {
    renderWithCache(<NoticesButton userId={userId} />);
    const user = userEvent.setup();
    await user.click(screen.getByRole('button', { name: 'Notices' }));
    return { user, list: within(await screen.findByRole('dialog', { name: 'Notices' })) };
  };

  it('shows the title, first paragraph and date of each notice, marks unseen ones, and opens a notice', async () => {
    fakeServer({
      [noticesRoute]: [
        aNotice({ id: 44, kind: 'lifted' }),
        aNotice({ id: 41, kind: 'suspension', facts: 'You went on with sexual messages.', seenAt }),
      ],
    });
    const { user, list } = await openList();
    const rows = await list.findAllByRole('listitem');
    // The text of a row is its title, first paragraph, date and badge (New), without spaces between them.
    expect(rows[0]).toHaveTextContent(/^You are free again.*2026New$/);
    expect(rows[1]).toHaveTextContent(/^Your account is pausedYou went on with sexual messages.*2026$/);
    await user.click(within(rows[1]!).getByRole('button'));
    expect(getOpenedId()).toBe(41);
  });

  it('shows an error with a retry, and then that the list is empty', async () => {
    const server = fakeServer({ [noticesRoute]: new Refusal(503) });
    const { user, list } = await openList();
    expect(await list.findByRole('alert')).toHaveTextContent('Your notices could not be loaded.');
    server.routes[noticesRoute] = [];
    await user.click(list.getByRole('button', { name: 'Try again' }));
    expect(await list.findByText('You have no notices.')).toBeVisible();
  });
});
