import { useAnonymousStart } from '@/features/auth/use-anonymous-start';
import { LandingPage } from '@/features/landing/components/landing-page';
import { copy } from '@/features/landing/copy';
import { useDocumentTitle } from '@/lib/document-title';
import { useIdentity } from '@/lib/identity';

export const LandingRoute = () => {
  useDocumentTitle();
  const anonymous = useAnonymousStart(copy.connectionError);
  const username = useIdentity((state) => state.user?.username);
  return (
    <LandingPage
      signedInAs={username}
      isStarting={anonymous.isStarting}
      onJoinAnonymously={anonymous.start}
    />
  );
};
