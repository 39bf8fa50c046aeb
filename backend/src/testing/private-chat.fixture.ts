import type { MessageType } from '@thaw/contract/scalars';
import type { PrivateMessage } from '@thaw/contract/private-chat';
import { UploadsService } from '../modules/uploads/application/uploads.service';
import { createPlainJpeg } from './image-corpus.fixture';
import { makeFriends } from './relationship.fixture';
import type { TestReplica, TestStack } from './test-stack.harness';
import type { ThawSocket, ThawVisitor } from './thaw.client';

export interface FriendPair {
  ada: ThawVisitor;
  bob: ThawVisitor;
}

export interface ConnectedFriendPair extends FriendPair {
  adaSocket: ThawSocket;
  bobSocket: ThawSocket;
}

/** Creates two friends: `ada`, who uses the first replica, and `bob`, who uses the second. */
export const createFriends = async (stack: TestStack): Promise<FriendPair> => {
  const [ada, bob] = [await stack.createVisitor(0), await stack.createVisitor(1)];
  await makeFriends(stack.replicas[0]!, ada, bob);
  return { ada, bob };
};

/** Creates two friends who each have a socket open, on different replicas. */
export const createConnectedFriends = async (stack: TestStack): Promise<ConnectedFriendPair> => {
  const { ada, bob } = await createFriends(stack);
  return { ada, bob, adaSocket: await ada.openSocket(), bobSocket: await bob.openSocket() };
};

interface MessageOptions {
  from: ThawVisitor;
  to: ThawVisitor;
  content: string;
  messageType?: MessageType;
  clientId?: string;
  replyTo?: { id: number };
}

/** `data` of the frame `send_private_message`. `messageType` is `text` by default. */
export const createPrivateMessage = ({ from, to, ...message }: MessageOptions) => ({
  senderId: from.user.id,
  receiverId: to.user.id,
  messageType: 'text' as MessageType,
  ...message,
});

/** Calls the route that lists the messages of two friends. `query` is a query string, such as `?limit=3`. */
export const requestMessages = (viewer: ThawVisitor, friend: ThawVisitor, query = '') =>
  viewer.call('GET', `/api/private-messages/${viewer.user.id}/${friend.user.id}${query}`);

/** The newest messages between two friends, oldest first, as `viewer` sees them. */
export const loadMessages = async (viewer: ThawVisitor, friend: ThawVisitor): Promise<PrivateMessage[]> =>
  (await requestMessages(viewer, friend)).body as unknown as PrivateMessage[];

/** Stores an image for private chats as `owner`, without a request over HTTP. @returns its URL. */
export const uploadChatImage = async ({ app }: TestReplica, owner: ThawVisitor): Promise<string> =>
  app.get(UploadsService).receive({
    ownerId: owner.user.id,
    bucket: 'chat-images',
    fileName: 'private-chat/photo.jpg',
    bytes: await createPlainJpeg(),
  });

export const closeAll = (...sockets: ThawSocket[]) =>
  Promise.all(sockets.map((socket) => socket.closeCleanly()));
