import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import { unblock } from '@/features/safety/stores/change-block';

/** Unblocks a person; repeated calls are ignored until the server has responded. */
export const useUnblock = (userId: number, personId: number) => {
  const isInFlight = useRef(false);
  const { mutate, isPending } = useMutation({
    mutationFn: () => unblock(userId, personId),
    onSettled: () => {
      isInFlight.current = false;
    },
  });
  const run = (): void => {
    // A second click may come before the render that disables the button.
    if (isInFlight.current) return;
    isInFlight.current = true;
    mutate();
  };
  return { isPending, unblock: run };
};
