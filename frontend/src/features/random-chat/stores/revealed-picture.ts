import { create } from 'zustand';

interface RevealedPicture {
  /** The session in which the user has revealed the partner's profile picture. */
  sessionId: string | null;
}

/** Outside of the view, which is unmounted while another tab of the page is shown. */
export const useRevealedPicture = create<RevealedPicture>()(() => ({ sessionId: null }));
