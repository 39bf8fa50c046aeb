import { AgeFindingsService } from '../modules/conduct/application/age-findings.service';
import { ConductService } from '../modules/conduct/application/conduct.service';
import { FindingRepository } from '../modules/conduct/infrastructure/finding.repository';
import { FindingsProcessor } from '../modules/conduct/jobs/findings.processor';
import { JobHandlerRegistry } from '../platform/queue/job-handler.registry';
import { JobQueueService } from '../platform/queue/job-queue.service';
import { readQueueState, type TestChat } from './random-chat.fixture';
import type { TestStack } from './test-stack.harness';
import { textMessage, type ThawVisitor } from './thaw.client';
import { until } from './until.functions';

/** Sends a message of Ada that states an age under 18. Resolves when neither user is searching or chatting. */
export const stateAge = async (
  stack: TestStack,
  { ada, bob, adaSocket, sessionId }: TestChat,
  text: string,
): Promise<{ messageId: string }> => {
  const { id } = await adaSocket.request('random_message', textMessage(sessionId, text));
  for (const user of [ada, bob]) await until(async () => (await readQueueState(stack, user)) === undefined);
  return { messageId: String(id) };
};

/** What is stored when a finding has been raised. */
export interface StoredFinding {
  /** The messages of the chat, as JSON. */
  evidence: string;
  /** The SHA-256 of the evidence, in hex. */
  evidenceHash: string;
  /** The id of the event that ended the chat. */
  endEventId: string;
  /** The kind of the case that the finding has opened. */
  caseKind: string;
}

/** Reads the findings about a user. Their evidence is personal data, so it is not in `events`. */
export const readFindings = (stack: TestStack, { user }: ThawVisitor): Promise<StoredFinding[]> =>
  stack.database.dataSource.query(
    `SELECT personal.data->>'evidence' AS evidence, raised.data->>'evidenceHash' AS "evidenceHash",
            raised.data->>'sourceEventId' AS "endEventId", opened_case.kind AS "caseKind"
     FROM events raised
     JOIN event_private personal USING (stream_id, event_id)
     JOIN conduct_cases opened_case ON opened_case.id = (raised.data->>'caseId')::bigint
     WHERE raised.stream_id = $1 AND raised.type = 'FindingRaised'`,
    [`conduct-${user.id}`],
  );

/** Makes every replica fail to raise findings, until the mocks are restored. */
export const failToRaiseFindings = ({ replicas }: TestStack): void => {
  for (const { app } of replicas)
    jest.spyOn(app.get(ConductService), 'raiseFinding').mockRejectedValue(new Error('PostgreSQL is away'));
};

/** Runs the worker's job that raises findings which a replica could not raise. @returns how many it has raised */
export const raiseMissedFindings = (stack: TestStack): Promise<number> => {
  const { app } = stack.replicas[0]!;
  const processor = new FindingsProcessor(
    new FindingRepository(stack.database.dataSource),
    app.get(AgeFindingsService),
    new JobHandlerRegistry(),
    app.get(JobQueueService),
  );
  return processor.run();
};
