import { useEffect, type ReactNode } from 'react';
import { type RenderIdeas } from '@/chat-ui/composer/ideas';
import { InitialStage } from '@/features/random-chat/components/initial-stage';
import { SearchingStage } from '@/features/random-chat/components/searching-stage';
import { SkippedStage } from '@/features/random-chat/components/skipped-stage';
import { copy } from '@/features/random-chat/copy';
import { randomChat, useRandomChat } from '@/features/random-chat/stores/random-chat.store';
import { useIdentity } from '@/product/identity';
import { Delayed } from '@/ui/delayed';
import { LoadError } from '@/ui/load-error';
import { createPart, LoadedPart } from '@/ui/loaded-part';
import { Skeleton } from '@/ui/skeleton';
import { toast } from '@/ui/toast-store';
import { usePreloaded } from '@/ui/use-preloaded';

/** Not part of the first screen's bundle. Preloaded right after the first screen, because a match may come quickly. */
const activeChatPart = createPart(
  async () => (await import('@/features/random-chat/components/active-chat')).ActiveChat,
);
// A constant, because `usePreloaded` compares its argument between renders.
const partsAfterFirstScreen = [activeChatPart];

/** Content from other features, composed in app/. */
export interface RandomChatSlots {
  /** On the initial stage, above the choices: the line about the user's standing, which moderation sets. */
  initialNote?: ReactNode;
  /** In the toolbar of an active chat, before the button Skip Chat: the button Add Friend. */
  toolbar?: ReactNode;
  /** In the toolbar of an active chat, after the button Skip Chat: the menu More. */
  more?: ReactNode;
  /** Whether the partner is a friend. */
  isPartnerFriend?: boolean | undefined;
  /** In the composer of an active chat: ideas for what to write. */
  renderIdeas?: RenderIdeas;
  /** Above New Conversation on the skipped stage: Add Friend. */
  skippedActions?: ReactNode;
  /** Links under New Conversation: Report and Block. */
  skippedLinks?: ReactNode;
  /** Reports a message of the partner. Must be stable between renders. */
  onReportMessage?: (messageId: string) => void;
}

const CurrentStage = ({
  initialNote,
  toolbar,
  more,
  isPartnerFriend,
  renderIdeas,
  skippedActions,
  skippedLinks,
  onReportMessage,
}: RandomChatSlots) => {
  const phase = useRandomChat((state) => state.phase);
  const session = useRandomChat((state) => state.session);
  const me = useIdentity((state) => state.user);
  switch (phase) {
    case 'initial':
      return <InitialStage note={initialNote} />;
    case 'searching':
      return <SearchingStage />;
    case 'skipped':
      return <SkippedStage links={skippedLinks}>{skippedActions}</SkippedStage>;
    case 'active':
      return session && me ? (
        <LoadedPart
          part={activeChatPart}
          pending={
            <Delayed>
              <Skeleton
                label={copy.active.loading}
                bars={['h-12', 'h-10 w-2/3', 'h-10 w-1/2']}
                className="p-4"
              />
            </Delayed>
          }
          renderFailure={({ retry }) => <LoadError text={copy.active.notLoaded} onRetry={retry} isCentered />}
        >
          {(ActiveChat) => (
            <ActiveChat
              key={session.sessionId}
              session={session}
              me={me}
              toolbar={toolbar}
              more={more}
              renderIdeas={renderIdeas}
              isPartnerFriend={isPartnerFriend}
              onReportMessage={onReportMessage}
            />
          )}
        </LoadedPart>
      ) : null;
  }
};

/** Shows the stage of the random chat's current phase. */
export const RandomChat = (slots: RandomChatSlots) => {
  // When this screen is hidden, a search ends at once and a chat after a delay.
  useEffect(() => {
    randomChat.show();
    return () => randomChat.hide();
  }, []);
  usePreloaded(partsAfterFirstScreen);
  // Each refused search increments `refusalCount`.
  useEffect(
    () =>
      useRandomChat.subscribe((state, before) => {
        if (state.refusalCount !== before.refusalCount) toast({ ...copy.searchRefused, tone: 'destructive' });
      }),
    [],
  );
  return (
    <div className="flex min-h-0 min-w-0 flex-1 md:p-4 md:pt-0">
      <div className="flex min-h-0 min-w-0 flex-1 flex-col overflow-hidden bg-card md:rounded-sheet md:shadow-elevated">
        <CurrentStage {...slots} />
      </div>
    </div>
  );
};
