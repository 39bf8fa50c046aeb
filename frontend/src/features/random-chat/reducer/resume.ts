import { type ChatSkipped, type SessionResumed } from '@thaw/contract/random-chat';
import { unansweredChanges } from '@/features/random-chat/reducer/own-messages';
import {
  ended,
  joinQueue,
  skipChat,
  toInitial,
  welcome,
  withLeft,
} from '@/features/random-chat/reducer/phases';
import {
  activeSession,
  stay,
  to,
  type Effect,
  type RandomChatState,
  type Session,
  type Step,
} from '@/features/random-chat/reducer/random-chat.state';
import { applied } from '@/features/random-chat/reducer/stored-events';
import { parseEvent } from '@/lib/socket/parse-frame';

/** The server has lost the events shown here. */
const forgotten = (session: Session): Session => ({
  ...session,
  seq: 0,
  messages: session.messages.filter(({ seq }) => seq === undefined),
  unconfirmed: {},
  celebrates: null,
});

const editsOf = ({ sessionId, unconfirmed }: Session): Effect[] =>
  Object.entries(unconfirmed).flatMap(([messageId, { changes }]) =>
    changes.flatMap((change): Effect[] =>
      change.kind === 'edit'
        ? [{ type: 'returnEdit', sessionId, messageId, newContent: change.newContent }]
        : [],
    ),
  );

/**
 * Restores the chat from the server's events after a reload, a lost connection or a gap; nothing is lost or shown twice
 * (A53, B01).
 */
export const resumed = (state: RandomChatState, data: SessionResumed, me: number, at: number): Step => {
  if (state.owesLeave || state.left.includes(data.sessionId)) {
    const declined = withLeft({ ...state, owesLeave: false }, data.sessionId);
    const again = state.phase === 'searching' ? [joinQueue(state.preference)] : [];
    // An answer consists of several frames; decline once, at the last.
    return data.last ? to(declined, skipChat(data.sessionId), ...again) : stay(state);
  }
  const shown = activeSession(state, data.sessionId);
  let session: Session = {
    ...((data.reset && shown ? forgotten(shown) : shown) ?? {
      sessionId: data.sessionId,
      seq: 0,
      isResyncing: false,
      isPartnerTyping: false,
      // A reloaded page shows the welcome once more (A53); it is not an event of the stream.
      messages: [welcome(data.partnerInfo, data.sessionId, at)],
      unconfirmed: {},
      celebrates: null,
    }),
    partner: data.partnerInfo,
    partnerConnection: data.partnerConnection,
  };
  const { celebrates } = session;
  let end: ChatSkipped | undefined;
  for (const { event, data: eventData } of data.events) {
    const frame = parseEvent(event, eventData);
    if (!frame?.data || !('seq' in frame.data) || typeof frame.data.seq !== 'number') continue;
    if (frame.data.seq <= session.seq) continue;
    if (frame.event === 'chat_skipped') end = frame.data;
    session = { ...applied(session, frame, me), seq: frame.data.seq };
  }
  // Games revealed during the absence are shown without a celebration.
  session = { ...session, seq: Math.max(session.seq, data.seq), isResyncing: !data.last, celebrates };
  const active: RandomChatState = { ...toInitial(state), phase: 'active', session };
  if (end) return ended(active, end, me);
  const lost = data.reset && shown ? editsOf(shown) : [];
  if (!data.last) return to(active, ...lost);
  return to(
    active,
    ...lost,
    { type: 'deliverAll', sessionId: session.sessionId },
    ...unansweredChanges(session, me),
  );
};
