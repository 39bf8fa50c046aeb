import { type SelfUser } from '@thaw/contract/users';
import { lazy, Suspense, useEffect, useState } from 'react';
import { ErrorBoundary } from 'react-error-boundary';
import { AnonymousPrompt } from '@/features/profile/components/anonymous-prompt';
import { GenderModal } from '@/features/profile/components/gender-modal';
import { copy } from '@/features/profile/copy';
import { closeProfileDialog, useProfileDialogs } from '@/features/profile/profile-dialogs.store';
import { Modal, type ModalProps } from '@/ui/modal';

const ProfileSettings = lazy(async () => ({
  default: (await import('@/features/profile/components/profile-settings')).ProfileSettings,
}));
const ConversionForm = lazy(async () => ({
  default: (await import('@/features/profile/components/conversion-form')).ConversionForm,
}));

/** A modal whose content is loaded late: it opens with it, so that the focus finds its first field. */
const LoadedModal = ({ children, ...modal }: ModalProps) => (
  <ErrorBoundary
    fallback={
      <Modal {...modal}>
        <p role="alert" className="mt-6 text-base text-destructive">
          {copy.settings.broken}
        </p>
      </Modal>
    }
  >
    <Suspense fallback={null}>
      <Modal {...modal}>{children}</Modal>
    </Suspense>
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
      <LoadedModal
        isOpen={shown === 'settings'}
        title={copy.settings.title}
        onDismiss={closeProfileDialog}
        // One height, whichever tab is shown.
        className="h-[calc(var(--app-height)*0.92)] md:h-[46rem]"
      >
        <ProfileSettings user={user} onLogout={onLogout} />
      </LoadedModal>
      <Modal
        isOpen={shown === 'anonymous-prompt' && user.isAnonymous}
        title={copy.anonymousPrompt.title}
        description={copy.anonymousPrompt.lead}
        onDismiss={closeProfileDialog}
      >
        <AnonymousPrompt />
      </Modal>
      <LoadedModal
        isOpen={shown === 'conversion'}
        title={copy.conversion.title}
        description={copy.conversion.lead}
        onDismiss={closeProfileDialog}
        isLocked={isConverting}
      >
        <ConversionForm user={user} onPending={setConverting} onConverted={closeProfileDialog} />
      </LoadedModal>
    </>
  );
};
