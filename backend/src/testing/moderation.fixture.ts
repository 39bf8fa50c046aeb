import { createHash, randomUUID } from 'node:crypto';
import type { Evidence, ModerationCase } from '@thaw/contract/moderation';
import type { AuditEntry } from '@thaw/contract/moderation-records';
import type { ReportCategory } from '@thaw/contract/safety';
import { ConductService } from '../modules/conduct/application/conduct.service';
import { ModeratorsService } from '../modules/users/application/moderators.service';
import type { TestReplica, TestStack } from './test-stack.harness';
import { ThawVisitor } from './thaw.client';

const HOUR_MS = 3_600_000;
/** The password of each moderator that `createModerator` registers. */
export const MODERATOR_PASSWORD = 'a good password';

/** Registers a user on a replica and appoints them as the command-line tool for moderators does. */
export const createModerator = async (stack: TestStack, replicaIndex = 0): Promise<ThawVisitor> => {
  const email = `moderator-${randomUUID()}@example.org`;
  const origin = stack.origins[replicaIndex]!;
  const visitor = await new ThawVisitor([origin]).register(email, MODERATOR_PASSWORD);
  // Any replica can appoint the user: `ModeratorsService` writes to the shared database.
  await stack.replicas[0]!.app.get(ModeratorsService).appoint(email);
  return visitor;
};

export interface ReportFields {
  category?: ReportCategory;
  /** The report in the reporter's own words. */
  words?: string | null;
  messages?: Evidence['messages'];
}

/** Files a report about a random chat, with the evidence that `ReportsService` otherwise collects from the chat. */
export const reportUser = async (
  { app }: Pick<TestReplica, 'app'>,
  reporter: Pick<ThawVisitor, 'user'>,
  target: Pick<ThawVisitor, 'user'>,
  { category = 'sexual', words = 'did not stop', messages = [] }: ReportFields = {},
): Promise<{ reportId: number; caseId: number }> => {
  const sessionId = randomUUID();
  const people = [reporter, target].map(({ user: { id, username } }) => ({ id, username }));
  const evidence = JSON.stringify({ source: 'random_chat', sessionId, people, messages, omitted: 0 });
  return app.get(ConductService).fileReport({
    userId: target.user.id,
    reporterId: reporter.user.id,
    category,
    context: { where: 'random_chat', sessionId, at: new Date().toISOString() },
    words,
    evidence,
    evidenceHash: createHash('sha256').update(evidence).digest('hex'),
    deviceAccountIds: [reporter.user.id], // no other account was used on the reporter's devices
    weight: 1, // counts towards automatic flagging and suspension
  });
};

/**
 * The HTTP calls of a moderator about cases. `answer` is about an appeal; `readAuditLog` returns the newest reads and
 * acts of a moderator, newest first.
 */
export const createModeratorApi = (moderator: ThawVisitor) => {
  const call = (method: string, path: string, body?: unknown) =>
    moderator.call(method, `/api/moderation/${path}`, body);
  return {
    call,
    list: (query = '') => call('GET', `cases${query}`),
    read: async (caseId: number): Promise<ModerationCase> => {
      const { status, body } = await call('GET', `cases/${caseId}`);
      if (status !== 200) throw new Error(`The case was answered with ${status}`);
      return body as unknown as ModerationCase;
    },
    claim: (caseId: number) => call('POST', `cases/${caseId}/claim`),
    decide: (caseId: number, body: object) => call('POST', `cases/${caseId}/decision`, body),
    confirm: (caseId: number, body: object) => call('POST', `cases/${caseId}/confirmation`, body),
    answer: (appealId: number, body: object) => call('PUT', `appeals/${appealId}`, body),
    readAuditLog: async (moderatorId: number): Promise<AuditEntry[]> => {
      const { body } = await call('GET', `audit?moderatorId=${moderatorId}`);
      return body.entries as AuditEntry[];
    },
  };
};

/** A text of a moderator for the user: the facts of a decision, or the answer to an appeal. */
export const FACTS = 'You went on after your partner had asked you to stop.';

/** `until` of a suspension that ends `hours` from now. */
export const formatHoursFromNow = (hours: number): string =>
  new Date(Date.now() + hours * HOUR_MS).toISOString();
