import { toApiError } from '@/lib/api-client';

const timeoutMs = 15_000;

/**
 * Loads an image of the evidence. Each call is a request of its own, which the server records, so a cached copy is not
 * used.
 * @throws ApiError on a non-success status.
 */
export const loadCaseImage = async (caseId: number, imageId: number): Promise<Blob> => {
  const response = await fetch(`/api/moderation/cases/${caseId}/images/${imageId}`, {
    credentials: 'include',
    cache: 'no-store',
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (!response.ok) throw await toApiError(response);
  return response.blob();
};
