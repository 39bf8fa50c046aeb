import { create } from 'zustand';

interface RevealedPicture {
  /** The session in which the user has revealed the partner's profile picture. */
  sessionId: string | null;
}

/** A store, so that the choice survives the unmounting of the chat's components. */
export const useRevealedPicture = create<RevealedPicture>()(() => ({ sessionId: null }));
