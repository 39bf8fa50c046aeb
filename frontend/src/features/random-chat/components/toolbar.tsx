import { EyeOff } from 'lucide-react';
import { type ReactNode } from 'react';
import { SkipButton } from '@/features/random-chat/components/skip-control';
import { copy } from '@/features/random-chat/copy';
import { type Session } from '@/features/random-chat/reducer/random-chat.state';
import { cn } from '@/lib/class-names';
import { useIdentity } from '@/product/identity';
import { Avatar } from '@/ui/avatar';

export interface ToolbarProps {
  session: Session;
  /** Reveals the partner's profile picture; null when it is not blurred. */
  onRevealPicture: (() => void) | null;
  /** Whether the bar that asks 'Skip this chat?' is shown. */
  isSkipBarOpen: boolean;
  onToggleSkipBar: () => void;
  /** Shown before Skip Chat. */
  children: ReactNode;
  /** The button More, shown after Skip Chat. In a narrow toolbar it stays beside the name, above the other buttons. */
  more?: ReactNode;
}

interface PicturesProps extends Pick<ToolbarProps, 'onRevealPicture'> {
  partner: Session['partner'];
}

/** The pictures of the partner and the user, which move towards each other when the chat begins. */
const Pictures = ({ partner, onRevealPicture }: PicturesProps) => {
  const me = useIdentity((state) => state.user);
  return (
    <div className="flex">
      {onRevealPicture ? (
        <button
          type="button"
          aria-label={copy.active.showPicture(partner.username)}
          title={copy.active.showPicture(partner.username)}
          className="meet-from-left relative z-raised rounded-full ring-3 ring-card after:absolute after:-inset-0.5"
          onClick={onRevealPicture}
        >
          <Avatar id={partner.id} name={partner.username} picture={partner.avatar} isBlurred />
          <span className="absolute inset-0 m-auto grid size-6 place-items-center rounded-full bg-popover">
            <EyeOff aria-hidden="true" className="size-3.5" />
          </span>
        </button>
      ) : (
        <Avatar
          id={partner.id}
          name={partner.username}
          picture={partner.avatar}
          className="meet-from-left z-raised ring-3 ring-card"
        />
      )}
      {me ? (
        <Avatar
          id={me.id}
          name={me.username}
          picture={me.avatar}
          className="meet-from-right -ml-3 @max-2xl:hidden"
        />
      ) : null}
    </div>
  );
};

/** The partner, and the actions on the chat as a whole. */
export const Toolbar = ({
  session,
  onRevealPicture,
  isSkipBarOpen,
  onToggleSkipBar,
  children,
  more,
}: ToolbarProps) => {
  const { partner } = session;
  const isPartnerReconnecting = session.partnerConnection === 'reconnecting';
  return (
    <header
      // Toasts do not cover a bar with this attribute.
      data-controls=""
      className="@container border-b border-border"
    >
      {/* The actions wrap to a second row when they do not fit beside the name. */}
      <div className="mx-auto flex w-full max-w-4xl flex-wrap items-center gap-x-3 gap-y-2 px-4 py-3 md:px-6 short:py-1">
        <div className="flex min-w-0 shrink grow-999 basis-44 items-center gap-3 short:basis-28">
          <Pictures partner={partner} onRevealPicture={onRevealPicture} />
          <div className="min-w-0 flex-1">
            <h1 className="truncate text-md font-bold" title={partner.username}>
              <bdi>{partner.username}</bdi>
            </h1>
            <p
              role="status"
              className={cn(
                'truncate text-sm',
                isPartnerReconnecting ? 'text-warning' : 'text-muted-foreground short:sr-only',
              )}
            >
              {isPartnerReconnecting ? copy.active.partnerReconnecting : copy.active.here}
            </p>
          </div>
        </div>
        <div className="flex grow items-center gap-2 @max-[38rem]:order-last [&>*]:grow">
          {children}
          <SkipButton isSkipBarOpen={isSkipBarOpen} onToggleSkipBar={onToggleSkipBar} />
        </div>
        {more}
      </div>
    </header>
  );
};
