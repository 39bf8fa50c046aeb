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
  children: (Component: ComponentType<P>) => ReactNode;
}

/** Counts how often a modal has changed from closed to open. */
const useOpenCount = (isOpen: boolean): number => {
  const [{ wasOpen, openCount }, setOpenState] = useState({ wasOpen: isOpen, openCount: 0 });
  // Updated while rendering. An effect would be too late: the modal would first open with the previous count.
  if (wasOpen !== isOpen) setOpenState({ wasOpen: isOpen, openCount: isOpen ? openCount + 1 : openCount });
  return openCount;
};

/**
 * A modal whose content is loaded on demand. Once the content has loaded, a second `Modal` replaces the pending one, so
 * that the first field of the content receives the focus.
 */
const LoadedModal = <P extends object>({ part, children, ...modal }: LoadedModalProps<P>) => {
  const openCount = useOpenCount(modal.isOpen);
  return (
    <LoadedPart
      // Each opening mounts the part again, to use code loaded in the meantime or to retry a failed load. Closing must
      // not, because it is animated.
      key={openCount}
      part={part}
      pending={
        // The modal opens immediately, although its content may still be loading.
        <Modal {...modal}>
          <Delayed>
            <Skeleton label={copy.loadedModal.loading} bars={['h-11', 'h-24', 'h-14']} className="mt-6" />
          </Delayed>
        </Modal>
      }
      renderFailure={({ retry }) => (
        <Modal {...modal}>
          <p role="alert" className="mt-6 text-base text-destructive">
            {copy.loadedModal.broken}
          </p>
          <Button className="mt-6" onClick={retry}>
            {copy.loadedModal.retry}
          </Button>
        </Modal>
      )}
    >
      {(Component) => <Modal {...modal}>{children(Component)}</Modal>}
    </LoadedPart>
  );
};

export interface ProfileDialogsProps {
  user: SelfUser;
  onLogout: () => void;
  /** The safety section of Profile Settings, such as the list of blocked people; another feature provides it. */
  safetySection?: ReactNode;
}

/**
 * All dialogs about the user. A user without a gender is asked for it before any other dialog opens. The dialog
 * 'conversion' turns an anonymous user into a registered one.
 */
export const ProfileDialogs = ({ user, onLogout, safetySection }: ProfileDialogsProps) => {
  const openDialog = useProfileDialogs((state) => state.openDialog);
  const [isConverting, setConverting] = useState(false);
  const shownDialog = user.gender === null ? null : openDialog;
  // Two dialogs are only for anonymous users, but the address of a registered user may name them: `?dialog=account`.
  const shownAnonymousDialog = user.isAnonymous ? shownDialog : null;
  // Clean-up: the next user of this page must not see the dialog of the previous one.
  useEffect(() => closeProfileDialog, [user.id]);
  return (
    <>
      <GenderModal user={user} />
      <LoadedModal
        part={profileSettingsPart}
        isOpen={shownDialog === 'settings'}
        title={copy.settings.title}
        onDismiss={closeProfileDialog}
        // The same height for all tabs, so that the modal does not jump when the tab changes.
        className="h-[calc(var(--app-height)*0.92)] md:h-[46rem]"
      >
        {(ProfileSettings) => (
          <ProfileSettings user={user} onLogout={onLogout} safetySection={safetySection} />
        )}
      </LoadedModal>
      <Modal
        isOpen={shownAnonymousDialog === 'anonymous-prompt'}
        title={copy.anonymousPrompt.title}
        description={copy.anonymousPrompt.lead}
        onDismiss={closeProfileDialog}
      >
        <AnonymousPrompt />
      </Modal>
      <LoadedModal
        part={conversionPart}
        isOpen={shownAnonymousDialog === 'conversion'}
        title={copy.conversion.title}
        description={copy.conversion.lead}
        onDismiss={closeProfileDialog}
        isLocked={isConverting}
      >
        {(ConversionForm) => (
          <ConversionForm user={user} onPendingChange={setConverting} onConverted={closeProfileDialog} />
        )}
      </LoadedModal>
    </>
  );
};
