import { createPart } from '@/ui/loaded-part';

/** The page for an unknown address. */
export const notFoundPart = createPart(
  async () => (await import('@/app/routes/not-found-route')).NotFoundRoute,
);
