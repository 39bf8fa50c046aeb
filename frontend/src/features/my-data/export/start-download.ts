import { exportFileName, exportReadySchema } from '@thaw/contract/my-data-export';
import { copy } from '@/features/my-data/export/copy';
import { ApiError, request } from '@/lib/api-client';
import { toast } from '@/ui/toast-store';

/** The message for the user when the download has not started. */
const explainFailure = (error: unknown): string => {
  if (!(error instanceof ApiError)) return copy.unreachable;
  return error.status === 429 ? copy.limited : (error.serverMessage ?? copy.failed);
};

/**
 * Requests an export of the user's data and lets the browser download the file. The page itself never loads the file,
 * which may be larger than the memory of a phone.
 * @param currentPassword required for registered users
 * @returns null if the download has started, else the message for the user
 */
export const startDownload = async (userId: number, currentPassword?: string): Promise<string | null> => {
  try {
    const response = await request('POST', `/api/my-data/${userId}/export`, { currentPassword });
    const { url } = exportReadySchema.parse(response);
    const link = document.createElement('a');
    link.href = url;
    // If the server refuses, the browser reports a failed download and stays on the page.
    link.download = exportFileName;
    link.click();
    toast(copy.started);
    return null;
  } catch (error) {
    console.warn('The download of the user’s data did not start', error);
    return explainFailure(error);
  }
};
