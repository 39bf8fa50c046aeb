import { useCallback, useRef, useState } from 'react';
import { copy as chatCopy } from '@/chat-ui/copy';
import { Composer } from '@/chat-ui/composer';
import { MessageList } from '@/chat-ui/message-list';
import { Announcer } from '@/features/random-chat/components/announcer';
import { SkipBar, SkipButton } from '@/features/random-chat/components/skip-control';
import { copy } from '@/features/random-chat/copy';
import { type Session } from '@/features/random-chat/random-chat.reducer';
import { randomChat, useRandomChat, type SendOutcome } from '@/features/random-chat/random-chat.store';
import { useIdentity } from '@/lib/identity';
import { useIsConnected } from '@/lib/socket/connection';
import { Avatar } from '@/ui/avatar';

const TypingLine = ({ session }: { session: Session }) => (
  <div className="h-8 pt-2 pl-10 text-sm text-muted-foreground">
    {session.isPartnerTyping ? (
      <p className="enter-rise inline-flex items-center gap-2">
        <span aria-hidden="true" className="typing-dots">
          <i />
          <i />
          <i />
        </span>
        {copy.active.typing(session.partner.username)}
      </p>
    ) : null}
  </div>
);

const Toolbar = ({
  session,
  isAsking,
  onAsk,
}: {
  session: Session;
  isAsking: boolean;
  onAsk: () => void;
}) => {
  const me = useIdentity((state) => state.user);
  const { partner } = session;
  const isAway = session.partnerConnection === 'reconnecting';
  return (
    <header className="border-b border-border">
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
              className="meet-from-right -ml-3 max-sm:hidden"
            />
          ) : null}
        </div>
        <div className="min-w-0 flex-1">
          <h1 className="truncate text-md font-bold">{partner.username}</h1>
          <p role="status" className={isAway ? 'text-sm text-warning' : 'text-sm text-muted-foreground'}>
            {isAway ? copy.active.partnerReconnecting : copy.active.here}
          </p>
        </div>
        <SkipButton isAsking={isAsking} onAsk={onAsk} />
      </div>
    </header>
  );
};

export const ActiveChat = ({ session }: { session: Session }) => {
  const [isAsking, setAsking] = useState(false);
  const [wasRefused, setRefused] = useState(false);
  const skipArea = useRef<HTMLDivElement>(null);
  const isConnected = useIsConnected();
  const isTooFast = useRandomChat((state) => state.isTooFast);
  const { partner } = session;

  // The line stays until the connection is back.
  if (isConnected && wasRefused) setRefused(false);

  const heed = useCallback((outcome: SendOutcome): boolean => {
    if (outcome === 'not_connected') setRefused(true);
    return outcome === 'sent';
  }, []);
  // The same function at every render: rows are drawn again only when they change.
  const retry = useCallback((clientId: string) => void heed(randomChat.retry(clientId)), [heed]);
  const cancelSkip = (): void => {
    setAsking(false);
    skipArea.current?.querySelector('button')?.focus();
  };

  return (
    <section
      aria-label={copy.active.region(partner.username)}
      className="enter-stage flex min-h-0 flex-1 flex-col"
    >
      <div ref={skipArea}>
        <Toolbar session={session} isAsking={isAsking} onAsk={() => setAsking((asking) => !asking)} />
      </div>
      {isAsking ? <SkipBar onConfirm={randomChat.skip} onCancel={cancelSkip} /> : null}
      <MessageList
        label={copy.active.messages}
        messages={session.messages}
        partner={partner}
        onRetry={retry}
        footer={<TypingLine session={session} />}
      />
      <Announcer />
      <Composer
        onSend={(text) => heed(randomChat.say(text))}
        onType={randomChat.typed}
        onReturned={randomChat.onReturned}
        notice={wasRefused ? chatCopy.composer.notSent : isTooFast ? copy.slowDown : null}
      />
    </section>
  );
};
