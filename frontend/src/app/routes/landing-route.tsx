import { useEffect } from 'react';
import { chatPart } from '@/app/routes/chat-part';
import { useAnonymousStart } from '@/features/auth/use-anonymous-start';
import { ChatReminder } from '@/features/landing/components/chat-reminder';
import { LandingPage } from '@/features/landing/components/landing-page';
import { copy } from '@/features/landing/copy';
import { Consent } from '@/features/legal/consent/consent';
import { useDocumentTitle } from '@/product/document-title';
import { repeatEarlyPress } from '@/product/early-press';
import { useOpenChat } from '@/product/open-chat';

export const LandingRoute = () => {
  const openChat = useOpenChat((state) => state.chat);
  useDocumentTitle(copy.title, openChat?.unread);
  // A button may have been pressed before this code was loaded.
  useEffect(repeatEarlyPress, []);
  // The code of /chat is loaded while the server creates the anonymous user.
  const anonymous = useAnonymousStart(copy.connectionError, chatPart.preload);
  return (
    <>
      <LandingPage
        isStarting={anonymous.isStarting}
        onJoinAnonymously={anonymous.start}
        consent={<Consent />}
      />
      {openChat ? <ChatReminder chat={openChat} /> : null}
    </>
  );
};
