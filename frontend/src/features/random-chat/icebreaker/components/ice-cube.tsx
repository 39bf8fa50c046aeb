import { iceCubePath } from '@/features/random-chat/icebreaker/ice-cube-path';

export const IceCube = ({ className }: { className?: string }) => (
  <svg viewBox="0 0 24 24" aria-hidden="true" fill="currentColor" className={className}>
    <path d={iceCubePath} />
  </svg>
);
