import { useMutation } from '@tanstack/react-query';
import { closeBlockDialog, type Person } from '@/features/safety/stores/block-dialog.store';
import { block } from '@/features/safety/stores/change-block';

/** Blocks a person; closes the dialog on success. */
export const useBlock = (userId: number, person: Person) => {
  const { mutate, isPending } = useMutation({
    mutationFn: () => block(userId, person),
    onSuccess: closeBlockDialog,
  });
  const confirm = (): void => mutate();
  return { isPending, confirm };
};
