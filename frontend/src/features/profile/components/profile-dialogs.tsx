import { type SelfUser } from '@thaw/contract/users';
import { lazy, Suspense, useEffect, useState, type ReactNode } from 'react';
import { ErrorBoundary } from 'react-error-boundary';
import { AnonymousPrompt } from '@/features/profile/components/anonymous-prompt';
import { GenderModal } from '@/features/profile/components/gender-modal';
import { copy } from '@/features/profile/copy';
import { closeProfileDialog, useProfileDialogs } from '@/features/profile/profile-dialogs.store';
import { Modal } from '@/ui/modal';

const ProfileSettings = lazy(async () => ({
  default: (await import('@/features/profile/components/profile-settings')).ProfileSettings,
}));
const ConversionForm = lazy(async () => ({
  default: (await import('@/features/profile/components/conversion-form')).ConversionForm,
}));

/** What is loaded late, or breaks, takes nothing else with it. */
const Loaded = ({ children }: { children: ReactNode }) => (
  <ErrorBoundary
    fallback={
      <p role="alert" className="mt-6 text-base text-destructive">
        {copy.settings.broken}
      </p>
    }
  >
    <Suspense fallback={<div aria-busy="true" className="h-80" />}>{children}</Suspense>
  </ErrorBoundary>
);

/** Every dialog about myself. The gender comes first: while it is asked for, no other is open (A166). */
export const ProfileDialogs = ({ user, onLogout }: { user: SelfUser; onLogout: () => void }) => {
  const open = useProfileDialogs((state) => state.open);
  const [isConverting, setConverting] = useState(false);
  const shown = user.gender === null ? null : open;
  // Whoever comes to this page next finds no dialog of mine.
  useEffect(() => closeProfileDialog, [user.id]);
  return (
    <>
      <GenderModal user={user} />
      <Modal
        isOpen={shown === 'settings'}
        title={copy.settings.title}
        onDismiss={closeProfileDialog}
        // One height, whichever tab is shown.
        className="h-[92dvh] md:h-[46rem]"
      >
        <Loaded>
          <ProfileSettings user={user} onLogout={onLogout} />
        </Loaded>
      </Modal>
      <Modal
        isOpen={shown === 'anonymous-prompt' && user.isAnonymous}
        title={copy.anonymousPrompt.title}
        description={copy.anonymousPrompt.lead}
        onDismiss={closeProfileDialog}
      >
        <AnonymousPrompt />
      </Modal>
      <Modal
        isOpen={shown === 'conversion'}
        title={copy.conversion.title}
        description={copy.conversion.lead}
        onDismiss={closeProfileDialog}
        isLocked={isConverting}
      >
        <Loaded>
          <ConversionForm user={user} onPending={setConverting} onConverted={closeProfileDialog} />
        </Loaded>
      </Modal>
    </>
  );
};
