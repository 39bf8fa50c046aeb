import { FACTS } from '../moderation.fixture';
import {
  type AuthorizationTable,
  FORBIDDEN,
  type HttpCase,
  type Ids,
  NOT_FOUND,
  type Outcomes,
  type RouteCases,
  expectForAllIds,
  VALIDATION_FAILED,
} from './authorization-case.fixture';

/** A case that is refused to users who are no moderators, whatever the path and the body. */
const forModerators = (
  moderatorOutcomes: Outcomes,
  path?: HttpCase['path'],
  body?: HttpCase['body'],
): HttpCase => ({
  path,
  body,
  outcomes: Object.fromEntries(Object.keys(moderatorOutcomes).map((kind) => [kind, FORBIDDEN])),
  moderatorOutcomes,
});

const unknownIds = { missing: NOT_FOUND, malformed: NOT_FOUND };
const everyCase = (outcome: string): Outcomes => ({ own: outcome, other: outcome, ...unknownIds });

/** An act on a case, by its last segment: each pair of outcomes and body is one attempt. */
const createCaseRoute = (
  method: string,
  act: string,
  ...attempts: [outcomes: Outcomes, body?: HttpCase['body']][]
): Record<string, RouteCases> => ({
  [`${method} /api/moderation/cases/:caseId/${act}`]: {
    cases: attempts.map(([outcomes, body]) =>
      forModerators(outcomes, (ids) => `/api/moderation/cases/${String(ids.case)}/${act}`, body),
    ),
  },
});

/** What is answered once: the first moderator gets to it before the other one tries. */
const onlyOnce: Outcomes = {
  own: { moderator: '200', else: '409 already_answered' },
  other: { moderator: '200', else: '409 already_answered' },
  ...unknownIds,
};
const ban = ({ version, evidenceImage }: Ids) => ({
  version,
  outcome: 'banned',
  rule: 'no_threats',
  facts: FACTS,
  blockImages: [evidenceImage],
});

export const moderationCases: AuthorizationTable = {
  routes: {
    'GET /api/moderation/cases': {
      cases: [
        forModerators(expectForAllIds('200')),
        forModerators(expectForAllIds(VALIDATION_FAILED), () => '/api/moderation/cases?limit=-1'),
        forModerators(expectForAllIds(VALIDATION_FAILED), () => '/api/moderation/cases?state=x'),
        forModerators(expectForAllIds(VALIDATION_FAILED), () => '/api/moderation/cases?cursor=x'),
      ],
    },
    'GET /api/moderation/cases/:caseId': {
      cases: [forModerators(everyCase('200'), (ids) => `/api/moderation/cases/${String(ids.case)}`)],
    },
    'GET /api/moderation/cases/:caseId/images/:imageId': {
      cases: [
        forModerators(
          everyCase('200'),
          (ids) => `/api/moderation/cases/${String(ids.case)}/images/${String(ids.evidenceImage)}`,
        ),
        forModerators(
          { own: NOT_FOUND },
          (ids) => `/api/moderation/cases/${String(ids.case)}/images/${ids.me}`,
        ),
      ],
    },
    ...createCaseRoute('POST', 'claim', [{ own: '200', other: '409 claimed', ...unknownIds }]),
    ...createCaseRoute(
      'POST',
      'notes',
      [everyCase('201'), () => ({ text: 'Look again' })],
      [expectForAllIds(VALIDATION_FAILED), () => ({ text: '' })],
    ),
    ...createCaseRoute(
      'POST',
      'escalation',
      [
        { own: '409 case_changed', other: '409 claimed', ...unknownIds },
        () => ({ version: 0, reason: 'Not sure' }),
      ],
      [expectForAllIds(VALIDATION_FAILED), () => ({ version: 'x', reason: 'Not sure' })],
    ),
    ...createCaseRoute('DELETE', 'claim', [{ other: '409 claimed' }], [{ own: '204', ...unknownIds }]),
    ...createCaseRoute(
      'POST',
      'decision',
      [{ own: '409 case_changed', other: '409 case_changed' }, (ids) => ({ ...ban(ids), version: 0 })],
      [expectForAllIds(VALIDATION_FAILED), ({ version }) => ({ version, outcome: 'banned' })],
      [{ own: '200', missing: NOT_FOUND }, ban],
      [
        { own: '409 already_answered', malformed: NOT_FOUND },
        ({ version }) => ({ version, outcome: 'dismissed' }),
      ],
    ),
    // The second look at a ban must be that of the moderator who did not decide.
    ...createCaseRoute(
      'POST',
      'confirmation',
      [expectForAllIds(VALIDATION_FAILED), ({ version }) => ({ version })],
      [
        { own: { moderator: '409 own_decision', else: '409 already_answered' }, other: '200', ...unknownIds },
        ({ version }) => ({ version, isConfirmed: true }),
      ],
    ),
    'PUT /api/moderation/appeals/:appealId': {
      cases: [
        forModerators(
          { own: '409 case_changed' },
          ({ appeal }) => `/api/moderation/appeals/${String(appeal)}`,
          () => ({ version: 0, outcome: 'upheld', answer: FACTS }),
        ),
        forModerators(
          onlyOnce,
          ({ appeal }) => `/api/moderation/appeals/${String(appeal)}`,
          ({ version }) => ({ version, outcome: 'upheld', answer: FACTS }),
        ),
        forModerators(
          expectForAllIds(VALIDATION_FAILED),
          ({ appeal }) => `/api/moderation/appeals/${String(appeal)}`,
          ({ version }) => ({ version, outcome: 'upheld', answer: 'No' }),
        ),
      ],
    },
    'POST /api/moderation/sanctions/:sanctionId/lift': {
      cases: [
        forModerators(
          onlyOnce,
          ({ sanction }) => `/api/moderation/sanctions/${String(sanction)}/lift`,
          () => ({ reason: 'A mistake' }),
        ),
        forModerators(
          expectForAllIds(VALIDATION_FAILED),
          ({ sanction }) => `/api/moderation/sanctions/${String(sanction)}/lift`,
          () => ({}),
        ),
      ],
    },
    'GET /api/moderation/people/:userId': {
      cases: [forModerators(everyCase('200'), ({ person }) => `/api/moderation/people/${String(person)}`)],
    },
    'PUT /api/moderation/people/:userId/hold': {
      cases: [
        forModerators(
          { own: '200', other: '409 own_decision', ...unknownIds },
          ({ person }) => `/api/moderation/people/${String(person)}/hold`,
          () => ({ isHeld: true, reason: 'The police asked' }),
        ),
        forModerators(
          expectForAllIds(VALIDATION_FAILED),
          ({ person }) => `/api/moderation/people/${String(person)}/hold`,
          () => ({ isHeld: 'yes', reason: 'The police asked' }),
        ),
      ],
    },
    'GET /api/moderation/images': { cases: [forModerators(expectForAllIds('200'))] },
    'DELETE /api/moderation/images/:imageId': {
      cases: [
        forModerators(
          // Both cases have the same image, which is blocked once.
          { own: { moderator: '204', else: NOT_FOUND }, ...unknownIds },
          ({ blockedImage }) => `/api/moderation/images/${String(blockedImage)}`,
        ),
      ],
    },
    'GET /api/moderation/metrics': { cases: [forModerators(expectForAllIds('200'))] },
    'GET /api/moderation/audit': {
      cases: [
        forModerators(
          { own: '200', other: '200', missing: '200', malformed: VALIDATION_FAILED },
          ({ user }) => `/api/moderation/audit?moderatorId=${String(user)}`,
        ),
      ],
    },
  },
};
