import {
  claimSchema,
  moderationCaseSchema,
  versionAnswerSchema,
  type AddNote,
  type Claim,
  type ConfirmBan,
  type DecideAppeal,
  type DecideCase,
  type EscalateCase,
  type Hold,
  type LiftSanction,
  type ModerationCase,
  type VersionAnswer,
} from '@thaw/contract/moderation';
import { request } from '@/lib/api-client';

const caseUrl = (caseId: number): string => `/api/moderation/cases/${caseId}`;

/** Claims a case for 15 minutes, so that no other moderator can decide it, or renews the claim. */
export const claimCase = async (caseId: number): Promise<Claim> =>
  claimSchema.parse(await request('POST', `${caseUrl(caseId)}/claim`));

/** Ends the signed-in moderator's claim of a case before it expires. */
export const releaseCase = (caseId: number): Promise<unknown> =>
  request('DELETE', `${caseUrl(caseId)}/claim`);

/** @returns the version of the case with the note */
export const addNote = async (caseId: number, note: AddNote): Promise<VersionAnswer> =>
  versionAnswerSchema.parse(await request('POST', `${caseUrl(caseId)}/notes`, note));

/** @returns the changed case */
const changeCase = async (
  caseId: number,
  change: 'escalation' | 'decision',
  body: object,
): Promise<ModerationCase> =>
  moderationCaseSchema.parse(await request('POST', `${caseUrl(caseId)}/${change}`, body));

export const escalateCase = (caseId: number, body: EscalateCase): Promise<ModerationCase> =>
  changeCase(caseId, 'escalation', body);

export const decideCase = (caseId: number, body: DecideCase): Promise<ModerationCase> =>
  changeCase(caseId, 'decision', body);

/** Confirms or lifts a ban that another moderator has imposed. */
export const confirmBan = (caseId: number, body: ConfirmBan): Promise<unknown> =>
  request('POST', `${caseUrl(caseId)}/confirmation`, body);

export const decideAppeal = (appealId: number, body: DecideAppeal): Promise<unknown> =>
  request('PUT', `/api/moderation/appeals/${appealId}`, body);

export const liftSanction = (sanctionId: number, body: LiftSanction): Promise<unknown> =>
  request('POST', `/api/moderation/sanctions/${sanctionId}/lift`, body);

/** Sets or lifts the legal hold of a user: while it is set, no data of the user is erased. */
export const setHold = (userId: number, body: Hold): Promise<unknown> =>
  request('PUT', `/api/moderation/people/${userId}/hold`, body);

/** Removes an image from the block-list. The image itself is not deleted. */
export const unblockImage = (imageId: number): Promise<unknown> =>
  request('DELETE', `/api/moderation/images/${imageId}`);
