import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import { unblock } from '@/features/safety/stores/change-block';

/** Unblocks a person; repeated calls are ignored until the server has answered. */
export const useUnblock = (userId: number, personId: number) => {
  const isUnderWay = useRef(false);
  const { mutate, isPending } = useMutation({
    mutationFn: () => unblock(userId, personId),
    onSettled: () => {
      isUnderWay.current = false;
    },
  });
  const run = (): void => {
    // A second click may come before the next render.
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    mutate();
  };
  return { isPending, unblock: run };
};
