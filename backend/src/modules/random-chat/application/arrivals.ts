import { Injectable } from '@nestjs/common';
import type { ClientData } from '@thaw/contract/client-frames';
import type { UserState } from '@thaw/contract/server-frames';
import type { SocketConnection } from '../../../platform/realtime/socket-connection';
import { MatchSeeker } from '../../matching/application/match-seeker';
import { MatchingService, type Place } from '../../matching/application/matching.service';
import { ChatKeeper } from './chat-keeper';
import type { ChatOutline } from './chat-outline';
import { LiveChats } from './live-chats';

type LastSeen = ClientData<'authenticate'>['lastSeen'];
type Answer = (state: UserState) => void;

/** A socket has said who it is: it is told where its user stands, and brought there. */
@Injectable()
export class Arrivals {
  constructor(
    private readonly seeker: MatchSeeker,
    private readonly matching: MatchingService,
    private readonly chats: LiveChats,
    private readonly keeper: ChatKeeper,
  ) {}

  /**
   * @param answer is told the user's state once, before the socket is sent anything else.
   * @throws DomainError rate_limited when the user has been sent too much of a long chat again; nothing was answered.
   */
  async arrive(connection: SocketConnection, lastSeen: LastSeen, answer: Answer): Promise<void> {
    const { userId } = connection.identity;
    const place = await this.seeker.arrive(userId);
    if (place.kind === 'in') await this.arriveInChat(connection, place, lastSeen, answer);
    else await this.arriveElsewhere(connection, place, lastSeen, answer);
  }

  private async arriveInChat(
    connection: SocketConnection,
    place: Extract<Place, { kind: 'in' }>,
    lastSeen: LastSeen,
    answer: Answer,
  ): Promise<void> {
    const { userId } = connection.identity;
    const { sessionId } = place;
    const chat = await this.chats.hold(sessionId);
    try {
      if (await this.keeper.settle(userId, chat)) {
        await this.arriveElsewhere(connection, { kind: 'idle' }, lastSeen, answer, chat);
        return;
      }
      const seen = lastSeen?.sessionId === sessionId ? lastSeen.seq : 0;
      await this.chats.requireResume(chat, userId, seen);
      const past = await this.pastChat(lastSeen, chat);
      this.admit(connection, place, answer);
      if (past && lastSeen) tellEnd(connection, past, lastSeen.seq);
      if (await this.chats.resume(connection, chat, seen)) return;
      // It ended meanwhile, and another one may have begun.
      await this.goAlong(connection, { kind: 'idle' });
    } finally {
      this.chats.release(sessionId);
    }
  }

  private async arriveElsewhere(
    connection: SocketConnection,
    place: Place,
    lastSeen: LastSeen,
    answer: Answer,
    known?: ChatOutline,
  ): Promise<void> {
    // The claimed chat of a client that has seen it: it has begun, and is joined in a moment.
    const isClaimed = place.kind === 'claimed' && place.sessionId === lastSeen?.sessionId;
    const past = isClaimed ? null : await this.pastChat(lastSeen, known);
    this.admit(connection, place, answer);
    if (past && lastSeen) tellEnd(connection, past, lastSeen.seq);
    tellSearch(connection, place);
    await this.goAlong(connection, place);
  }

  /** From here on a chat that starts reaches the socket by its user's channel. */
  private admit(connection: SocketConnection, place: Place, answer: Answer): void {
    connection.isAuthenticated = true;
    answer(stateOf(place));
  }

  /** The chat that the client was in, where that may be over. @param known a chat that has been read. */
  private async pastChat(lastSeen: LastSeen, known?: ChatOutline): Promise<ChatOutline | null> {
    if (!lastSeen) return null;
    if (lastSeen.sessionId !== known?.sessionId) return this.chats.outline(lastSeen.sessionId);
    return known.isEnded || known.version === 0 ? known : null;
  }

  /** A chat, or a search in another tab, may have begun between our question and our listening. */
  private async goAlong(connection: SocketConnection, { kind }: Place): Promise<void> {
    const { userId } = connection.identity;
    const [record] = await this.matching.records([userId]);
    if (record?.state === 'in' && record.sessionId) await this.chats.join(connection, record.sessionId);
    else if (record?.state === 'searching' && kind === 'idle')
      tellSearch(connection, await this.seeker.arrive(userId));
  }
}

/** A chat that the client knows is over: it is told so, if it has not seen the end. */
const tellEnd = (connection: SocketConnection, chat: ChatOutline, seen: number): void => {
  const { sessionId, endFrame } = chat;
  if (chat.version === 0 || (endFrame && chat.userIds.length === 0)) {
    // Persisted and expired, or lost with Redis: over in any case.
    connection.sendFrame('chat_skipped', { sessionId, seq: seen + 1, reason: 'disconnected', endedBy: null });
  } else if (endFrame && endFrame.data.seq > seen && chat.userIds.includes(connection.identity.userId)) {
    connection.sendFrame(endFrame.event, endFrame.data);
  }
};

const tellSearch = (connection: SocketConnection, place: Place): void => {
  if (place.kind !== 'searching') return;
  const preferences = place.seeker.preference;
  connection.sendFrame('queue_joined', { preferences, since: place.since.toISOString() });
};

const stateOf = ({ kind }: Place): UserState => {
  switch (kind) {
    case 'idle':
      return 'idle';
    case 'searching':
    case 'matched':
    case 'claimed':
      return 'searching';
    case 'in':
      return 'chatting';
  }
};
