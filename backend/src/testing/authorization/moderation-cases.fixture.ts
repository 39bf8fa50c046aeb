import { FACTS } from '../moderation.fixture';
import {
  type AuthorizationTable,
  FORBIDDEN,
  type HttpCase,
  type Ids,
  NOT_FOUND,
  type Outcomes,
  type RouteCases,
  expectWithoutIds,
  VALIDATION_FAILED,
} from './authorization-case.fixture';

/** A case that is refused to users who are no moderators, whatever the path and the body. */
const createModeratorCase = (
  moderatorOutcomes: Outcomes,
  path?: HttpCase['path'],
  body?: HttpCase['body'],
): HttpCase => ({
  path,
  body,
  outcomes: Object.fromEntries(Object.keys(moderatorOutcomes).map((kind) => [kind, FORBIDDEN])),
  moderatorOutcomes,
});

const unknownIdOutcomes = { missing: NOT_FOUND, malformed: NOT_FOUND };
const expectForEveryCase = (outcome: string): Outcomes => ({
  own: outcome,
  other: outcome,
  ...unknownIdOutcomes,
});

/** The route of an act on a case. @param attempts the expected outcomes and the body of each attempt */
const createCaseRoute = (
  method: string,
  act: string,
  ...attempts: [outcomes: Outcomes, body?: HttpCase['body']][]
): Record<string, RouteCases> => ({
  [`${method} /api/moderation/cases/:caseId/${act}`]: {
    cases: attempts.map(([outcomes, body]) =>
      createModeratorCase(outcomes, (ids) => `/api/moderation/cases/${String(ids.case)}/${act}`, body),
    ),
  },
});

/** Outcomes of an act that succeeds once: the first moderator tries before the other one. */
const onlyOnce: Outcomes = {
  own: { moderator: '200', else: '409 already_answered' },
  other: { moderator: '200', else: '409 already_answered' },
  ...unknownIdOutcomes,
};
const createBan = ({ version, evidenceImage }: Ids) => ({
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
        createModeratorCase(expectWithoutIds('200')),
        createModeratorCase(expectWithoutIds(VALIDATION_FAILED), () => '/api/moderation/cases?limit=-1'),
        createModeratorCase(expectWithoutIds(VALIDATION_FAILED), () => '/api/moderation/cases?state=x'),
        createModeratorCase(expectWithoutIds(VALIDATION_FAILED), () => '/api/moderation/cases?cursor=x'),
      ],
    },
    'GET /api/moderation/cases/:caseId': {
      cases: [
        createModeratorCase(expectForEveryCase('200'), (ids) => `/api/moderation/cases/${String(ids.case)}`),
      ],
    },
    'GET /api/moderation/cases/:caseId/images/:imageId': {
      cases: [
        createModeratorCase(
          expectForEveryCase('200'),
          (ids) => `/api/moderation/cases/${String(ids.case)}/images/${String(ids.evidenceImage)}`,
        ),
        createModeratorCase(
          { own: NOT_FOUND },
          (ids) => `/api/moderation/cases/${String(ids.case)}/images/${ids.callerId}`,
        ),
      ],
    },
    ...createCaseRoute('POST', 'claim', [{ own: '200', other: '409 claimed', ...unknownIdOutcomes }]),
    ...createCaseRoute(
      'POST',
      'notes',
      [expectForEveryCase('201'), () => ({ text: 'Look again' })],
      [expectWithoutIds(VALIDATION_FAILED), () => ({ text: '' })],
    ),
    ...createCaseRoute(
      'POST',
      'escalation',
      [
        { own: '409 case_changed', other: '409 claimed', ...unknownIdOutcomes },
        () => ({ version: 0, reason: 'Not sure' }),
      ],
      [expectWithoutIds(VALIDATION_FAILED), () => ({ version: 'x', reason: 'Not sure' })],
    ),
    ...createCaseRoute('DELETE', 'claim', [{ other: '409 claimed' }], [{ own: '204', ...unknownIdOutcomes }]),
    ...createCaseRoute(
      'POST',
      'decision',
      [{ own: '409 case_changed', other: '409 case_changed' }, (ids) => ({ ...createBan(ids), version: 0 })],
      [expectWithoutIds(VALIDATION_FAILED), ({ version }) => ({ version, outcome: 'banned' })],
      [{ own: '200', missing: NOT_FOUND }, createBan],
      [
        { own: '409 already_answered', malformed: NOT_FOUND },
        ({ version }) => ({ version, outcome: 'dismissed' }),
      ],
    ),
    // A ban is confirmed by a moderator other than the one who decided.
    ...createCaseRoute(
      'POST',
      'confirmation',
      [expectWithoutIds(VALIDATION_FAILED), ({ version }) => ({ version })],
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
          ({ appeal }) => `/api/moderation/appeals/${String(appeal)}`,
          () => ({ version: 0, outcome: 'upheld', answer: FACTS }),
        ),
        createModeratorCase(
          onlyOnce,
          ({ appeal }) => `/api/moderation/appeals/${String(appeal)}`,
          ({ version }) => ({ version, outcome: 'upheld', answer: FACTS }),
        ),
        createModeratorCase(
          expectWithoutIds(VALIDATION_FAILED),
          ({ appeal }) => `/api/moderation/appeals/${String(appeal)}`,
          ({ version }) => ({ version, outcome: 'upheld', answer: 'No' }),
        ),
      ],
    },
    'POST /api/moderation/sanctions/:sanctionId/lift': {
      cases: [
        createModeratorCase(
          onlyOnce,
          ({ sanction }) => `/api/moderation/sanctions/${String(sanction)}/lift`,
          () => ({ reason: 'A mistake' }),
        ),
        createModeratorCase(
          expectWithoutIds(VALIDATION_FAILED),
          ({ sanction }) => `/api/moderation/sanctions/${String(sanction)}/lift`,
          () => ({}),
        ),
      ],
    },
    'GET /api/moderation/people/:userId': {
      cases: [
        createModeratorCase(
          expectForEveryCase('200'),
          ({ person }) => `/api/moderation/people/${String(person)}`,
        ),
      ],
    },
    'PUT /api/moderation/people/:userId/hold': {
      cases: [
        createModeratorCase(
          { own: '200', other: '409 own_decision', ...unknownIdOutcomes },
          ({ person }) => `/api/moderation/people/${String(person)}/hold`,
          () => ({ isHeld: true, reason: 'The police asked' }),
        ),
        createModeratorCase(
          expectWithoutIds(VALIDATION_FAILED),
          ({ person }) => `/api/moderation/people/${String(person)}/hold`,
          () => ({ isHeld: 'yes', reason: 'The police asked' }),
        ),
      ],
    },
    'GET /api/moderation/images': { cases: [createModeratorCase(expectWithoutIds('200'))] },
    'DELETE /api/moderation/images/:imageId': {
      cases: [
        createModeratorCase(
          // Both cases have the same image, which is blocked once.
          { own: { moderator: '204', else: NOT_FOUND }, ...unknownIdOutcomes },
          ({ blockedImage }) => `/api/moderation/images/${String(blockedImage)}`,
        ),
      ],
    },
    'GET /api/moderation/metrics': { cases: [createModeratorCase(expectWithoutIds('200'))] },
    'GET /api/moderation/audit': {
      cases: [
        createModeratorCase(
          { own: '200', other: '200', missing: '200', malformed: VALIDATION_FAILED },
          ({ user }) => `/api/moderation/audit?moderatorId=${String(user)}`,
        ),
      ],
    },
  },
};
