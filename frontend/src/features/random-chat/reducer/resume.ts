import { type ChatSkipped, type SessionResumed } from '@thaw/contract/random-chat';
import { type ServerFrame } from '@thaw/contract/server-frames';
import { createResendChangesEffects } from '@/features/random-chat/reducer/own-messages';
import {
  createWelcomeNotice,
  handleChatSkipped,
  createJoinQueueEffect,
  rememberLeftSession,
  createSkipChatEffect,
  toInitial,
} from '@/features/random-chat/reducer/phases';
import {
  findActiveSession,
  stepTo,
  type Effect,
  type RandomChatState,
  type Session,
  type Step,
} from '@/features/random-chat/reducer/random-chat.state';
import { applyStoredEvent } from '@/features/random-chat/reducer/stored-events';
import { parseEvent } from '@/lib/socket/parse-frame';

// `session_resumed` restores a chat after a reload, a lost connection or a gap in its events. The server may split it
// into several frames; the last one has `last: true`. With `reset`, the server has lost events that this page shows, so
// the page removes what it got from earlier events (docs/product-decisions.md, A53 and B01).

/** Removes what came from stored events. Messages without a `seq`, such as the welcome, stay. */
const removeStoredEvents = (session: Session): Session => ({
  ...session,
  seq: 0,
  messages: session.messages.filter(({ seq }) => seq === undefined),
  unconfirmedMessages: {},
  celebratedGame: null,
});

const createSession = (
  { sessionId, partnerInfo, partnerConnection }: SessionResumed,
  nowMs: number,
): Session => ({
  sessionId,
  seq: 0,
  isResyncing: false,
  partner: partnerInfo,
  partnerConnection,
  isPartnerTyping: false,
  // A reload has removed the welcome notice that was shown before (A53).
  messages: [createWelcomeNotice(partnerInfo, sessionId, nowMs)],
  unconfirmedMessages: {},
  celebratedGame: null,
});

/** Returns the session to which the events of a `session_resumed` are applied. */
const prepareSession = (activeSession: Session | null, resumed: SessionResumed, nowMs: number): Session => {
  if (!activeSession) return createSession(resumed, nowMs);
  const kept = resumed.reset ? removeStoredEvents(activeSession) : activeSession;
  return { ...kept, partner: resumed.partnerInfo, partnerConnection: resumed.partnerConnection };
};

/** The `seq` of a stored event; undefined for other frames. */
const getSeq = ({ data }: ServerFrame): number | undefined =>
  data && 'seq' in data && typeof data.seq === 'number' ? data.seq : undefined;

/** Applies the events that the session does not contain yet. `chatSkipped` is the event that has ended the chat. */
const applyEvents = (
  session: Session,
  events: SessionResumed['events'],
  me: number,
): { session: Session; chatSkipped: ChatSkipped | undefined } => {
  let updated = session;
  let chatSkipped: ChatSkipped | undefined;
  for (const { event, data } of events) {
    const frame = parseEvent(event, data);
    const seq = frame && getSeq(frame);
    // This version of the page does not know the event. `handleSessionResumed` advances the `seq` past it.
    if (!frame || seq === undefined) continue;
    if (seq <= updated.seq) continue; // applied already
    if (frame.event === 'chat_skipped') chatSkipped = frame.data;
    updated = { ...applyStoredEvent(updated, frame, me), seq };
  }
  // A game that was revealed while the page was disconnected is shown without the visual effect that celebrates it.
  return { session: { ...updated, celebratedGame: session.celebratedGame }, chatSkipped };
};

/**
 * The effects that return the texts of unconfirmed edits to the composer. A reset withdraws these edits, because the
 * server has lost events of the chat.
 */
const createReturnEditEffects = ({ sessionId, unconfirmedMessages }: Session): Effect[] =>
  Object.entries(unconfirmedMessages).flatMap(([messageId, { changes }]) =>
    changes.flatMap((change): Effect[] =>
      change.kind === 'edit'
        ? [{ type: 'returnEditToComposer', sessionId, messageId, newContent: change.newContent }]
        : [],
    ),
  );

/** Skips a chat that the user has left, or that was matched before the server received the user's `leave_queue`. */
const declineResume = (state: RandomChatState, { sessionId, last }: SessionResumed): Step => {
  // `session_resumed` may be split into several frames: the chat is skipped once, at the last of them.
  if (!last) return stepTo(state);
  // A user in a chat is not in the queue. So there is no queue to leave, and a search has to be started again.
  const declined = rememberLeftSession({ ...state, isLeavePending: false }, sessionId);
  const joinAgain = state.phase === 'searching' ? [createJoinQueueEffect(state.preference)] : [];
  return stepTo(declined, createSkipChatEffect(sessionId), ...joinAgain);
};

/** Restores the chat from the events of the frame; no event is lost or applied twice. */
export const handleSessionResumed = (
  state: RandomChatState,
  resumed: SessionResumed,
  me: number,
  nowMs: number,
): Step => {
  const { sessionId, events, last, reset } = resumed;
  if (state.isLeavePending || state.leftSessionIds.includes(sessionId)) return declineResume(state, resumed);

  const activeSession = findActiveSession(state, sessionId);
  const prepared = prepareSession(activeSession, resumed, nowMs);
  const { session: updated, chatSkipped } = applyEvents(prepared, events, me);
  // `resumed.seq` also counts events that this version of the page does not know. Live frames may have advanced the
  // session further already.
  const session = { ...updated, seq: Math.max(updated.seq, resumed.seq), isResyncing: !last };
  // `toInitial` drops what belongs to a search or an earlier chat.
  const active: RandomChatState = { ...toInitial(state), phase: 'active', session };

  // The end of a chat closes its composer (A56), so unconfirmed messages and edits are not resent or returned to it.
  if (chatSkipped) return handleChatSkipped(active, chatSkipped, me);
  const returnEditEffects = activeSession && reset ? createReturnEditEffects(activeSession) : [];
  if (!last) return stepTo(active, ...returnEditEffects);
  return stepTo(
    active,
    ...returnEditEffects,
    { type: 'resendMessages', sessionId },
    ...createResendChangesEffects(session, me),
  );
};
