import { Injectable } from '@nestjs/common';
import type { ClientData } from '@thaw/contract/client-frames';
import type { UserState } from '@thaw/contract/server-frames';
import type { SocketConnection } from '../../../platform/realtime/socket-connection';
import { MatchSeeker } from '../../matching/application/match-seeker';
import { MatchingService, type Place } from '../../matching/application/matching.service';
import { ChatKeeper } from './chat-keeper';
import type { LiveChat } from './live-chat';
import { LiveChats } from './live-chats';

type LastSeen = ClientData<'authenticate'>['lastSeen'];

/** A socket has said who it is: it is told where its user stands, and brought there. */
@Injectable()
export class Arrivals {
  constructor(
    private readonly seeker: MatchSeeker,
    private readonly matching: MatchingService,
    private readonly chats: LiveChats,
    private readonly keeper: ChatKeeper,
  ) {}

  async arrive(
    connection: SocketConnection,
    lastSeen: LastSeen,
    answer: (state: UserState) => void,
  ): Promise<void> {
    const { userId } = connection.identity;
    const place = await this.place(userId);
    const known = place.kind === 'in' || place.kind === 'claimed' ? place.sessionId : undefined;
    const past = lastSeen && lastSeen.sessionId !== known ? await this.chats.peek(lastSeen.sessionId) : null;
    // From here on a chat that starts reaches this socket by its user's channel.
    connection.isAuthenticated = true;
    answer(stateOf(place));
    if (past && lastSeen) this.tellEnd(connection, past, lastSeen.seq);
    if (place.kind === 'in') {
      const seen = lastSeen?.sessionId === place.sessionId ? lastSeen.seq : 0;
      const chat = await this.chats.resume(connection, place.sessionId, seen);
      if (!chat && connection.isOpen) this.tellEnd(connection, await this.chats.peek(place.sessionId), seen);
      return;
    }
    tellSearch(connection, place);
    await this.goAlong(connection, place);
  }

  /** A chat, or a search in another tab, may have begun between our question and our listening. */
  private async goAlong(connection: SocketConnection, { kind }: Place): Promise<void> {
    const { userId } = connection.identity;
    const [record] = await this.matching.records([userId]);
    if (record?.state === 'in' && record.sessionId) await this.chats.join(connection, record.sessionId);
    else if (record?.state === 'searching' && kind === 'idle')
      tellSearch(connection, await this.seeker.arrive(userId));
  }

  /** Where the user is; a chat on record that has ended meanwhile is taken off it. */
  private async place(userId: number): Promise<Place> {
    const place = await this.seeker.arrive(userId);
    if (place.kind !== 'in') return place;
    return (await this.keeper.isOver(userId, place.sessionId)) ? { kind: 'idle' } : place;
  }

  /** A chat that the client knows is over: it is told so, if it has not seen the end. */
  private tellEnd(connection: SocketConnection, chat: LiveChat, seen: number): void {
    const { sessionId } = chat;
    if (chat.version === 0) {
      // Persisted and expired, or lost with Redis: over in any case.
      connection.sendFrame('chat_skipped', {
        sessionId,
        seq: seen + 1,
        reason: 'disconnected',
        endedBy: null,
      });
    } else if (chat.hasParticipant(connection.identity.userId)) {
      const end = chat.endFrame;
      if (end && end.data.seq > seen) connection.sendFrame(end.event, end.data);
    }
  }
}

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
