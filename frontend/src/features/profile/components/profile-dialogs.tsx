import { type SelfUser } from '@thaw/contract/users';
import { useEffect, useState, type ComponentType, type ReactNode } from 'react';
import { AnonymousPrompt } from '@/features/profile/components/anonymous-prompt';
import { GenderModal } from '@/features/profile/components/gender-modal';
import { copy } from '@/features/profile/copy';
import { closeProfileDialog, useProfileDialogs } from '@/features/profile/profile-dialogs.store';
import { Button } from '@/ui/button';
import { Delayed } from '@/ui/delayed';
import { createPart, LoadedPart, type Part } from '@/ui/loaded-part';
import { Modal, type ModalProps } from '@/ui/modal';
import { Skeleton } from '@/ui/skeleton';

export const profileSettingsPart = createPart(
  async () => (await import('@/features/profile/components/profile-settings')).ProfileSettings,
);
export const conversionPart = createPart(
  async () => (await import('@/features/profile/components/conversion-form')).ConversionForm,
);

interface LoadedModalProps<P> extends Omit<ModalProps, 'children'> {
  part: Part<P>;
  children: (Loaded: ComponentType<P>) => ReactNode;
}

/**
 * A modal whose content is loaded on demand. It mounts together with the content, so that the focus finds its first
 * field.
 */
const LoadedModal = <P extends object>({ part, children, ...modal }: LoadedModalProps<P>) => {
  const [opening, setOpening] = useState({ isOpen: modal.isOpen, count: 0 });
  // A new key for each opening uses a part loaded since, or retries; closing keeps the content for the animation.
  if (opening.isOpen !== modal.isOpen) {
    setOpening({ isOpen: modal.isOpen, count: opening.count + (modal.isOpen ? 1 : 0) });
  }
  return (
    <LoadedPart
      key={opening.count}
      part={part}
      pending={
        // Opens at once, however slow the connection.
        <Modal {...modal}>
          <Delayed>
            <Skeleton label={copy.settings.loading} bars={['h-11', 'h-24', 'h-14']} className="mt-6" />
          </Delayed>
        </Modal>
      }
      broken={({ retry }) => (
        <Modal {...modal}>
          <p role="alert" className="mt-6 text-base text-destructive">
            {copy.settings.broken}
          </p>
          <Button className="mt-6" onClick={retry}>
            {copy.settings.retry}
          </Button>
        </Modal>
      )}
    >
      {(Loaded) => <Modal {...modal}>{children(Loaded)}</Modal>}
    </LoadedPart>
  );
};

/** All dialogs about the user. The gender comes first: no other dialog opens while it is missing (A166). */
export const ProfileDialogs = ({ user, onLogout }: { user: SelfUser; onLogout: () => void }) => {
  const open = useProfileDialogs((state) => state.open);
  const [isConverting, setConverting] = useState(false);
  const shown = user.gender === null ? null : open;
  // The next user of this page must not see a dialog of the previous one.
  useEffect(() => closeProfileDialog, [user.id]);
  return (
    <>
      <GenderModal user={user} />
      <LoadedModal
        part={profileSettingsPart}
        isOpen={shown === 'settings'}
        title={copy.settings.title}
        onDismiss={closeProfileDialog}
        // Fixed height for all tabs.
        className="h-[calc(var(--app-height)*0.92)] md:h-[46rem]"
      >
        {(ProfileSettings) => <ProfileSettings user={user} onLogout={onLogout} />}
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
        part={conversionPart}
        isOpen={shown === 'conversion'}
        title={copy.conversion.title}
        description={copy.conversion.lead}
        onDismiss={closeProfileDialog}
        isLocked={isConverting}
      >
        {(ConversionForm) => (
          <ConversionForm user={user} onPending={setConverting} onConverted={closeProfileDialog} />
        )}
      </LoadedModal>
    </>
  );
};
