import { setTimeout as sleep } from 'node:timers/promises';
import type { PersonLog } from '../check/logs';
import { seededRandom } from '../random';
import { ChatLife } from './chat-life';
import { Person } from './person';

const GIVE_UP_MS = 40_000;

/** Result of a probe with fresh clients. */
export interface Recovery {
  /** Time from the recovery until both fresh clients had exchanged messages; undefined when they gave up. */
  tookMs: number | undefined;
  logs: PersonLog[];
}

/** Two new visitors join, are matched with each other or with others, send a message and receive one. */
export const probe = async (origin: string, seed: number): Promise<Recovery> => {
  const healedAt = Date.now();
  const deadline = healedAt + GIVE_UP_MS;
  const people = [new Person(origin), new Person(origin)];
  const done = await Promise.all(
    people.map(async (person, number) => {
      if (!(await person.join(number === 0 ? 'female' : 'male', deadline))) return false;
      person.come();
      return exchange(person, new ChatLife(person, seededRandom(seed + number)), deadline);
    }),
  );
  const tookMs = done.every(Boolean) ? Date.now() - healedAt : undefined;
  await Promise.all(
    people.map(async (person) => {
      if (person.journal?.current) await new ChatLife(person, seededRandom(seed)).skip();
      person.isStopping = true;
      person.leave();
    }),
  );
  return { tookMs, logs: people.flatMap(({ journal }) => (journal ? [journal.log] : [])) };
};

/** @returns whether our message was acknowledged and one from the partner was received. */
const exchange = async (person: Person, chat: ChatLife, deadline: number): Promise<boolean> => {
  while (Date.now() < deadline) {
    if (!chat.isChatting && !(await chat.search(Math.min(5_000, deadline - Date.now())))) {
      person.connection.pressReconnect();
      continue;
    }
    if ((await chat.say()) !== 'done') continue;
    for (const again = Date.now() + 3_000; Date.now() < again && chat.isChatting; await sleep(20)) {
      if (person.journal.messages.some(({ senderId }) => senderId !== person.id)) return true;
    }
  }
  return false;
};
