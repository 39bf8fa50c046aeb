import { setTimeout as sleep } from 'node:timers/promises';
import { createPlainJpeg } from '#testing/image-corpus.fixture';
import type { UserLog } from '../check/user-log';
import { type Random, createSeededRandom } from '../random';
import { ChatBehaviour } from './chat-behaviour';
import { FriendBehaviour } from './friend-behaviour';
import type { Frame } from './page-socket';
import { SimulatedUser } from './simulated-user';

export interface PopulationOptions {
  origin: string;
  /** An even number, so that every user finds a partner at the end. */
  userCount: number;
  /** Average time between two actions of a user, in milliseconds. */
  actEveryMs: number;
  seed: number;
}

/** Time of one search, after which a user checks whether the simulation is over. */
const SEARCH_MS = 2_000;
const MATCH_TIMEOUT_MS = 30_000;
const SETTLE_TIMEOUT_MS = 20_000;
const IMAGES_TIMEOUT_MS = 30_000;
const POLL_MS = 20;
/** Position (seq) of the second message of a chat, after the start of the chat and the first message. */
const SEQ_OF_SECOND_MESSAGE = 3;
// `actUntilOver` considers these actions in this order, each with its probability. If it chooses none of them,
// `ChatBehaviour.actInChat` chooses the action.
const SKIP_PROBABILITY = 0.012;
const BEFRIEND_PROBABILITY = 0.02;
const PRIVATE_MESSAGE_PROBABILITY = 0.12;

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
  /** Whether users begin no further random actions. Unlike `SimulatedUser.isStopping`, it aborts no action. */
  private isOver = false;

  private constructor(private readonly options: PopulationOptions) {}

  /** Creates the accounts of all users. `startActing` connects them. */
  static async create(options: PopulationOptions): Promise<Population> {
    const population = new Population(options);
    const seedRandom = createSeededRandom(options.seed);
    const photo = await createPlainJpeg();
    for (let index = 0; index < options.userCount; index += 1) {
      const user = new SimulatedUser(options.origin);
      await user.createAccount(index % 2 === 0 ? 'female' : 'male');
      const random = createSeededRandom(seedRandom.chooseBetween(0, 0xffff_ffff));
      const friends = new FriendBehaviour(user, random);
      user.onFrame = (frame) => handleFriendFrame(frame, user, friends);
      population.members.push({ user, chat: new ChatBehaviour(user, random, photo), friends, random });
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

  /** Presses the Reconnect button on every page that shows it. */
  pressReconnect(): void {
    for (const { connection } of this.users) connection.pressReconnect();
  }

  /**
   * Lets every user finish their action, and waits until all users are connected and both users of every chat have
   * received the same number of events.
   * @returns descriptions of users who did not connect, and of chats that did not become equal, within a time limit
   */
  async finishActions(): Promise<string[]> {
    this.isOver = true;
    await Promise.all(this.activities);
    this.setStopping(true);
    await waitUntil(() => this.users.every(({ connection }) => connection.isReady), SETTLE_TIMEOUT_MS);
    await waitUntil(() => this.findUnequalChats().length === 0, SETTLE_TIMEOUT_MS);
    const disconnected = this.users.filter(({ connection }) => !connection.isReady);
    return [...disconnected.map(({ id }) => `user ${id} could not reconnect`), ...this.findUnequalChats()];
  }

  /** Describes chats that are open for one user only, or whose users have received different numbers of events. */
  private findUnequalChats(): string[] {
    const userById = new Map(this.users.map((user) => [user.id, user]));
    const problems: string[] = [];
    for (const { id, recorder } of this.users) {
      const chat = recorder.currentChat;
      if (!chat) continue;
      const partner = userById.get(chat.partnerId);
      // The partner is a client of `probeWithFreshClients`, which ends its chats itself.
      if (!partner) continue;
      const partnerChat = partner.recorder.currentChat;
      const { sessionId, lastSeq } = chat;
      if (partnerChat?.sessionId !== sessionId)
        problems.push(`user ${id} is in ${sessionId}, and partner ${partner.id} is not`);
      else if (partnerChat.lastSeq !== lastSeq)
        problems.push(
          `${sessionId}: user ${id} is at ${lastSeq}, and ${partner.id} at ${partnerChat.lastSeq}`,
        );
    }
    return problems;
  }

  /**
   * Checks that no user is stuck: all users end their chats, search, are matched, send a message and receive one, and
   * skip.
   * @returns descriptions of users who could not
   */
  async findStuckUsers(): Promise<string[]> {
    this.setStopping(false);
    await this.skipAllChats();
    const stuckUsers = await Promise.all(
      this.members.map(async ({ user, chat }) => {
        if (!(await chat.search(MATCH_TIMEOUT_MS))) return [`user ${user.id} was not matched at the end`];
        const outcome = await chat.sendMessage();
        // Infinity ends the wait if the chat has ended meanwhile.
        const readLastSeq = () => user.recorder.currentChat?.lastSeq ?? Infinity;
        const haveBothSent = await waitUntil(() => readLastSeq() >= SEQ_OF_SECOND_MESSAGE, SETTLE_TIMEOUT_MS);
        if (outcome === 'done' && haveBothSent) return [];
        return [`user ${user.id} could not chat at the end: ${outcome ?? 'the chat was over'}`];
      }),
    );
    await this.skipAllChats();
    this.setStopping(true);
    return stuckUsers.flat();
  }

  private async skipAllChats(): Promise<void> {
    await Promise.all(this.members.map(({ chat }) => chat.skip()));
    await waitUntil(() => this.users.every(({ recorder }) => !recorder.currentChat), SETTLE_TIMEOUT_MS);
  }

  /**
   * Lets every user open every image that they have sent or received.
   * @returns descriptions of the images that could not be opened
   */
  async findUnavailableImages(): Promise<string[]> {
    this.setStopping(false);
    const timer = setTimeout(() => this.setStopping(true), IMAGES_TIMEOUT_MS);
    const checks = this.users.map(async (user) => {
      const unavailableImages: string[] = [];
      for (const url of user.recorder.log.images) {
        const status = await user.fetchStatus(url);
        if (status !== 200) unavailableImages.push(`user ${user.id}: ${url} answers ${status ?? 'nothing'}`);
      }
      user.isStopping = true;
      return unavailableImages;
    });
    const unavailableImages = (await Promise.all(checks)).flat();
    clearTimeout(timer);
    return unavailableImages;
  }

  disconnectAll(): void {
    for (const user of this.users) user.disconnect();
  }

  private setStopping(isStopping: boolean): void {
    for (const user of this.users) user.isStopping = isStopping;
  }

  private async actUntilOver({ chat, friends, random }: Member): Promise<void> {
    while (!this.isOver) {
      if (!chat.isChatting) {
        await chat.search(SEARCH_MS);
        continue;
      }
      // Sending chat messages is by far the most frequent action, as in real use.
      if (random.isChosen(SKIP_PROBABILITY)) await chat.skip();
      else if (random.isChosen(BEFRIEND_PROBABILITY)) await friends.befriendPartner();
      else if (random.isChosen(PRIVATE_MESSAGE_PROBABILITY)) await friends.writePrivateMessage();
      else await chat.actInChat();
      // Varies by half of the average in both directions.
      await sleep(this.options.actEveryMs * (0.5 + random.nextFraction()));
    }
  }
}

/** Accepts friend requests, and records new friends. */
const handleFriendFrame = ({ event, data }: Frame, user: SimulatedUser, friends: FriendBehaviour): void => {
  // Two users who send each other a request become friends.
  if (event === 'friend_request') void friends.sendRequest(Number(data.requesterId));
  if (event === 'friendship_accepted')
    user.recorder.log.friends.add(Number((data.friend as { id?: unknown }).id));
};

/** @returns whether the condition held within the time */
const waitUntil = async (condition: () => boolean, withinMs: number): Promise<boolean> => {
  const deadline = Date.now() + withinMs;
  while (!condition() && Date.now() < deadline) await sleep(POLL_MS);
  return condition();
};
