import { type SelfUser } from '@thaw/contract/users';
import { useEffect } from 'react';
import { copy } from '@/app/copy';
import { BrokenModal, PendingModal } from '@/app/shell/lazy-modal';
import { DeleteAccountPlace, DownloadMyDataPlace } from '@/app/shell/my-data-parts';
import { SettingsNoticesButton } from '@/app/shell/standing-parts';
import { useFriends } from '@/features/friends/api/friends';
import { useRandomChat } from '@/features/random-chat/stores/random-chat.store';
import { useIsBlocked } from '@/features/safety/api/blocks';
import { closeBlockDialog, useBlockDialog, type Person } from '@/features/safety/stores/block-dialog.store';
import {
  closeReportDialog,
  useReportDialog,
  type ReportTarget,
} from '@/features/safety/stores/report-dialog.store';
import { LoadError } from '@/ui/load-error';
import { createPart, LoadedPart } from '@/ui/loaded-part';

// A part is a component whose code is loaded on demand. A `...Place` component renders a part in the shell.

export const blockDialogPart = createPart(
  async () => (await import('@/features/safety/components/block-dialog')).BlockDialog,
);
export const reportDialogPart = createPart(
  async () => (await import('@/features/safety/components/report-dialog')).ReportDialog,
);
export const safetySettingsPart = createPart(
  async () => (await import('@/features/safety/components/safety-settings')).SafetySettings,
);

/** Closes a dialog when the user of this page changes: the next user must not see the dialog of the previous one. */
const useCloseOnUserChange = (userId: number, close: () => void): void => {
  // The effect has only a clean-up, which runs when the user changes, and on unmount.
  useEffect(() => close, [userId, close]);
};

const OpenBlockDialog = ({ userId, person }: { userId: number; person: Person }) => {
  const isCurrentPartner = useRandomChat(
    ({ phase, session }) => phase === 'active' && session?.partner.id === person.id,
  );
  const { data: friends = [] } = useFriends(userId);
  return (
    <LoadedPart
      part={blockDialogPart}
      pending={<PendingModal title={copy.loading} onDismiss={closeBlockDialog} />}
      renderFailure={({ retry }) => <BrokenModal retry={retry} onDismiss={closeBlockDialog} />}
    >
      {(BlockDialog) => (
        <BlockDialog
          userId={userId}
          person={person}
          endsChat={isCurrentPartner}
          endsFriendship={friends.some(({ id }) => id === person.id)}
        />
      )}
    </LoadedPart>
  );
};

/** The dialog that asks before a person is blocked. */
export const BlockDialogPlace = ({ userId }: { userId: number }) => {
  const person = useBlockDialog((state) => state.person);
  useCloseOnUserChange(userId, closeBlockDialog);
  return person ? <OpenBlockDialog userId={userId} person={person} /> : null;
};

const OpenReportDialog = ({ userId, target }: { userId: number; target: ReportTarget }) => {
  const isBlocked = useIsBlocked(userId, target.person.id);
  return (
    <LoadedPart
      part={reportDialogPart}
      pending={<PendingModal title={copy.loading} onDismiss={closeReportDialog} />}
      renderFailure={({ retry }) => <BrokenModal retry={retry} onDismiss={closeReportDialog} />}
    >
      {(ReportDialog) => <ReportDialog userId={userId} target={target} isBlocked={isBlocked} />}
    </LoadedPart>
  );
};

/** The dialog that reports a person. */
export const ReportDialogPlace = ({ userId }: { userId: number }) => {
  const target = useReportDialog((state) => state.target);
  useCloseOnUserChange(userId, closeReportDialog);
  return target ? <OpenReportDialog userId={userId} target={target} /> : null;
};

/** The section of Profile Settings about safety, with the buttons for notices and the user's data. */
export const SafetySettingsPlace = ({ user }: { user: SelfUser }) => (
  <LoadedPart
    part={safetySettingsPart}
    renderFailure={({ retry }) => <LoadError text={copy.brokenPart.title} onRetry={retry} className="mt-6" />}
  >
    {(SafetySettings) => (
      <SafetySettings userId={user.id}>
        <SettingsNoticesButton userId={user.id} />
        <DownloadMyDataPlace user={user} isRow />
        <DeleteAccountPlace user={user} isRow />
      </SafetySettings>
    )}
  </LoadedPart>
);
