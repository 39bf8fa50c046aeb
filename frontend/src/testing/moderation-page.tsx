import { type CaseItem, type ModerationCase } from '@thaw/contract/moderation';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { BrowserRouter } from 'react-router-dom';
import { Moderation } from '@/features/moderation/components/moderation';
import { workbench } from '@/features/moderation/stores/workbench.store';
import { signIn } from '@/product/identity';
import { aUser } from '@/testing/factories';
import { fakeServer } from '@/testing/fake-server';
import { aCase, aModeratedPerson } from '@/testing/moderation-factories';
import { renderWithCache } from '@/testing/with-cache';

export const moderatorId = 3;
type Routes = Parameters<typeof fakeServer>[0];
/** The route that lists the cases in a state. */
const createQueueRoute = (state: string) => `GET /api/moderation/cases?state=${state}&limit=50` as const;
export const openQueueRoute = createQueueRoute('open');
/** The response to a claim, which reserves a case for a moderator. */
const claimResponse = { claimedBy: moderatorId, until: '2026-11-21T10:15:00.000Z', version: 6 };

export const createCaseListResponse = (cases: CaseItem[], nextCursor: string | null = null) => ({
  cases,
  nextCursor,
});

/** The queue lists cases without their details. */
const toCaseItem = ({
  urgencyParts: _1,
  reports: _2,
  evidence: _3,
  history: _4,
  excludes: _5,
  ...item
}: ModerationCase): CaseItem => item;

/** The routes with which a moderator opens and claims one case. */
const createCaseRoutes = (moderationCase: ModerationCase): Routes => {
  const { id, userId, username } = moderationCase;
  return {
    [`GET /api/moderation/cases/${id}`]: moderationCase,
    [`POST /api/moderation/cases/${id}/claim`]: claimResponse,
    [`DELETE /api/moderation/cases/${id}/claim`]: undefined,
    [`GET /api/moderation/people/${userId}`]: aModeratedPerson({ id: userId, username }),
  };
};

/**
 * Renders the moderation tool, signed in as `moderatorId`, with these cases in the queue. Each can be claimed.
 * @param search query string of the address
 * @param routes further routes of the server, or replacements
 */
export const showModeration = (cases: ModerationCase[], search = '', routes: Routes = {}) => {
  window.history.replaceState(null, '', `/moderation${search}`);
  workbench.reset();
  signIn(aUser({ id: moderatorId, isModerator: true, isAnonymous: false }));
  const caseRoutes: Routes = {};
  for (const moderationCase of cases) Object.assign(caseRoutes, createCaseRoutes(moderationCase));
  const server = fakeServer({
    [openQueueRoute]: createCaseListResponse(cases.map(toCaseItem)),
    [createQueueRoute('decided')]: createCaseListResponse([]),
    // Cases about people whose data is under a legal hold.
    [createQueueRoute('held')]: createCaseListResponse([]),
    // In some specs, a second moderator has acted on a case. The page requests their name.
    'GET /api/user/4': { id: 4, username: 'mod-two', avatar: null, isOnline: true },
    ...caseRoutes,
    ...routes,
  });
  const onForbidden = jest.fn();
  const { queryClient } = renderWithCache(
    <BrowserRouter>
      <Moderation myId={moderatorId} onForbidden={onForbidden} />
    </BrowserRouter>,
  );
  return { server, queryClient, onForbidden, user: userEvent.setup() };
};

/** Three open cases (8, the default id, 11 and 12) about different people, the most urgent first. */
export const createThreeCases = (): ModerationCase[] => [
  aCase({ urgency: 500 }),
  aCase({ id: 11, userId: 10, username: 'silent-badger', urgency: 300 }),
  aCase({ id: 12, userId: 14, username: 'loud-fox', urgency: 200 }),
];

/** Returns the row of the queue whose username begins with `name`. */
export const getQueueRow = (name: string): HTMLElement =>
  screen.getByRole('button', { name: new RegExp(`^${name}`) });
export const findCaseHeading = (title: string) => screen.findByRole('heading', { level: 2, name: title });
