import { reportApiError } from '@/lib/api-client';

const imageTimeoutMs = 15_000;

/**
 * Loads an image of the evidence of a case. It is never read from the cache, because the server has to record each time
 * that a moderator looks at an image.
 * @throws ApiError on a non-success status; the error of `fetch` without a response in 15 s
 */
export const loadCaseImage = async (caseId: number, imageId: number): Promise<Blob> => {
  const response = await fetch(`/api/moderation/cases/${caseId}/images/${imageId}`, {
    credentials: 'include',
    cache: 'no-store',
    signal: AbortSignal.timeout(imageTimeoutMs),
  });
  if (!response.ok) throw await reportApiError(response);
  return response.blob();
};
