import { type Friend, type SelfUser } from '@thaw/contract/users';
import { useCallback } from 'react';
import { copy } from '@/app/copy';
import { useHasNewsBeneath } from '@/app/shell/use-has-news-beneath';
import { renderPrivateChatIdeas } from '@/app/shell/suggestions-place';
import { shell } from '@/app/shell/shell-store';
import { PersonMenu } from '@/features/safety/components/person-menu';
import { openReportDialog, privateChatWithPerson } from '@/features/safety/stores/report-dialog.store';
import { Button } from '@/ui/button';
import { Delayed } from '@/ui/delayed';
import { createPart, LoadedPart } from '@/ui/loaded-part';
import { Skeleton } from '@/ui/skeleton';

export const privateChatPart = createPart(
  async () => (await import('@/features/private-chat/components/private-chat')).PrivateChat,
);

const LoadFailure = ({ retry }: { retry: () => void }) => (
  <section role="alert" className="m-auto grid max-w-md gap-6 p-6">
    <div>
      <h2 className="text-xl font-bold">{copy.brokenPart.title}</h2>
      <p className="mt-2 text-md text-muted-foreground">{copy.brokenPart.lead}</p>
    </div>
    <div className="flex flex-wrap gap-3">
      <Button onClick={retry}>{copy.brokenPart.retry}</Button>
      <Button variant="ghost" onClick={shell.closeFriend}>
        {copy.brokenPart.close}
      </Button>
    </div>
  </section>
);

/** The private chat with a friend. It covers only the random chat: top bar and sidebar stay usable. */
export const PrivateChatPlace = ({ me, friend }: { me: SelfUser; friend: Friend }) => {
  // Whether the random chat beneath has changed since this chat was opened.
  const hasNewsBeneath = useHasNewsBeneath();
  const reportMessage = useCallback(
    (messageId: number) => openReportDialog(friend, { ...privateChatWithPerson, messageIds: [messageId] }),
    [friend],
  );
  return (
    <div className="absolute inset-0 z-overlay flex bg-background md:p-4 md:pt-0">
      <LoadedPart
        part={privateChatPart}
        pending={
          <Delayed>
            <Skeleton
              label={copy.loading}
              bars={['h-16', 'h-10 w-2/3', 'h-10 w-1/2']}
              className="flex-1 p-4"
            />
          </Delayed>
        }
        renderFailure={({ retry }) => <LoadFailure retry={retry} />}
      >
        {(PrivateChat) => (
          <PrivateChat
            me={me}
            friend={friend}
            onClose={shell.closeFriend}
            hasNewsBeneath={hasNewsBeneath}
            moreActions={<PersonMenu userId={me.id} person={friend} reportedChat={privateChatWithPerson} />}
            // The ideas of the composer are suggestions of what to write.
            renderIdeas={renderPrivateChatIdeas}
            onReportMessage={reportMessage}
          />
        )}
      </LoadedPart>
    </div>
  );
};
