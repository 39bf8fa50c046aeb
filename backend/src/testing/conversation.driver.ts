import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { matchNewVisitors, type ThawSocket, type ThawVisitor } from './thaw.client';

/** Two users in a chat, and their acknowledged messages. */
export class Conversation {
  /** Content of acknowledged messages by `seq`. */
  readonly acknowledged = new Map<number, string>();
  /** Number of frames answered `unavailable`. */
  refusals = 0;
  private sendCount = 0;

  private constructor(
    readonly sessionId: string,
    readonly visitors: readonly [ThawVisitor, ThawVisitor],
    readonly sockets: readonly [ThawSocket, ThawSocket],
  ) {}

  /** @param origin address of the replica that serves both users. */
  static async start(origin: string): Promise<Conversation> {
    const { ada, bob, adaSocket, bobSocket, sessionId } = await matchNewVisitors([origin, origin]);
    return new Conversation(sessionId, [ada, bob], [adaSocket, bobSocket]);
  }

  /**
   * Sends a message and waits for the answer.
   * @param sender index in `visitors`.
   * @param text the content, to which a number is prefixed that makes each message unique.
   * @returns true if acknowledged, false if answered `unavailable`.
   * @throws Error for any other answer.
   */
  async send(sender: 0 | 1, text: string): Promise<boolean> {
    const content = `${(this.sendCount += 1)} ${text}`;
    const { sessionId } = this;
    const answer = await this.sockets[sender].ask('random_message', {
      sessionId,
      content,
      messageType: 'text',
    });
    if (answer.event === 'ack') {
      this.acknowledged.set(Number(answer.data.seq), content);
      return true;
    }
    this.countRefusal(answer.data);
    return false;
  }

  /** Counts an error answer. @throws Error unless its code is `unavailable` */
  countRefusal({ code }: Record<string, unknown>): void {
    if (code !== 'unavailable') throw new Error(`A frame was answered ${String(code)}`);
    this.refusals += 1;
  }
}

/**
 * Lets both users of every conversation send until `isOver`. Each of them waits for the answer to a message before the
 * next one, so the rate can be lower than intended.
 * @param perSecond messages per second of all senders together.
 * @returns the number of messages that were answered.
 */
export const sendMessages = async (
  conversations: readonly Conversation[],
  { perSecond, text, isOver }: { perSecond: number; text: string; isOver: () => boolean },
): Promise<number> => {
  const senders = conversations.flatMap((conversation) =>
    ([0, 1] as const).map((sender) => ({ conversation, sender })),
  );
  /** The interval between two messages, of any senders. */
  const intervalMs = 1_000 / perSecond;
  const startedAt = performance.now();
  let answered = 0;
  await Promise.all(
    senders.map(async ({ conversation, sender }, index) => {
      // The senders start one after the other, so that the messages are evenly distributed.
      const firstDueAt = startedAt + intervalMs * index;
      for (let dueAt = firstDueAt; !isOver(); dueAt += intervalMs * senders.length) {
        const waitMs = dueAt - performance.now();
        if (waitMs > 0) await sleep(waitMs);
        await conversation.send(sender, text);
        answered += 1;
      }
    }),
  );
  return answered;
};

/** The events of a chat in PostgreSQL, by `seq`: the content of a message or an edit, or the type of another event. */
export const readDurableTexts = async (
  dataSource: DataSource,
  sessionId: string,
): Promise<Map<number, string>> => {
  const rows = await dataSource.query<{ seq: string; text: string }[]>(
    `SELECT e.stream_position AS seq, coalesce(p.data->>'content', e.type) AS text
     FROM events e LEFT JOIN event_private p USING (stream_id, event_id)
     WHERE stream_id = $1 ORDER BY stream_position`,
    [`chat-${sessionId}`],
  );
  return new Map(rows.map(({ seq, text }) => [Number(seq), text]));
};

/**
 * Finds acknowledged messages that are not in PostgreSQL at their `seq`, and chats with a message that is there twice.
 * @returns a description of each fault.
 */
export const findLostAndDuplicateMessages = async (
  dataSource: DataSource,
  conversations: readonly Pick<Conversation, 'sessionId' | 'acknowledged'>[],
): Promise<string[]> => {
  const faults: string[] = [];
  for (const { sessionId, acknowledged } of conversations) {
    const texts = await readDurableTexts(dataSource, sessionId);
    for (const [seq, content] of acknowledged) {
      if (texts.get(seq) !== content) faults.push(`${sessionId} ${seq} is ${texts.get(seq)?.slice(0, 20)}`);
    }
    // A message starts with a number, such as `1` from `send` or `7.1` from `HostileUser` (hostile-user.driver.ts). An
    // event type does not.
    const messages = [...texts.values()].filter((text) => /^[\d.]+ /.test(text));
    if (new Set(messages).size !== messages.length) faults.push(`${sessionId} holds a message twice`);
  }
  return faults;
};
