import { isExcluded } from '@thaw/contract/standing';
import { getLastMessageAfter } from '@/app/last-message';
import { createOpenChatReminder } from '@/app/open-chat-reminder';
import { refetchAfterReconnect } from '@/app/refetch-after-reconnect';
import { shell } from '@/app/shell/shell-store';
import { createFriendsHandler, friendsEvents } from '@/features/friends/handlers';
import { FriendsCache } from '@/features/friends/stores/friends-cache';
import { removeSentRequests } from '@/features/friends/stores/sent-requests';
import { handlePrivateChatFrame, privateChatEvents } from '@/features/private-chat/handlers';
import { privateChats } from '@/features/private-chat/stores/private-chat.store';
import { handleProfileFrame, profileEvents } from '@/features/profile/handlers';
import { handleRandomChatFrame, randomChatEvents } from '@/features/random-chat/handlers';
import { randomChat } from '@/features/random-chat/stores/random-chat.store';
import { createSafetyHandler, safetyEvents } from '@/features/safety/handlers';
import { createStandingHandler, standingEvents } from '@/features/standing/handlers';
import { setApiErrorHandler } from '@/lib/api-client';
import { systemClock } from '@/lib/clock';
import { isPageVisible } from '@/lib/page-visible';
import { queryClient } from '@/lib/query-client';
import { useConnection } from '@/lib/socket/connection';
import { FrameRegistry } from '@/lib/socket/frame-registry';
import { parseFrame } from '@/lib/socket/parse-frame';
import { SocketClient } from '@/lib/socket/socket-client';
import { onAppEvent, raise } from '@/product/app-events';
import { currentUser, signOut, useIdentity } from '@/product/identity';
import { refreshStanding } from '@/product/refresh-standing';

const buildSocketUrl = (): string =>
  `${location.protocol === 'https:' ? 'wss:' : 'ws:'}//${location.host}/ws`;

/**
 * Returns the id of the user who needs a socket. Suspended and banned users have none: they stay signed in only to see
 * why their account is paused or closed, and to appeal.
 */
const getSocketUserId = (): number | undefined => {
  const user = currentUser();
  return user && !isExcluded(user.standing) ? user.id : undefined;
};

/** Each browser waits a random part of this time before it refetches. */
const refetchWithinMs = 500;

/** Refetches the user's standing (the state set by moderation, such as suspended or banned); logs a failure. */
const refetchStanding = (): void => {
  refreshStanding().catch((error: unknown) => console.warn('The standing was not loaded', error));
};

/** Creates the registry that passes the frames of the server to the features. */
const createFrameRegistry = (): FrameRegistry => {
  const registry = new FrameRegistry();
  registry.on(randomChatEvents, handleRandomChatFrame);
  registry.on(friendsEvents, createFriendsHandler(queryClient));
  registry.on(profileEvents, handleProfileFrame);
  registry.on(privateChatEvents, handlePrivateChatFrame);
  registry.on(safetyEvents, createSafetyHandler(queryClient));
  registry.on(standingEvents, createStandingHandler(queryClient));
  return registry;
};

/** Updates the friends list, which shows the newest message of each conversation. */
const keepLastMessagesCurrent = (): void => {
  const friendsCache = new FriendsCache(queryClient);
  privateChats.conversations.onChange = (userId, friendId, change) => {
    const lastMessage = getLastMessageAfter(change, privateChats.conversations.getLoaded(userId, friendId));
    if (lastMessage !== undefined) friendsCache.setLastMessage(userId, friendId, lastMessage);
  };
};

const scheduleRefetch = (): void => {
  const userId = getSocketUserId();
  const refetch = (): void => {
    if (userId === undefined || userId !== getSocketUserId()) return;
    refetchAfterReconnect(queryClient, userId);
    refetchStanding();
  };
  // After a server restart many browsers reconnect simultaneously, so their refetches are spread over time.
  systemClock.setTimeout(refetch, Math.random() * refetchWithinMs);
};

const createSocketClient = (registry: FrameRegistry): SocketClient =>
  new SocketClient({
    connect: () => new WebSocket(buildSocketUrl()),
    clock: systemClock,
    parse: parseFrame,
    buildAuthentication: () => {
      const lastSeen = randomChat.getLastSeen();
      // `takeShowsChat` also stores the value as the one last sent to the server.
      const showsChat = randomChat.takeShowsChat();
      // The client runs only while a user is signed in, so the fallback is never sent.
      return { userId: currentUser()?.id ?? 0, showsChat, ...(lastSeen ? { lastSeen } : {}) };
    },
    // The server refuses the request for the standing if the session has ended.
    checkSignedOut: async () => (await refreshStanding()).isSignedOut,
    onSignedOut: signOut,
    onStatus: (status) => {
      useConnection.setState({ status });
      if (status.kind === 'open') privateChats.resendInterrupted();
      if (status.kind === 'failed') {
        randomChat.handleConnectionGivenUp();
        privateChats.handleConnectionGivenUp();
      }
    },
    onFrame: (frame) => {
      // An event of the product specification (§7). The features receive the frame from the registry.
      raise('websocket-message', frame);
      registry.handle(frame);
    },
    onReopened: () => scheduleRefetch(),
    log: (message, detail) => console.warn(message, detail ?? ''),
  });

const isChatPage = (): boolean => location.pathname.startsWith('/chat');

/** Makes the client check its connection when the browser is online or the page active again. */
const wakeOnReturn = (client: SocketClient): void => {
  window.addEventListener('online', () => client.wake());
  // After sleep or in a frozen tab the socket may be half open, and timers may have been delayed.
  window.addEventListener('pageshow', ({ persisted }) => {
    if (persisted) client.wake();
  });
  document.addEventListener('resume', () => client.wake());
  document.addEventListener('visibilitychange', () => {
    if (isPageVisible()) client.wake();
  });
};

/** Connects the client for the current user, now and after each change of the user or their standing. */
const followCurrentUser = (client: SocketClient): void => {
  let signedInUserId: number | undefined;
  let connectedUserId: number | undefined;
  const connectCurrentUser = (): void => {
    const userId = getSocketUserId();
    // Both are compared, because a suspended user is signed in without a socket.
    if (userId === connectedUserId && currentUser()?.id === signedInUserId) return;
    signedInUserId = currentUser()?.id;
    // The shell holds the open private chat and modal. It is kept if no user was connected: on a new page, the address
    // may have opened them.
    if (connectedUserId !== undefined) shell.reset();
    connectedUserId = userId;
    client.stop();
    randomChat.switchUser();
    removeSentRequests(queryClient);
    privateChats.switchUser();
    if (userId !== undefined) {
      client.start();
    } else if (signedInUserId === undefined) {
      queryClient.clear();
    } else {
      // The user is suspended or banned, so nothing is pushed to them. The cache is marked stale and refetched
      // after the suspension.
      void queryClient.invalidateQueries({ refetchType: 'none' });
    }
  };
  useIdentity.subscribe(connectCurrentUser);
  connectCurrentUser();
};

/**
 * Keeps the socket connected on every page while `getSocketUserId` returns a user (docs/product-decisions.md, A143),
 * and passes its frames to the features. Call once.
 */
export const startRealtime = (): void => {
  const registry = createFrameRegistry();
  // A block or unblock made on this page is handled like one made in another tab.
  onAppEvent('block-changed', (data) => registry.handle({ event: 'block_changed', data }));
  keepLastMessagesCurrent();
  setApiErrorHandler(({ code }) => {
    // A page that knows of the suspension has no socket. With a socket, this error may be the first sign of it.
    if (code === 'suspended' && getSocketUserId() !== undefined) refetchStanding();
  });
  onAppEvent('search-refused-by-standing', refetchStanding);

  const client = createSocketClient(registry);
  // A page opened at /chat is about to show the chat, so a reload does not count as leaving the chat.
  if (isChatPage()) randomChat.show();
  // Pages other than /chat show that a chat is still open.
  randomChat.useStore.subscribe(createOpenChatReminder(isChatPage));
  randomChat.attachSocket(client);
  privateChats.attachSocket(client);
  useConnection.setState({ reconnect: () => client.reconnect() });
  wakeOnReturn(client);
  followCurrentUser(client);
};
