import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { NoticesButton } from '@/features/standing/components/notices-list';
import { StandingLine } from '@/features/standing/components/standing-line';
import { resetNoticeDialog, useNoticeDialog } from '@/features/standing/stores/notice-dialog.store';
import { aUser } from '@/testing/factories';
import { fakeServer, Refusal } from '@/testing/fake-server';
import { aNotice } from '@/testing/safety-factories';
import { renderWithCache } from '@/testing/with-cache';

const seenAt = '2026-11-20T22:00:00.000Z';
const getOpenedId = () => useNoticeDialog.getState().openedId;

beforeEach(() => resetNoticeDialog());

describe('the list of notices', () => {
  const openList = async () => {
    renderWithCache(<NoticesButton userId={7} />);
    const user = userEvent.setup();
    await user.click(screen.getByRole('button', { name: 'Notices' }));
    return { user, list: within(await screen.findByRole('dialog', { name: 'Notices' })) };
  };

  it('shows the title, first paragraph and date of each notice, marks unseen ones, and opens a notice', async () => {
    fakeServer({
      'GET /api/notices/7': [aNotice({ id: 44, kind: 'lifted' }), aNotice({ id: 41, seenAt })],
    });
    const { user, list } = await openList();
    const rows = await list.findAllByRole('listitem');
    expect(rows[0]).toHaveTextContent(/^You are free again.*2026New$/);
    expect(rows[1]).toHaveTextContent(/^Your account is pausedYou went on with sexual messages.*2026$/);
    await user.click(within(rows[1]!).getByRole('button'));
    expect(getOpenedId()).toBe(41);
  });

  it('shows an error with a retry, and then that the list is empty', async () => {
    const server = fakeServer({ 'GET /api/notices/7': new Refusal(503) });
    const { user, list } = await openList();
    expect(await list.findByRole('alert')).toHaveTextContent('Your notices could not be loaded.');
    server.routes['GET /api/notices/7'] = [];
    await user.click(list.getByRole('button', { name: 'Try again' }));
    expect(await list.findByText('You have no notices.')).toBeVisible();
  });
});

describe('the line on the start screen of the random chat', () => {
  const since = '2026-11-20T21:10:00.000Z';

  // A user in care is matched only with others in care.
  it("opens the notice of the standing 'care'", async () => {
    fakeServer({ 'GET /api/notices/7': [aNotice(), aNotice({ id: 45, kind: 'care' })] });
    const standing = { kind: 'care', since, until: null, noticeId: 45 } as const;
    renderWithCache(<StandingLine user={aUser({ standing })} />);
    expect(screen.getByText('You meet fewer people for now.')).toBeVisible();
    await userEvent.click(await screen.findByRole('button', { name: 'Why?' }));
    expect(getOpenedId()).toBe(45);
  });

  it('opens the age question, even if the standing does not name the notice', async () => {
    fakeServer({ 'GET /api/notices/7': [aNotice({ id: 46, kind: 'age_question' })] });
    const standing = { kind: 'age_question', since, until: null, noticeId: null } as const;
    renderWithCache(<StandingLine user={aUser({ standing })} />);
    await userEvent.click(await screen.findByRole('button', { name: 'Answer' }));
    expect(getOpenedId()).toBe(46);
  });
});
