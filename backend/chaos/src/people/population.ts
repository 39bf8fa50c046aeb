import { setTimeout as sleep } from 'node:timers/promises';
import { plainJpeg } from '#testing/image-corpus.fixture';
import type { PersonLog } from '../check/logs';
import { type Random, seededRandom } from '../random';
import { ChatLife } from './chat-life';
import { FriendLife } from './friend-life';
import { Person } from './person';

export interface PopulationOptions {
  origin: string;
  /** An even number, so that all users can be matched in the end. */
  people: number;
  /** Average time between two actions of a user, in milliseconds. */
  actEveryMs: number;
  seed: number;
}

const MATCHED_WITHIN_MS = 30_000;
const SETTLED_WITHIN_MS = 20_000;
const IMAGES_WITHIN_MS = 30_000;

interface Inhabitant {
  person: Person;
  chat: ChatLife;
  friends: FriendLife;
  random: Random;
}

/** All simulated users of a run. */
export class Population {
  private readonly inhabitants: Inhabitant[] = [];
  private lives: Promise<void>[] = [];
  private isOver = false;

  private constructor(private readonly options: PopulationOptions) {}

  static async join(options: PopulationOptions): Promise<Population> {
    const population = new Population(options);
    const everyone = seededRandom(options.seed);
    const photos = [await plainJpeg()];
    for (let number = 0; number < options.people; number += 1) {
      const person = new Person(options.origin);
      await person.join(number % 2 === 0 ? 'female' : 'male');
      const random = seededRandom(everyone.between(0, 0xffff_ffff));
      const friends = new FriendLife(person, random);
      person.onFrame = ({ event, data }) => {
        if (event === 'friend_request') void friends.ask(Number(data.requesterId));
        if (event === 'friendship_accepted')
          person.journal.log.friends.add(Number((data.friend as { id?: unknown }).id));
      };
      population.inhabitants.push({ person, chat: new ChatLife(person, random, photos), friends, random });
    }
    return population;
  }

  get people(): Person[] {
    return this.inhabitants.map(({ person }) => person);
  }

  get logs(): PersonLog[] {
    return this.people.map(({ journal }) => journal.log);
  }

  /** Connects all users, who act at random until `settle`. */
  live(): void {
    this.isOver = false;
    for (const { person } of this.inhabitants) {
      person.isStopping = false;
      person.come();
    }
    this.lives = this.inhabitants.map((inhabitant) => this.liveOf(inhabitant));
  }

  /** Presses the Reconnect button of every user whose page shows it. */
  pressReconnect(): void {
    for (const { connection } of this.people) connection.pressReconnect();
  }

  /** Lets every user finish their action, and waits until both sides of every chat agree. @returns what did not. */
  async settle(): Promise<string[]> {
    this.isOver = true;
    await Promise.all(this.lives);
    for (const person of this.people) person.isStopping = true;
    await waitUntil(() => this.people.every(({ connection }) => connection.isReady), SETTLED_WITHIN_MS);
    const unequal = () => this.unequalChats();
    await waitUntil(() => unequal().length === 0, SETTLED_WITHIN_MS);
    const away = this.people.filter(({ connection }) => !connection.isReady);
    return [...away.map(({ id }) => `user ${id} could not come back`), ...unequal()];
  }

  /** Chats that are open on one side only, or whose sides have received different numbers of events. */
  private unequalChats(): string[] {
    const byId = new Map(this.people.map((person) => [person.id, person]));
    return this.people.flatMap(({ id, journal: { current } }) => {
      if (!current) return [];
      const partner = byId.get(current.partnerId);
      if (!partner) return []; // a probe, which leaves by itself
      const theirs = partner.journal.current;
      if (theirs?.sessionId !== current.sessionId)
        return [`user ${id} is in ${current.sessionId}, and partner ${partner.id} is not`];
      return theirs.lastSeq === current.lastSeq
        ? []
        : [
            `${current.sessionId}: user ${id} is at ${current.lastSeq}, and ${partner.id} at ${theirs.lastSeq}`,
          ];
    });
  }

  /**
   * Proves that no user is stuck: all of them end their chats, search, are matched, send a message that the partner
   * receives, and are idle in the end. @returns the users who could not.
   */
  async proveFree(): Promise<string[]> {
    for (const person of this.people) person.isStopping = false;
    await Promise.all(this.inhabitants.map(({ chat }) => chat.skip()));
    await waitUntil(() => this.people.every(({ journal }) => !journal.current), SETTLED_WITHIN_MS);
    const stuck = await Promise.all(
      this.inhabitants.map(async ({ person, chat }) => {
        if (!(await chat.search(MATCHED_WITHIN_MS))) return [`user ${person.id} was not matched in the end`];
        const seqOf = () => person.journal.current?.lastSeq ?? Infinity;
        const outcome = await chat.say();
        const bothSpoke = await waitUntil(() => seqOf() >= 3, SETTLED_WITHIN_MS);
        if (outcome === 'done' && bothSpoke) return [];
        return [`user ${person.id} could not talk in the end: ${outcome ?? 'the chat was over'}`];
      }),
    );
    await Promise.all(this.inhabitants.map(({ chat }) => chat.skip()));
    await waitUntil(() => this.people.every(({ journal }) => !journal.current), SETTLED_WITHIN_MS);
    for (const person of this.people) person.isStopping = true;
    return stuck.flat();
  }

  /** Every user opens every image they sent or received. @returns the images that could not be opened. */
  async unseenImages(): Promise<string[]> {
    for (const person of this.people) person.isStopping = false;
    const giveUp = setTimeout(() => {
      for (const person of this.people) person.isStopping = true;
    }, IMAGES_WITHIN_MS);
    const unseen = this.people.map(async (person) => {
      const found: string[] = [];
      for (const url of person.journal.log.images) {
        const status = await person.statusOf(url);
        if (status !== 200) found.push(`user ${person.id}: ${url} answers ${status ?? 'nothing'}`);
      }
      person.isStopping = true;
      return found;
    });
    const found = (await Promise.all(unseen)).flat();
    clearTimeout(giveUp);
    return found;
  }

  leave(): void {
    for (const person of this.people) person.leave();
  }

  private async liveOf({ chat, friends, random }: Inhabitant): Promise<void> {
    while (!this.isOver) {
      if (!chat.isChatting) {
        await chat.search(2_000);
        continue;
      }
      if (random.chance(0.012)) await chat.skip();
      else if (random.chance(0.02)) await friends.befriendPartner();
      else if (random.chance(0.12)) await friends.write();
      else await chat.actInChat();
      await sleep(this.options.actEveryMs * (0.5 + random.next()));
    }
  }
}

const waitUntil = async (isSo: () => boolean, withinMs: number): Promise<boolean> => {
  for (const deadline = Date.now() + withinMs; Date.now() < deadline; await sleep(20))
    if (isSo()) return true;
  return isSo();
};
