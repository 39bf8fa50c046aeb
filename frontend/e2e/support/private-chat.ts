import { type Locator } from '@playwright/test';
import { openSidebar } from './sidebar.ts';
import { expect, Person } from './test.ts';

/** Locates the open private chat on a user's page. */
export const getPrivateChat = ({ page }: Person): Locator =>
  page.getByRole('region', { name: /^Private chat with / });

/** A user whose message field and messages are those of the open private chat, not of the random chat below it. */
export class PrivateChatUser extends Person {
  override get field(): Locator {
    return getPrivateChat(this).getByRole('textbox', { name: 'Message' });
  }

  override get messages(): Locator {
    return getPrivateChat(this).getByRole('listitem');
  }
}

/** Returns the same user, for actions in the open private chat. */
export const inPrivateChat = ({ page, user }: Person): PrivateChatUser => new PrivateChatUser(page, user);

/** Opens the private chat with a friend through the friends list in the sidebar. */
export const openChat = async (person: Person, friend: Pick<Person, 'name'>): Promise<void> => {
  await openSidebar(person.page);
  await person.page
    .getByRole('list', { name: 'Friends', exact: true })
    .getByRole('listitem')
    .filter({ hasText: friend.name })
    .getByRole('button', { name: 'Send Message' })
    .click();
  await expect(person.page.getByRole('region', { name: `Private chat with ${friend.name}` })).toBeVisible();
  await expect(inPrivateChat(person).field).toBeVisible();
};

export interface SeedOptions {
  /** Returns the text of the n-th message, counted from 1. */
  text?: (n: number) => string;
  /** Id of the message to which each message replies. */
  replyTo?: number | undefined;
}

interface Seed {
  senderId: number;
  receiverId: number;
  texts: readonly string[];
  replyTo: number | undefined;
}

/**
 * Sends messages over a socket of its own, each after the response to the previous one. Runs in the browser, so it can
 * use nothing else of this file.
 * @returns the ids of the messages
 */
const sendInBrowser = ({ senderId, receiverId, texts, replyTo }: Seed): Promise<number[]> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(`${location.origin.replace(/^http/, 'ws')}/ws`);
    const ids: number[] = [];
    const send = (event: string, data: object, ref: string): void =>
      socket.send(JSON.stringify({ event, data, ref }));
    const sendNext = (): void => {
      const content = texts[ids.length];
      if (content === undefined) {
        socket.close(1000);
        resolve(ids);
        return;
      }
      const message = { senderId, receiverId, content, messageType: 'text' };
      const reply = replyTo === undefined ? {} : { replyTo: { id: replyTo } };
      send('send_private_message', { ...message, ...reply }, 'message');
    };
    socket.onopen = () => send('authenticate', { userId: senderId }, 'authenticate');
    // A response has the `ref` of the frame that it answers.
    socket.onmessage = ({ data }: MessageEvent<string>) => {
      const frame = JSON.parse(data) as { event: string; ref?: string; data: { id: number } };
      if (frame.event === 'error') reject(new Error(data));
      else if (frame.ref === 'authenticate') sendNext();
      else if (frame.ref === 'message') {
        ids.push(frame.data.id);
        sendNext();
      }
    };
    socket.onerror = () => reject(new Error('The socket failed'));
  });

/** Sends private messages without the user interface, which is faster than typing. @returns their ids */
export const seedMessages = (
  sender: Person,
  receiver: Person,
  count: number,
  { text = (n) => `message number ${n}`, replyTo }: SeedOptions = {},
): Promise<number[]> =>
  sender.page.evaluate(sendInBrowser, {
    senderId: sender.user.id,
    receiverId: receiver.user.id,
    texts: Array.from({ length: count }, (_, index) => text(index + 1)),
    replyTo,
  });
