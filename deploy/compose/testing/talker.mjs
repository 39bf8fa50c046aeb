import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRetriedClose } from '@thaw/contract/close-codes';
import { limits, reconnectDelayMs } from '@thaw/contract/limits';
import { ThawVisitor } from './thaw-client.mjs';

const RETRIED_ERRORS = ['unavailable', 'rate_limited'];

/**
 * Somebody in a random chat who behaves as the page does: comes back after a lost socket by the contract's rules,
 * resumes with what was seen last, and sends again what was not acknowledged. Keeps what happened, and what must not.
 */
export class Talker {
  /** What the chat holds as this side knows it: seq → message. */
  history = new Map();
  /** What was acknowledged: content → seq. */
  acked = new Map();
  /** Close codes of the sockets that were lost. */
  closes = [];
  /** From a lost socket to the resumed chat, milliseconds. */
  absences = [];
  /** Whatever should not have happened. */
  complaints = [];
  /** Last `seq` seen, by frames and by acks. */
  seq = 0;
  sessionId;
  /** Resolves to an open, authenticated socket; another one after each loss. */
  connected;
  #unanswered = new Map();
  #isLeaving = false;

  constructor(origin) {
    this.visitor = new ThawVisitor([origin]);
  }

  get id() {
    return this.visitor.user.id;
  }

  async join(gender) {
    await this.visitor.joinAnonymously(gender);
    this.connected = this.#connect();
    return this;
  }

  async seek() {
    const socket = await this.connected;
    await socket.request('join_queue', {});
  }

  async matched() {
    const socket = await this.connected;
    const { sessionId, seq, partnerId } = await socket.next('chat_matched');
    this.sessionId = sessionId;
    this.seq = seq;
    return partnerId;
  }

  /** Returns once it is acknowledged, over as many sockets as it takes. */
  async say(content) {
    const clientId = randomUUID();
    this.#unanswered.set(clientId, content);
    const message = { sessionId: this.sessionId, content, messageType: 'text', clientId };
    for (;;) {
      const socket = await this.connected;
      const answer = await answerOrClose(socket, 'random_message', message);
      if (answer?.event === 'ack') return;
      if (answer === undefined) await sleep(10);
      else if (RETRIED_ERRORS.includes(answer.data.code)) await sleep(answer.data.retryAfterMs ?? 250);
      else throw new Error(`A message was refused: ${answer.data.code}`);
    }
  }

  async leave() {
    this.#isLeaving = true;
    const socket = await this.connected;
    await socket.leave();
  }

  async #connect() {
    const socket = await this.visitor.connect();
    socket.socket.on('message', (raw) => this.#receive(JSON.parse(raw.toString())));
    const lastSeen = this.sessionId && { sessionId: this.sessionId, seq: this.seq };
    const arrival = this.#arrive(socket, lastSeen);
    arrival.catch(() => undefined);
    const closedOnArrival = socket.closed.then((code) => {
      throw new Error(`closed with ${code} on arrival`);
    });
    closedOnArrival.catch(() => undefined);
    await Promise.race([arrival, closedOnArrival]);
    void socket.closed.then((code) => this.#lost(code));
    return socket;
  }

  async #arrive(socket, lastSeen) {
    const { state } = await socket.request('authenticate', { userId: this.id, lastSeen });
    if (!lastSeen) return;
    if (state !== 'chatting') this.complaints.push(`came back and was ${state}`);
    await socket.next('session_resumed', (data) => data.last);
  }

  #lost(code) {
    if (this.#isLeaving) return;
    this.closes.push(code);
    if (!isRetriedClose(code)) this.complaints.push(`closed with ${code}`);
    this.connected = this.#comeBack(Date.now());
    this.connected.catch((error) => this.complaints.push(`did not come back: ${error.message}`));
  }

  async #comeBack(lostAt) {
    for (let attempt = 1; ; attempt += 1) {
      await sleep(reconnectDelayMs(attempt));
      try {
        const socket = await this.#connect();
        this.absences.push(Date.now() - lostAt);
        return socket;
      } catch (error) {
        if (attempt === limits.reconnectAttempts) throw error;
      }
    }
  }

  #receive({ event, data }) {
    if (data?.sessionId !== undefined && this.sessionId !== undefined && data.sessionId !== this.sessionId)
      return;
    switch (event) {
      case 'random_message':
        return this.#store(data.seq, { id: data.id, senderId: data.senderId, content: data.content });
      case 'ack':
        if (data.clientId) this.#acknowledge(data);
        return;
      case 'session_resumed':
        for (const frame of data.events) this.#receive(frame);
        return;
      case 'chat_skipped':
        this.complaints.push(`the chat ended: ${data.reason}`);
    }
  }

  #acknowledge({ id, seq, clientId }) {
    const content = this.#unanswered.get(clientId);
    if (content === undefined) return void this.complaints.push(`an ack that nobody waited for: ${seq}`);
    this.#unanswered.delete(clientId);
    this.acked.set(content, seq);
    const known = this.history.get(seq);
    if (known === undefined) this.#store(seq, { id, senderId: this.id, content });
    else if (known.id !== id || known.content !== content) this.complaints.push(`two messages are ${seq}`);
  }

  #store(seq, message) {
    if (seq !== this.seq + 1) this.complaints.push(`${seq} came after ${this.seq}: ${message.content}`);
    this.seq = Math.max(this.seq, seq);
    this.history.set(seq, message);
  }
}

/** Undefined when the socket went before the answer came. */
async function answerOrClose(socket, event, data) {
  const answer = socket.ask(event, data);
  answer.catch(() => undefined);
  return Promise.race([answer, socket.closed.then(() => undefined)]);
}

/** Strangers who were matched two by two, each pair in a chat of its own. */
export async function talkingPairs(origin, count) {
  const talkers = [];
  for (let number = 0; number < 2 * count; number += 1) {
    talkers.push(await new Talker(origin).join(number % 2 === 0 ? 'female' : 'male'));
  }
  for (const talker of talkers) await talker.seek();
  const pairs = [];
  for (const talker of talkers) {
    const partnerId = await talker.matched();
    const partner = talkers.find(({ id }) => id === partnerId);
    if (!partner) throw new Error('Somebody was matched with a stranger to this test');
    if (talker.id < partner.id) pairs.push([talker, partner]);
  }
  return pairs;
}

/** Both sides of every pair talk until `stop` is called, which waits until the last message is acknowledged. */
export function keepTalking(pairs, { everyMs }) {
  let isOver = false;
  const talk = async (talker, name) => {
    for (let number = 1; !isOver; number += 1) {
      await talker.say(`${name}.${number}`);
      await sleep(everyMs * (0.75 + Math.random() / 2));
    }
  };
  const all = Promise.all(
    pairs.flatMap(([first, second], pair) => [talk(first, `${pair}.first`), talk(second, `${pair}.second`)]),
  );
  all.catch(() => undefined);
  return async () => {
    isOver = true;
    await all;
  };
}
