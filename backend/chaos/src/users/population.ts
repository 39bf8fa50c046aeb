import { setTimeout as sleep } from 'node:timers/promises';
import { createPlainJpeg } from '#testing/image-corpus.fixture';
import type { UserLog } from '../check/user-log';
import { type Random, createSeededRandom } from '../random';
import { ChatBehaviour } from './chat-behaviour';
import { FriendBehaviour } from './friend-behaviour';
import { SimulatedUser } from './simulated-user';

export interface PopulationOptions {
  origin: string;
  /** An even number, so that every user finds a partner at the end. */
  userCount: number;
  /** Average time between two actions of a user, in milliseconds. */
  actEveryMs: number;
  seed: number;
}

const MATCHED_WITHIN_MS = 30_000;
const SETTLED_WITHIN_MS = 20_000;
const IMAGES_WITHIN_MS = 30_000;
/** Position of the second message of a chat, after its start and the first message. */
const SEQ_OF_SECOND_MESSAGE = 3;

interface Member {
  user: SimulatedUser;
  chat: ChatBehaviour;
  friends: FriendBehaviour;
  random: Random;
}

/** All simulated users of a run. */
export class Population {
  private readonly members: Member[] = [];
  private activities: Promise<void>[] = [];
  private isOver = false;

  private constructor(private readonly options: PopulationOptions) {}

  static async join(options: PopulationOptions): Promise<Population> {
    const population = new Population(options);
    const seeds = createSeededRandom(options.seed);
    const photos = [await createPlainJpeg()];
    for (let number = 0; number < options.userCount; number += 1) {
      const user = new SimulatedUser(options.origin);
      await user.join(number % 2 === 0 ? 'female' : 'male');
      const random = createSeededRandom(seeds.chooseBetween(0, 0xffff_ffff));
      const friends = new FriendBehaviour(user, random);
      user.onFrame = ({ event, data }) => {
        if (event === 'friend_request') void friends.sendRequest(Number(data.requesterId));
        if (event === 'friendship_accepted')
          user.recorder.log.friends.add(Number((data.friend as { id?: unknown }).id));
      };
      population.members.push({ user, chat: new ChatBehaviour(user, random, photos), friends, random });
    }
    return population;
  }

  get users(): SimulatedUser[] {
    return this.members.map(({ user }) => user);
  }

  get logs(): UserLog[] {
    return this.users.map(({ recorder }) => recorder.log);
  }

  /** Connects all users, who act at random until `finishActions`. */
  startActing(): void {
    this.isOver = false;
    for (const { user } of this.members) {
      user.isStopping = false;
      user.connect();
    }
    this.activities = this.members.map((member) => this.actUntilOver(member));
  }

  /** Presses the Reconnect button of every user whose page shows it. */
  pressReconnect(): void {
    for (const { connection } of this.users) connection.pressReconnect();
  }

  /**
   * Lets every user finish their action, and waits until all are connected and both sides of every chat have the same
   * events. @returns the users who are not connected and the chats that differ.
   */
  async finishActions(): Promise<string[]> {
    this.isOver = true;
    await Promise.all(this.activities);
    for (const user of this.users) user.isStopping = true;
    await waitUntil(() => this.users.every(({ connection }) => connection.isReady), SETTLED_WITHIN_MS);
    await waitUntil(() => this.findUnequalChats().length === 0, SETTLED_WITHIN_MS);
    const disconnected = this.users.filter(({ connection }) => !connection.isReady);
    return [...disconnected.map(({ id }) => `user ${id} could not reconnect`), ...this.findUnequalChats()];
  }

  /** Chats that are open on one side only, or whose sides have received different numbers of events. */
  private findUnequalChats(): string[] {
    const byId = new Map(this.users.map((user) => [user.id, user]));
    return this.users.flatMap(({ id, recorder: { current } }) => {
      if (!current) return [];
      const partner = byId.get(current.partnerId);
      if (!partner) return []; // the partner belongs to a probe, which ends its chats itself
      const partnerChat = partner.recorder.current;
      if (partnerChat?.sessionId !== current.sessionId)
        return [`user ${id} is in ${current.sessionId}, and partner ${partner.id} is not`];
      return partnerChat.lastSeq === current.lastSeq
        ? []
        : [
            `${current.sessionId}: user ${id} is at ${current.lastSeq}, and ${partner.id} at ${partnerChat.lastSeq}`,
          ];
    });
  }

  /**
   * Proves that no user is stuck: all of them end their chats, search, are matched, send a message that the partner
   * receives, and are idle at the end. @returns the users who could not.
   */
  async findStuckUsers(): Promise<string[]> {
    for (const user of this.users) user.isStopping = false;
    await Promise.all(this.members.map(({ chat }) => chat.skip()));
    await waitUntil(() => this.users.every(({ recorder }) => !recorder.current), SETTLED_WITHIN_MS);
    const stuck = await Promise.all(
      this.members.map(async ({ user, chat }) => {
        if (!(await chat.search(MATCHED_WITHIN_MS))) return [`user ${user.id} was not matched at the end`];
        // No chat: the partner has received this user's message, and skipped.
        const readLastSeq = () => user.recorder.current?.lastSeq ?? Infinity;
        const outcome = await chat.sendMessage();
        const haveBothSent = await waitUntil(() => readLastSeq() >= SEQ_OF_SECOND_MESSAGE, SETTLED_WITHIN_MS);
        if (outcome === 'done' && haveBothSent) return [];
        return [`user ${user.id} could not chat at the end: ${outcome ?? 'the chat was over'}`];
      }),
    );
    await Promise.all(this.members.map(({ chat }) => chat.skip()));
    await waitUntil(() => this.users.every(({ recorder }) => !recorder.current), SETTLED_WITHIN_MS);
    for (const user of this.users) user.isStopping = true;
    return stuck.flat();
  }

  /** Every user opens every image they sent or received. @returns the images that could not be opened. */
  async findUnavailableImages(): Promise<string[]> {
    for (const user of this.users) user.isStopping = false;
    const timer = setTimeout(() => {
      for (const user of this.users) user.isStopping = true;
    }, IMAGES_WITHIN_MS);
    const checks = this.users.map(async (user) => {
      const found: string[] = [];
      for (const url of user.recorder.log.images) {
        const status = await user.fetchStatus(url);
        if (status !== 200) found.push(`user ${user.id}: ${url} answers ${status ?? 'nothing'}`);
      }
      user.isStopping = true;
      return found;
    });
    const found = (await Promise.all(checks)).flat();
    clearTimeout(timer);
    return found;
  }

  disconnectAll(): void {
    for (const user of this.users) user.disconnect();
  }

  private async actUntilOver({ chat, friends, random }: Member): Promise<void> {
    while (!this.isOver) {
      if (!chat.isChatting) {
        await chat.search(2_000);
        continue;
      }
      // Sending chat messages is by far the most frequent action, as in real use.
      if (random.isChosen(0.012)) await chat.skip();
      else if (random.isChosen(0.02)) await friends.befriendPartner();
      else if (random.isChosen(0.12)) await friends.writePrivateMessage();
      else await chat.actInChat();
      await sleep(this.options.actEveryMs * (0.5 + random.nextFraction()));
    }
  }
}

const waitUntil = async (condition: () => boolean, withinMs: number): Promise<boolean> => {
  for (const deadline = Date.now() + withinMs; Date.now() < deadline; await sleep(20))
    if (condition()) return true;
  return condition();
};
