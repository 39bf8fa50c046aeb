import { type ReactNode } from 'react';
import { Stage } from '@/features/random-chat/components/stage';
import { copy } from '@/features/random-chat/copy';
import { randomChat, useRandomChat } from '@/features/random-chat/stores/random-chat.store';
import { Button } from '@/ui/button';

export const SkippedStage = ({ children, links }: { children: ReactNode; links: ReactNode }) => {
  // Set in this phase, although its type includes null.
  const reason = useRandomChat((state) => state.endReason);
  return (
    <Stage
      dots="parted"
      phase="skipped"
      title={copy.skipped.title}
      lead={<p role="status">{copy.skipped.reasons[reason ?? 'skipped']}</p>}
    >
      {children}
      <Button size="lg" className="w-full" onClick={randomChat.startNewConversation}>
        {copy.skipped.again}
      </Button>
      {links ? <div className="-mt-3 flex justify-center gap-2">{links}</div> : null}
    </Stage>
  );
};
