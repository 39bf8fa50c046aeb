import { type ReactNode } from 'react';
import { Stage } from '@/features/random-chat/components/stage';
import { copy } from '@/features/random-chat/copy';
import { randomChat, useRandomChat } from '@/features/random-chat/stores/random-chat.store';
import { Button } from '@/ui/button';

/** The phase `skipped`: the random chat has ended, because it was skipped or for another reason. */
export const SkippedStage = ({ children, links }: { children: ReactNode; links: ReactNode }) => {
  // In this phase the state has a reason. The fallback is for the type, which includes the null of other phases.
  const reason = useRandomChat((state) => state.endReason) ?? 'skipped';
  return (
    <Stage
      dots="parted"
      phase="skipped"
      title={copy.skipped.title}
      lead={<p role="status">{copy.skipped.reasons[reason]}</p>}
    >
      {children}
      <Button size="lg" className="w-full" onClick={randomChat.startNewConversation}>
        {copy.skipped.again}
      </Button>
      {links ? <div className="-mt-3 flex justify-center gap-2">{links}</div> : null}
    </Stage>
  );
};
