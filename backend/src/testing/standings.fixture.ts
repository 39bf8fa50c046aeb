import { randomUUID } from 'node:crypto';
import type { INestApplicationContext } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { StandingsService } from '../modules/standings/application/standings.service';
import { buildConductStreamId, type StandingEvent } from '../modules/standings/domain/standing.events';
import { EventStoreRepository } from '../platform/event-store/event-store.repository';

/** A process under test, such as a replica or a worker. Its application has the event store. */
interface WithApp {
  app: INestApplicationContext;
}

const HOUR_MS = 3_600_000;

/** The time `hours` from now. */
export const addHoursToNow = (hours: number): Date => new Date(Date.now() + hours * HOUR_MS);

/** Takes the next id for a case, sanction or notice. */
export const allocateConductId = async ({ app }: WithApp): Promise<number> => {
  const [row] = await app.get(DataSource).query<[{ id: string }]>(`SELECT nextval('conduct_ids') AS id`);
  return Number(row.id);
};

type DataOf<Type> = Omit<Extract<StandingEvent, { type: Type }>['data'], 'userId'>;

/**
 * Appends an event to the conduct stream of a user, from which their standing follows: whether they are suspended,
 * banned, flagged or asked for their age. Replicas learn of a change only by `announceStanding`.
 */
export const recordConduct = async <Type extends StandingEvent['type']>(
  { app }: WithApp,
  userId: number,
  type: Type,
  data: DataOf<Type>,
): Promise<void> => {
  await app
    .get(EventStoreRepository)
    .append(buildConductStreamId(userId), 'any', [
      { type, eventId: randomUUID(), occurredAt: new Date(), data: { userId, ...data } },
    ]);
};

/**
 * Suspends or bans a user. A ban never ends.
 * @param options.until when a suspension ends, by default in an hour; null if it never ends
 * @returns the ids of the sanction and its notice.
 */
export const imposeSanction = async (
  context: WithApp,
  userId: number,
  {
    kind = 'suspended',
    until = addHoursToNow(1),
  }: { kind?: 'suspended' | 'banned'; until?: Date | null } = {},
): Promise<{ sanctionId: number; noticeId: number }> => {
  const endsAt = kind === 'banned' ? null : until;
  const sanctionId = await allocateConductId(context);
  const noticeId = await allocateConductId(context);
  await recordConduct(context, userId, 'SanctionImposed', {
    sanctionId,
    noticeId,
    kind,
    rule: 'no_hate',
    until: endsAt?.toISOString() ?? null,
    caseId: null,
    isAutomatic: false,
    inheritedFrom: null,
  });
  return { sanctionId, noticeId };
};

export const liftSanction = async (context: WithApp, userId: number, sanctionId: number): Promise<void> =>
  recordConduct(context, userId, 'SanctionLifted', {
    sanctionId,
    noticeId: await allocateConductId(context),
    cause: 'moderator',
    moderatorId: null,
    reason: null,
  });

/** Records that a user has been asked for their age. @returns the id of the notice. */
export const askAge = async (context: WithApp, userId: number): Promise<number> => {
  const noticeId = await allocateConductId(context);
  await recordConduct(context, userId, 'AgeAsked', { noticeId, caseId: null });
  return noticeId;
};

/** Flags a user, who is then matched only with flagged users. By default for an hour. */
export const flag = async (context: WithApp, userId: number, until = addHoursToNow(1)): Promise<void> =>
  recordConduct(context, userId, 'PersonFlagged', {
    caseId: null,
    until: until.toISOString(),
    cause: 'reports',
    noticeId: await allocateConductId(context),
  });

/** Announces the user's current standing to all replicas, as `ConductService` does after each change. */
export const announceStanding = ({ app }: WithApp, userId: number): Promise<void> =>
  app.get(StandingsService).announce(userId);
