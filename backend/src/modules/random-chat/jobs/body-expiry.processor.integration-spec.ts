// Runs against real PostgreSQL. The removal of files and the job queue are fakes. A body is the content of a message: a
// text, or the URL of an image.
import { randomUUID } from 'node:crypto';
import { EventStoreRepository } from '../../../platform/event-store/event-store.repository';
import { EventTypeRegistry } from '../../../platform/event-store/event-type.registry';
import { ExpiryHandlerRegistry } from '../../../platform/event-store/expiry-handler.registry';
import {
  type DroppedData,
  PersonalDataRepository,
} from '../../../platform/event-store/personal-data.repository';
import { ProjectionRegistry } from '../../../platform/event-store/projection.registry';
import type { JobHandlerRegistry } from '../../../platform/queue/job-handler.registry';
import type { JobQueueService } from '../../../platform/queue/job-queue.service';
import { createTestDatabase, type TestDatabase } from '../../../testing/test-database.harness';
import type { UploadRemovalService } from '../../uploads/application/upload-removal.service';
import type { RandomChatEvent } from '../domain/random-chat.events';
import { messageBodiesExpiryProjection, chatHistoryProjection } from '../projections/chat-history.projection';
import { randomChatEventTypes } from '../projections/random-chat.event-types';
import { BodyExpiryProcessor } from './body-expiry.processor';

const HOUR_MS = 60 * 60_000;
const START = new Date('2026-11-20T12:00:00Z');
const IMAGE = '/api/files/chat-images/0b9a7a3e-5a5b-4c0e-9d3f-6f6f3a1f0001.webp';

const getBody = ({ data }: DroppedData): string => String(data.content);
const isImage = (body: string): boolean => body === IMAGE;

const hoursAfterStart = (hours: number): Date => new Date(START.getTime() + hours * HOUR_MS);

let database: TestDatabase;
let store: EventStoreRepository;
let processor: BodyExpiryProcessor;
/** Images that `processor` has passed to the removal of files. */
const expiredImages: string[] = [];

/** @param releaseImagesOf removes the images among the bodies. */
const createProcessor = (releaseImagesOf: (dropped: DroppedData[]) => Promise<void>): BodyExpiryProcessor =>
  new BodyExpiryProcessor(
    database.dataSource,
    new PersonalDataRepository(database.dataSource),
    store,
    { releaseImagesOf } as unknown as UploadRemovalService,
    {} as JobHandlerRegistry,
    {} as JobQueueService,
    new ExpiryHandlerRegistry(),
    { EXPIRE_EVERY_S: 600 }, // not used: the tests call `expire` themselves
  );

beforeAll(async () => {
  database = await createTestDatabase();
  const eventTypes = new EventTypeRegistry();
  eventTypes.register(randomChatEventTypes);
  const projections = new ProjectionRegistry();
  projections.register(chatHistoryProjection);
  projections.register(messageBodiesExpiryProjection);
  store = new EventStoreRepository(database.dataSource, eventTypes, projections);
  processor = createProcessor(async (dropped) => {
    expiredImages.push(...dropped.map(getBody).filter(isImage));
  });
});

afterAll(() => database.close());

const createMessageSent = (body: string, messageType: 'text' | 'image' = 'text'): RandomChatEvent => ({
  type: 'MessageSent',
  data: { senderId: 1, content: body, messageType, replyTo: null, clientId: null },
});
const chatStarted: RandomChatEvent = {
  type: 'ChatStarted',
  data: {
    userIds: [1, 2],
    participants: [
      { id: 1, username: 'ada', avatar: null },
      { id: 2, username: 'bob', avatar: null },
    ],
  },
};
const chatEnded: RandomChatEvent = { type: 'ChatEnded', data: { reason: 'skipped', endedBy: 2 } };

/** Stores a new chat whose events all happen at the time `START`. @returns the id of the stream. */
const storeChat = async (...events: RandomChatEvent[]): Promise<string> => {
  const streamId = `chat-${randomUUID()}`;
  await store.append(
    streamId,
    'none',
    events.map(({ type, data }) => ({ eventId: randomUUID(), type, data, occurredAt: START })),
  );
  return streamId;
};

const readStoredBodies = async (streamId: string) =>
  (await store.read(streamId)).map(({ data }) => (data as { content?: string }).content).filter(Boolean);

it('erases the bodies and images of a chat a day after its end', async () => {
  const streamId = await storeChat(
    chatStarted,
    createMessageSent('hello'),
    createMessageSent(IMAGE, 'image'),
    chatEnded,
  );
  await processor.expire(hoursAfterStart(23));
  expect(await readStoredBodies(streamId)).toEqual(['hello', IMAGE]);

  expect(await processor.expire(hoursAfterStart(25))).toBe(1); // one chat
  expect(await readStoredBodies(streamId)).toEqual([]);
  expect(expiredImages).toEqual([IMAGE]);
});

it('erases the names of the participants together with the bodies, and keeps the events', async () => {
  const streamId = await storeChat(chatStarted, createMessageSent('hello'), chatEnded);
  await processor.expire(hoursAfterStart(25));
  const events = await store.read(streamId);
  expect(events.map(({ type }) => type)).toEqual([
    'ChatStarted',
    'MessageSent',
    'ChatEnded',
    'BodiesExpired',
  ]);
  expect(events[0]?.data).toEqual({ userIds: [1, 2] });
});

it('erases the bodies of a chat once, even when two runs overlap or a later one follows', async () => {
  const streamId = await storeChat(chatStarted, createMessageSent('hello'), chatEnded);
  await Promise.all([processor.expire(hoursAfterStart(25)), processor.expire(hoursAfterStart(25))]);
  await processor.expire(hoursAfterStart(26));
  expect((await store.read(streamId)).filter(({ type }) => type === 'BodiesExpired')).toHaveLength(1);
});

it('erases the bodies of a chat without an end after a week', async () => {
  const streamId = await storeChat(chatStarted, createMessageSent('still here'));
  await processor.expire(hoursAfterStart(6 * 24));
  expect(await readStoredBodies(streamId)).toEqual(['still here']);
  await processor.expire(hoursAfterStart(8 * 24));
  expect(await readStoredBodies(streamId)).toEqual([]);
});

it('keeps the bodies of a chat when the removal of its images fails', async () => {
  const streamId = await storeChat(
    chatStarted,
    createMessageSent('hello'),
    createMessageSent(IMAGE, 'image'),
    chatEnded,
  );
  const failingProcessor = createProcessor(() => Promise.reject(new Error('the table is locked')));
  await expect(failingProcessor.expire(hoursAfterStart(25))).rejects.toThrow('the table is locked');
  expect(await readStoredBodies(streamId)).toEqual(['hello', IMAGE]);
});

it('erases bodies at the expiry that an earlier release stored with each of them', async () => {
  const streamId = await storeChat(chatStarted, createMessageSent('hello'));
  // Now the expiry is stored once for a chat. Without an end, this chat would keep its bodies for a week.
  await database.dataSource.query('UPDATE event_private SET expires_at = $2 WHERE stream_id = $1', [
    streamId,
    hoursAfterStart(24),
  ]);
  await processor.expire(hoursAfterStart(25));
  expect(await readStoredBodies(streamId)).toEqual([]);
});

it('erases the bodies of the other chats when those of one chat cannot be erased', async () => {
  const chatWithImage = await storeChat(chatStarted, createMessageSent(IMAGE, 'image'), chatEnded);
  const otherChats = [
    await storeChat(chatStarted, createMessageSent('one'), chatEnded),
    await storeChat(chatStarted, createMessageSent('two'), chatEnded),
  ];
  const failingForImages = createProcessor(async (dropped) => {
    if (dropped.map(getBody).some(isImage)) throw new Error('no such bucket');
  });
  await expect(failingForImages.expire(hoursAfterStart(25))).rejects.toThrow('no such bucket');
  expect(await readStoredBodies(chatWithImage)).toEqual([IMAGE]);
  for (const streamId of otherChats) expect(await readStoredBodies(streamId)).toEqual([]);
  await processor.expire(hoursAfterStart(25));
  expect(await readStoredBodies(chatWithImage)).toEqual([]);
});
