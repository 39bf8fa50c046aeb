import type { EventTypeDefinition } from '../../../platform/event-store/event-type.registry';
import type { StandingEvent } from '../../standings/domain/standing.events';
import type { ConductEvent } from '../domain/conduct.events';

/** The event types of the stream `conduct-<userId>` that only this module folds. `standings` registers the others. */
type ConductOnlyType = Exclude<ConductEvent['type'], StandingEvent['type']>;

/**
 * The fields of each event type that can be erased. A field may concern several users, so the types define no
 * `subjectId` (the user whose erasure also erases the fields). The fields expire with their case instead.
 */
const personalFields: Record<ConductOnlyType, readonly string[]> = {
  CaseOpened: [],
  ReportFiled: ['words', 'evidence'],
  FindingRaised: ['evidence'],
  CaseClaimed: [],
  CaseReleased: [],
  CaseEscalated: ['reason'],
  CaseNoted: ['text'],
  CaseDecided: ['facts', 'note'],
  PersonWarned: [],
  AppealFiled: ['words'],
  EvidenceExpired: [],
};

export const conductOnlyTypes = Object.keys(personalFields) as ConductOnlyType[];

export const conductEventTypes: readonly EventTypeDefinition[] = conductOnlyTypes.map((type) => ({
  type,
  schemaVersion: 1,
  personalFields: personalFields[type],
}));
