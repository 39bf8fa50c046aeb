import { FACTS } from '../moderation.fixture';
import {
  type AuthorizationTable,
  FORBIDDEN,
  type HttpCase,
  type Ids,
  NOT_FOUND,
  type Outcomes,
  type RouteCases,
  outcomeOfOneAttempt,
  VALIDATION_FAILED,
} from './authorization-case.fixture';

/** An attempt (`HttpCase`) on a route that refuses all users who are not moderators, whatever the ids. */
const createModeratorCase = (
  moderatorOutcomes: Outcomes,
  { path, body }: Pick<HttpCase, 'path' | 'body'> = {},
): HttpCase => ({
  path,
  body,
  outcomes: Object.fromEntries(Object.keys(moderatorOutcomes).map((kind) => [kind, FORBIDDEN])),
  moderatorOutcomes,
});

/** An answer to an appeal has the same limits of length as the facts of a decision. */
const ANSWER = FACTS;

const buildCasePath = (ids: Ids): string => `/api/moderation/cases/${String(ids.case)}`;
const buildAppealPath = (ids: Ids): string => `/api/moderation/appeals/${String(ids.appeal)}`;
const buildLiftPath = (ids: Ids): string => `/api/moderation/sanctions/${String(ids.sanction)}/lift`;
const buildPersonPath = (ids: Ids): string => `/api/moderation/people/${String(ids.person)}`;

const unknownIdOutcomes = { missing: NOT_FOUND, malformed: NOT_FOUND };

/** The same outcome for every moderation case that exists. */
const expectForEveryCase = (outcome: string): Outcomes => ({
  own: outcome,
  other: outcome,
  ...unknownIdOutcomes,
});

/**
 * A route below that of a moderation case, such as `claim`.
 * @param attempts the outcomes for moderators and the body of each attempt
 */
const createCaseRoute = (
  method: string,
  action: string,
  ...attempts: [moderatorOutcomes: Outcomes, body?: HttpCase['body']][]
): Record<string, RouteCases> => ({
  [`${method} /api/moderation/cases/:caseId/${action}`]: {
    cases: attempts.map(([moderatorOutcomes, body]) =>
      createModeratorCase(moderatorOutcomes, { path: (ids) => `${buildCasePath(ids)}/${action}`, body }),
    ),
  },
});

/**
 * An action that succeeds once for each moderation case. `moderator` tries both cases first and succeeds, so
 * `otherModerator` (`else`) is refused.
 */
const allowOnlyOnce: Outcomes = {
  own: { moderator: '200', else: '409 already_answered' },
  other: { moderator: '200', else: '409 already_answered' },
  ...unknownIdOutcomes,
};

/** Builds the body of a decision that bans the user and blocks the image in the evidence. */
const createBanBody = ({ version, evidenceImage }: Ids) => ({
  version,
  outcome: 'banned',
  rule: 'no_threats',
  facts: FACTS,
  blockImages: [evidenceImage],
});

/**
 * The routes of moderation. `own` ids belong to the case that the calling moderator has claimed (works on), `other` ids
 * to that of the other moderator. Refusals: `claimed`: another moderator has claimed the case; `case_changed`: the
 * version is not the current one; `already_answered`: the matter is decided already; `own_decision`: moderators may
 * neither confirm their own decisions nor act on themselves. `outcomeOfOneAttempt` is for outcomes that do not depend
 * on the ids.
 */
export const moderationCases: AuthorizationTable = {
  routes: {
    'GET /api/moderation/cases': {
      cases: [
        createModeratorCase(outcomeOfOneAttempt('200')),
        ...['limit=-1', 'state=x', 'cursor=x'].map((query) =>
          createModeratorCase(outcomeOfOneAttempt(VALIDATION_FAILED), {
            path: () => `/api/moderation/cases?${query}`,
          }),
        ),
      ],
    },
    'GET /api/moderation/cases/:caseId': {
      cases: [createModeratorCase(expectForEveryCase('200'), { path: buildCasePath })],
    },
    'GET /api/moderation/cases/:caseId/images/:imageId': {
      cases: [
        createModeratorCase(expectForEveryCase('200'), {
          path: (ids) => `${buildCasePath(ids)}/images/${String(ids.evidenceImage)}`,
        }),
        createModeratorCase(
          { own: NOT_FOUND },
          { path: (ids) => `${buildCasePath(ids)}/images/${ids.callerId}` }, // no image has this id
        ),
      ],
    },
    ...createCaseRoute('POST', 'claim', [{ own: '200', other: '409 claimed', ...unknownIdOutcomes }]),
    ...createCaseRoute(
      'POST',
      'notes',
      [expectForEveryCase('201'), () => ({ text: 'Look again' })],
      [outcomeOfOneAttempt(VALIDATION_FAILED), () => ({ text: '' })],
    ),
    ...createCaseRoute(
      'POST',
      'escalation',
      [
        { own: '409 case_changed', other: '409 claimed', ...unknownIdOutcomes },
        () => ({ version: 0, reason: 'Not sure' }),
      ],
      [outcomeOfOneAttempt(VALIDATION_FAILED), () => ({ version: 'x', reason: 'Not sure' })],
    ),
    // In the first attempt, both moderators try to end the claim of the other one; in the second, they end their own.
    ...createCaseRoute('DELETE', 'claim', [{ other: '409 claimed' }], [{ own: '204', ...unknownIdOutcomes }]),
    ...createCaseRoute(
      'POST',
      'decision',
      // No case is claimed any more, so only the version is wrong, also for the case of the other moderator.
      [
        { own: '409 case_changed', other: '409 case_changed' },
        (ids) => ({ ...createBanBody(ids), version: 0 }),
      ],
      // The body of a ban lacks its rule and facts.
      [outcomeOfOneAttempt(VALIDATION_FAILED), ({ version }) => ({ version, outcome: 'banned' })],
      // Each moderator decides their own case.
      [{ own: '200', missing: NOT_FOUND }, createBanBody],
      // The moderators cannot decide it again. Malformed ids are tried here, because this body has no image id that
      // could be refused in their place.
      [
        { own: '409 already_answered', malformed: NOT_FOUND },
        ({ version }) => ({ version, outcome: 'dismissed' }),
      ],
    ),
    // A ban must be confirmed by a moderator other than the one who decided it. `moderator` tries first and
    // confirms the ban that `otherModerator` decided, so for `otherModerator` their own ban is already answered.
    ...createCaseRoute(
      'POST',
      'confirmation',
      [outcomeOfOneAttempt(VALIDATION_FAILED), ({ version }) => ({ version })],
      [
        {
          own: { moderator: '409 own_decision', else: '409 already_answered' },
          other: '200',
          ...unknownIdOutcomes,
        },
        ({ version }) => ({ version, isConfirmed: true }),
      ],
    ),
    'PUT /api/moderation/appeals/:appealId': {
      cases: [
        createModeratorCase(
          { own: '409 case_changed' },
          { path: buildAppealPath, body: () => ({ version: 0, outcome: 'upheld', answer: ANSWER }) },
        ),
        createModeratorCase(allowOnlyOnce, {
          path: buildAppealPath,
          body: ({ version }) => ({ version, outcome: 'upheld', answer: ANSWER }),
        }),
        createModeratorCase(outcomeOfOneAttempt(VALIDATION_FAILED), {
          path: buildAppealPath,
          body: ({ version }) => ({ version, outcome: 'upheld', answer: 'No' }), // too short
        }),
      ],
    },
    'POST /api/moderation/sanctions/:sanctionId/lift': {
      cases: [
        createModeratorCase(allowOnlyOnce, {
          path: buildLiftPath,
          body: () => ({ reason: 'A mistake' }),
        }),
        createModeratorCase(outcomeOfOneAttempt(VALIDATION_FAILED), {
          path: buildLiftPath,
          body: () => ({}),
        }),
      ],
    },
    'GET /api/moderation/people/:userId': {
      cases: [createModeratorCase(expectForEveryCase('200'), { path: buildPersonPath })],
    },
    // A hold keeps the data of a user from being erased. With the kind `other`, `person` is the caller: the moderators
    // try to place a hold on themselves.
    'PUT /api/moderation/people/:userId/hold': {
      cases: [
        createModeratorCase(
          { own: '200', other: '409 own_decision', ...unknownIdOutcomes },
          {
            path: (ids) => `${buildPersonPath(ids)}/hold`,
            body: () => ({ isHeld: true, reason: 'The police asked' }),
          },
        ),
        createModeratorCase(outcomeOfOneAttempt(VALIDATION_FAILED), {
          path: (ids) => `${buildPersonPath(ids)}/hold`,
          body: () => ({ isHeld: 'yes', reason: 'The police asked' }),
        }),
      ],
    },
    'GET /api/moderation/images': { cases: [createModeratorCase(outcomeOfOneAttempt('200'))] },
    'DELETE /api/moderation/images/:imageId': {
      cases: [
        createModeratorCase(
          // The evidence of both cases is the same image, so `moderator` has already unblocked it for the other one.
          { own: { moderator: '204', else: NOT_FOUND }, ...unknownIdOutcomes },
          { path: ({ blockedImage }) => `/api/moderation/images/${String(blockedImage)}` },
        ),
      ],
    },
    'GET /api/moderation/metrics': { cases: [createModeratorCase(outcomeOfOneAttempt('200'))] },
    'GET /api/moderation/audit': {
      cases: [
        createModeratorCase(
          { own: '200', other: '200', missing: '200', malformed: VALIDATION_FAILED },
          { path: ({ user }) => `/api/moderation/audit?moderatorId=${String(user)}` },
        ),
      ],
    },
  },
};
