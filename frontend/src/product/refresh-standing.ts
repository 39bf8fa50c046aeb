import { ApiError, request } from '@/lib/api-client';
import { currentUser, mergeIntoUser } from '@/product/identity';
import { parseUserResponse } from '@/product/user-response';

/**
 * Fetches the signed-in user, and applies their standing (such as good, suspended or banned), and whether they are a
 * moderator, to this page.
 * @returns whether the user is signed out, on this page or on the server
 * @throws the error of the request, except a 401 (no session) or a 404 (no such user), which count as signed out
 */
export const refreshStanding = async (): Promise<{ isSignedOut: boolean }> => {
  const userAtRequest = currentUser();
  if (!userAtRequest) return { isSignedOut: true };
  try {
    const { standing, isModerator } = parseUserResponse(
      await request('GET', `/api/user/${userAtRequest.id}`),
    );
    const userNow = currentUser();
    // If a frame of the socket has changed the standing in the meantime, the frame is newer than the response.
    if (userNow?.id === userAtRequest.id && userNow.standing === userAtRequest.standing) {
      mergeIntoUser({ standing, isModerator });
    }
    return { isSignedOut: false };
  } catch (error) {
    if (error instanceof ApiError && (error.status === 401 || error.status === 404)) {
      return { isSignedOut: true };
    }
    throw error;
  }
};
