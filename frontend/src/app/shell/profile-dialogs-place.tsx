import { type SelfUser } from '@thaw/contract/users';
import { copy } from '@/app/copy';
import { BrokenModal, PendingModal } from '@/app/shell/lazy-modal';
import { deleteAccountPart, downloadMyDataPart } from '@/app/shell/my-data-parts';
import { SafetySettingsPlace, safetySettingsPart } from '@/app/shell/safety-place';
import { noticesButtonPart } from '@/app/shell/standing-parts';
import { closeProfileDialog, useProfileDialogs } from '@/features/profile/profile-dialogs.store';
import { createPart, LoadedPart } from '@/ui/loaded-part';

const loadDialogs = () => import('@/features/profile/components/profile-dialogs');
/** Contains the gender dialog, which the first paint may show, so chat.html preloads its code. */
const profileDialogsPart = createPart(async () => (await loadDialogs()).ProfileDialogs);

/** The contents of the dialogs, for `usePreloaded`. `preload` loads them one after another and never rejects. */
export const profileDialogContents = {
  preload: async (): Promise<void> => {
    try {
      const { profileSettingsPart, conversionPart } = await loadDialogs();
      await profileSettingsPart.preload();
      await conversionPart.preload();
      await safetySettingsPart.preload();
      await noticesButtonPart.preload();
      await downloadMyDataPart.preload();
      await deleteAccountPart.preload();
    } catch (error) {
      console.warn('The profile dialogs were not loaded ahead', error);
    }
  },
};

/** The dialogs about the user. If their code failed to load, opening a dialog loads it again. */
export const ProfileDialogsPlace = ({ user, onLogout }: { user: SelfUser; onLogout: () => void }) => {
  const openDialog = useProfileDialogs((state) => state.openDialog);
  const isGenderMissing = user.gender === null;
  // The gender dialog precedes any other.
  const hasOpenDialog = openDialog !== null && !isGenderMissing;
  return (
    <LoadedPart
      part={profileDialogsPart}
      pending={
        hasOpenDialog ? <PendingModal title={copy.profile.settings} onDismiss={closeProfileDialog} /> : null
      }
      renderFailure={({ retry }) =>
        hasOpenDialog || isGenderMissing ? (
          // The gender dialog cannot be dismissed: a chat needs a gender.
          <BrokenModal retry={retry} onDismiss={isGenderMissing ? undefined : closeProfileDialog} />
        ) : null
      }
      resetKeys={[openDialog]}
    >
      {(ProfileDialogs) => (
        <ProfileDialogs user={user} onLogout={onLogout} safetySection={<SafetySettingsPlace user={user} />} />
      )}
    </LoadedPart>
  );
};
