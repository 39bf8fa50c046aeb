import { create } from 'zustand';

export interface Person {
  id: number;
  username: string;
}

/**
 * The person whom the open dialog offers to block; null while closed. A store, because distant parts of the page
 * open the dialog.
 */
export const useBlockDialog = create<{ person: Person | null }>()(() => ({ person: null }));

export const openBlockDialog = ({ id, username }: Person): void =>
  useBlockDialog.setState({ person: { id, username } });

export const closeBlockDialog = (): void => useBlockDialog.setState({ person: null });
