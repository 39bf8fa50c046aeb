import { lazy, Suspense, useEffect, type ReactNode } from 'react';
import { type ChatMessage } from '@/chat-ui/chat-message';
import { InitialStage } from '@/features/random-chat/components/initial-stage';
import { SearchingStage } from '@/features/random-chat/components/searching-stage';
import { SkippedStage } from '@/features/random-chat/components/skipped-stage';
import { copy } from '@/features/random-chat/copy';
import { randomChat, useRandomChat } from '@/features/random-chat/random-chat.store';
import { useIdentity } from '@/lib/identity';
import { toast } from '@/ui/toast-store';

const loadActiveChat = async () => (await import('@/features/random-chat/components/active-chat')).ActiveChat;
// Apart from the first screen, which does not need it; fetched at once all the same, for a match comes quickly.
const ActiveChat = lazy(async () => ({ default: await loadActiveChat() }));

/** What other features put into the random chat; app/ composes them. The functions must be stable. */
export interface RandomChatSlots {
  /** Beside Skip Chat in the toolbar of an active chat: Break the Ice, Add Friend. */
  toolbar?: ReactNode;
  /** Draws the messages of Break the Ice. */
  renderCard?: (message: ChatMessage) => ReactNode;
  /** Above New Conversation on the skipped screen: Add Friend. */
  skippedActions?: ReactNode;
}

const States = ({ toolbar, renderCard, skippedActions }: RandomChatSlots) => {
  const me = useIdentity((state) => state.user);
  const phase = useRandomChat((state) => state.phase);
  const session = useRandomChat((state) => state.session);
  switch (phase) {
    case 'initial':
      return <InitialStage />;
    case 'searching':
      return <SearchingStage />;
    case 'skipped':
      return <SkippedStage>{skippedActions}</SkippedStage>;
    case 'active':
      return session && me ? (
        <Suspense fallback={null}>
          <ActiveChat
            key={session.sessionId}
            session={session}
            me={me}
            toolbar={toolbar}
            {...(renderCard ? { renderCard } : {})}
          />
        </Suspense>
      ) : null;
  }
};

/** The four states of the random chat on one stage. */
export const RandomChat = (slots: RandomChatSlots) => {
  useEffect(() => {
    randomChat.enter();
    loadActiveChat().catch((error: unknown) => console.warn('The chat is fetched when it is needed', error));
    return () => randomChat.leave();
  }, []);
  useEffect(
    () =>
      useRandomChat.subscribe((state, before) => {
        if (state.refusals !== before.refusals) toast({ ...copy.searchRefused, tone: 'destructive' });
      }),
    [],
  );
  return (
    <div className="flex min-h-0 min-w-0 flex-1 md:p-4 md:pt-0">
      <div className="flex min-h-0 min-w-0 flex-1 flex-col overflow-hidden bg-card md:rounded-sheet md:shadow-elevated">
        <States {...slots} />
      </div>
    </div>
  );
};
