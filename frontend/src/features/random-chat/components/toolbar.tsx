import { type ReactNode } from 'react';
import { SkipButton } from '@/features/random-chat/components/skip-control';
import { copy } from '@/features/random-chat/copy';
import { type Session } from '@/features/random-chat/random-chat.state';
import { useIdentity } from '@/lib/identity';
import { Avatar } from '@/ui/avatar';

export interface ToolbarProps {
  session: Session;
  isAsking: boolean;
  onAsk: () => void;
  /** Before Skip Chat. */
  children: ReactNode;
}

/** Who one talks with, and what can be done with the chat as a whole. */
export const Toolbar = ({ session, isAsking, onAsk, children }: ToolbarProps) => {
  const me = useIdentity((state) => state.user);
  const { partner } = session;
  const isAway = session.partnerConnection === 'reconnecting';
  return (
    <header className="@container border-b border-border">
      <div className="mx-auto flex w-full max-w-4xl items-center gap-3 px-4 py-3 md:px-6">
        <div className="flex">
          <Avatar
            id={partner.id}
            name={partner.username}
            picture={partner.avatar}
            className="meet-from-left z-10 ring-3 ring-card"
          />
          {me ? (
            <Avatar
              id={me.id}
              name={me.username}
              picture={me.avatar}
              className="meet-from-right -ml-3 @max-2xl:hidden"
            />
          ) : null}
        </div>
        <div className="min-w-0 flex-1">
          <h1 className="truncate text-md font-bold" title={partner.username}>
            {partner.username}
          </h1>
          <p
            role="status"
            className={isAway ? 'truncate text-sm text-warning' : 'truncate text-sm text-muted-foreground'}
          >
            {isAway ? copy.active.partnerReconnecting : copy.active.here}
          </p>
        </div>
        <div className="flex shrink-0 items-center gap-2">
          {children}
          <SkipButton isAsking={isAsking} onAsk={onAsk} />
        </div>
      </div>
    </header>
  );
};
