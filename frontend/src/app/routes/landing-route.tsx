import { useEffect } from 'react';
import { useAnonymousStart } from '@/features/auth/use-anonymous-start';
import { LandingPage } from '@/features/landing/components/landing-page';
import { copy } from '@/features/landing/copy';
import { Consent } from '@/features/legal/consent/consent';
import { repeatEarlyPress } from '@/lib/early-press';
import { useDocumentTitle } from '@/lib/document-title';

export const LandingRoute = () => {
  useDocumentTitle(copy.title);
  useEffect(repeatEarlyPress, []);
  const anonymous = useAnonymousStart(copy.connectionError);
  return (
    <LandingPage
      isStarting={anonymous.isStarting}
      onJoinAnonymously={anonymous.start}
      consent={<Consent />}
    />
  );
};
