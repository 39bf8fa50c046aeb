import { useEffect } from 'react';
import { ActiveChat } from '@/features/random-chat/components/active-chat';
import { InitialStage } from '@/features/random-chat/components/initial-stage';
import { SearchingStage } from '@/features/random-chat/components/searching-stage';
import { SkippedStage } from '@/features/random-chat/components/skipped-stage';
import { copy } from '@/features/random-chat/copy';
import { randomChat, useRandomChat } from '@/features/random-chat/random-chat.store';
import { toast } from '@/ui/toast-store';

const States = () => {
  const phase = useRandomChat((state) => state.phase);
  const session = useRandomChat((state) => state.session);
  switch (phase) {
    case 'initial':
      return <InitialStage />;
    case 'searching':
      return <SearchingStage />;
    case 'skipped':
      return <SkippedStage />;
    case 'active':
      return session ? <ActiveChat key={session.sessionId} session={session} /> : null;
  }
};

/** The four states of the random chat on one stage. */
export const RandomChat = () => {
  useEffect(() => {
    randomChat.enter();
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
    <main className="flex min-h-0 min-w-0 flex-1 md:p-4 md:pt-0">
      <div className="flex min-h-0 min-w-0 flex-1 flex-col overflow-hidden bg-card md:rounded-sheet md:shadow-elevated">
        <States />
      </div>
    </main>
  );
};
