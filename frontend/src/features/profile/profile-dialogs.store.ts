import { create } from 'zustand';

export type ProfileDialog = 'settings' | 'anonymous-prompt' | 'conversion';

/** The dialog about the user that is open. A store, because distant parts of the page open dialogs. */
export const useProfileDialogs = create<{ open: ProfileDialog | null }>()(() => ({ open: null }));

const open = (dialog: ProfileDialog) => (): void => useProfileDialogs.setState({ open: dialog });

export const openProfileSettings = open('settings');
export const openAnonymousPrompt = open('anonymous-prompt');
export const openConversion = open('conversion');

export const closeProfileDialog = (): void => useProfileDialogs.setState({ open: null });
