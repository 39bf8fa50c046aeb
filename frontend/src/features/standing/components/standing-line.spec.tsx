import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { StandingLine } from '@/features/standing/components/standing-line';
import { resetNoticeDialog, useNoticeDialog } from '@/features/standing/stores/notice-dialog.store';
import { aUser } from '@/testing/factories';
import { fakeServer } from '@/testing/fake-server';
import { aNotice } from '@/testing/safety-factories';
import { renderWithCache } from '@/testing/with-cache';

const noticesRoute = `GET /api/notices/${aUser().id}` as const;
const getOpenedId = () => useNoticeDialog.getState().openedId;

beforeEach(() => resetNoticeDialog());

describe('StandingLine', () => {
  const since = '2026-11-20T21:10:00.000Z';

  // A user in care is matched only with others in care.
  it("opens the notice of the standing 'care'", async () => {
    fakeServer({ [noticesRoute]: [aNotice(), aNotice({ id: 45, kind: 'care' })] });
    const standing = { kind: 'care', since, until: null, noticeId: 45 } as const;
    renderWithCache(<StandingLine user={aUser({ standing })} />);
    expect(screen.getByText('You meet fewer people for now.')).toBeVisible();
    await userEvent.click(await screen.findByRole('button', { name: 'Why?' }));
    expect(getOpenedId()).toBe(45);
  });

  it('opens the age question, even if the standing does not name the notice', async () => {
    fakeServer({ [noticesRoute]: [aNotice({ id: 46, kind: 'age_question' })] });
    const standing = { kind: 'age_question', since, until: null, noticeId: null } as const;
    renderWithCache(<StandingLine user={aUser({ standing })} />);
    await userEvent.click(await screen.findByRole('button', { name: 'Answer' }));
    expect(getOpenedId()).toBe(46);
  });
});
