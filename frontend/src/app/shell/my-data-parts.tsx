import { type SelfUser } from '@thaw/contract/users';
import { copy } from '@/app/copy';
import { LoadError } from '@/ui/load-error';
import { createPart, LoadedPart } from '@/ui/loaded-part';

export const downloadMyDataPart = createPart(
  async () => (await import('@/features/my-data/export/components/download-my-data')).DownloadMyData,
);
export const deleteAccountPart = createPart(
  async () => (await import('@/features/my-data/deletion/components/delete-account')).DeleteAccount,
);

/**
 * The button that downloads the user's data, loaded on demand: with `isRow` a row of Profile Settings, otherwise a
 * button on the page that a suspended or banned user sees.
 */
export const DownloadMyDataPlace = ({ user, isRow = false }: { user: SelfUser; isRow?: boolean }) => (
  <LoadedPart
    part={downloadMyDataPart}
    renderFailure={({ retry }) => <LoadError text={copy.brokenPart.title} onRetry={retry} />}
  >
    {(DownloadMyData) => <DownloadMyData user={user} isRow={isRow} />}
  </LoadedPart>
);

/** The button that deletes the user's account; otherwise like `DownloadMyDataPlace`. */
export const DeleteAccountPlace = ({ user, isRow = false }: { user: SelfUser; isRow?: boolean }) => (
  <LoadedPart
    part={deleteAccountPart}
    renderFailure={({ retry }) => <LoadError text={copy.brokenPart.title} onRetry={retry} />}
  >
    {(DeleteAccount) => <DeleteAccount user={user} isRow={isRow} />}
  </LoadedPart>
);
