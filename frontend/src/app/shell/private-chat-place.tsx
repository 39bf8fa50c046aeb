import { type Friend, type SelfUser } from '@thaw/contract/users';
import { lazy, Suspense } from 'react';
import { useNewsBeneath } from '@/app/shell/news-beneath';
import { shell } from '@/app/shell/shell-store';
import { copy } from '@/chat-ui/copy';
import { PartBoundary } from '@/chat-ui/part-boundary';

const PrivateChat = lazy(async () => ({
  default: (await import('@/features/private-chat/components/private-chat')).PrivateChat,
}));

/** Over the chat area alone: top bar and sidebar stay in reach (A68). */
export const PrivateChatPlace = ({ me, friend }: { me: SelfUser; friend: Friend }) => {
  const hasNews = useNewsBeneath();
  return (
    <div className="absolute inset-0 z-overlay flex bg-background md:p-4 md:pt-0">
      <PartBoundary title={copy.broken.chat} onClose={shell.closeFriend} className="flex-1 content-center">
        <Suspense fallback={null}>
          <PrivateChat me={me} friend={friend} onClose={shell.closeFriend} hasNewsBeneath={hasNews} />
        </Suspense>
      </PartBoundary>
    </div>
  );
};
