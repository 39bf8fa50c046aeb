import { screen, waitFor, within } from '@testing-library/react';
import { aCase } from '@/testing/moderation-factories';
import { findCaseHeading, moderatorId, showModeration } from '@/testing/moderation-page';

const recordedAt = '2026-11-20T21:04:30.000Z';
const createAuditRoute = (search = '') => `GET /api/moderation/audit${search}` as const;
/** An entry of another moderator, whom `showModeration` names mod-two. */
const otherEntry = {
  id: 2,
  moderatorId: 4,
  action: 'case_read',
  at: recordedAt,
  caseId: 8,
  userId: 9,
  imageId: null,
};
const ownEntry = { ...otherEntry, id: 1, moderatorId, action: 'image_read', imageId: 31 };

describe('the audit log', () => {
  it('lists what all moderators did, and loads older entries', async () => {
    const { user } = showModeration([], '?view=audit', {
      [createAuditRoute()]: { entries: [otherEntry], nextCursor: 'c1' },
      [createAuditRoute('?cursor=c1')]: { entries: [ownEntry], nextCursor: null },
    });
    const list = await screen.findByRole('list', { name: 'Entries' });
    await waitFor(() => expect(list).toHaveTextContent(/mod-two.*opened a case.*case 8.*person #9/));
    await user.click(screen.getByRole('button', { name: 'Show older' }));
    await waitFor(() => expect(list).toHaveTextContent(/you.*opened an image.*case 8.*person #9.*image 31/));
  });

  it('lists what a chosen moderator did, and opens the case of an entry', async () => {
    const { user } = showModeration([aCase({ id: 8, username: 'brave-heron-7' })], '?view=audit', {
      [createAuditRoute()]: { entries: [otherEntry, ownEntry], nextCursor: null },
      [createAuditRoute('?moderatorId=4')]: { entries: [otherEntry], nextCursor: null },
    });
    const list = await screen.findByRole('list', { name: 'Entries' });
    await waitFor(() => expect(list).toHaveTextContent(/mod-two/));
    expect(screen.getAllByRole('listitem')).toHaveLength(2);
    await user.selectOptions(screen.getByRole('combobox', { name: 'Moderator' }), 'mod-two');
    await waitFor(() => expect(screen.getAllByRole('listitem')).toHaveLength(1));
    await user.click(screen.getByRole('button', { name: 'case 8' }));
    expect(await findCaseHeading('Case 8: brave-heron-7')).toBeVisible();
  });
});

it('lists blocked images, and unblocks one after confirmation', async () => {
  const image = {
    id: 31,
    sha256: 'ab12cd34ef56ab',
    rule: 'no_illegal',
    caseId: 8,
    moderatorId,
    createdAt: recordedAt,
  };
  const { user, server } = showModeration([], '?view=images', {
    'GET /api/moderation/images': [image],
    'DELETE /api/moderation/images/31': undefined,
  });
  expect(await screen.findByRole('listitem')).toHaveTextContent(
    /Image 31: Nothing that the law forbids\.by you, .*SHA-256 ab12cd34ef56…Case 8/,
  );
  await user.click(screen.getByRole('button', { name: 'Unblock…' }));
  server.routes['GET /api/moderation/images'] = [];
  await user.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Unblock' }));
  expect(await screen.findByText('No image is blocked.')).toBeVisible();
  expect(server.count('DELETE', '/api/moderation/images/31')).toBe(1);
});

it('shows the figures with rounded durations and rates', async () => {
  showModeration([], '?view=figures', {
    'GET /api/moderation/metrics': {
      openCases: 6,
      oldestOpenCaseAgeS: 102_000,
      timeToDecisionS: { p50: 1900, p95: null },
      reportsByCategory: { sexual: 12 },
      decisions: [
        { outcome: 'suspended', by: 'moderator', count: 6 },
        { outcome: 'suspended', by: 'automatic', count: 2 },
      ],
      appeals: [{ moderatorId, decided: 4, reversed: 1 }],
      reportsPer1000Matches: 11.24,
      blocksPer1000Matches: 26,
      carePool: 3, // flagged users, who are matched only with each other
    },
  });
  expect(await screen.findByText('Oldest open case')).toBeVisible();
  const terms = screen.getAllByRole('term');
  expect(terms.map((term) => [term.textContent, term.nextElementSibling?.textContent])).toEqual([
    ['Open cases', '6'],
    ['Oldest open case', '28 h'],
    ['Half are decided within', '31 min'],
    ['95 of 100 are decided within', 'none yet'],
    ['Reports per 1,000 matches', '11.2'],
    ['Blocks per 1,000 matches', '26'],
    ['People in care', '3'],
  ]);
  expect(screen.getByRole('row', { name: 'Sexual 12' })).toBeVisible();
  expect(screen.getByRole('row', { name: 'Suspended 6 2' })).toBeVisible();
  expect(screen.getByRole('row', { name: 'you 4 1 25 %' })).toBeVisible();
});
