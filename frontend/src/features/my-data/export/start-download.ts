import { exportFileName, exportReadySchema } from '@thaw/contract/my-data-export';
import { copy } from '@/features/my-data/export/copy';
import { ApiError, request } from '@/lib/api-client';
import { toast } from '@/ui/toast-store';

const describe = (error: unknown): string => {
  if (!(error instanceof ApiError)) return copy.unreachable;
  return error.status === 429 ? copy.limited : (error.serverMessage ?? copy.failed);
};

/**
 * Asks for the user's data and has the browser download it. The page itself never has it: it may be larger than the
 * memory of a phone.
 * @returns why it failed, for the user; null when the download has started.
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
    return describe(error);
  }
};
