import { create } from 'zustand';

export type ProfileDialog = 'settings' | 'anonymous-prompt' | 'conversion';

/** The profile dialog that is open. A store, because dialogs are opened from distant components. */
export const useProfileDialogs = create<{ openDialog: ProfileDialog | null }>()(() => ({ openDialog: null }));

const showDialog = (openDialog: ProfileDialog | null): void => useProfileDialogs.setState({ openDialog });

export const openProfileSettings = (): void => showDialog('settings');
/** Offers an account to an anonymous user. */
export const openAnonymousPrompt = (): void => showDialog('anonymous-prompt');
/** Opens the form that turns an anonymous user into one with an account. */
export const openAnonymousConversion = (): void => showDialog('conversion');

export const closeProfileDialog = (): void => showDialog(null);
