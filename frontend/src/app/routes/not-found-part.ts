import { createPart } from '@/ui/loaded-part';

/** The page of an address that does not exist. */
export const notFoundPart = createPart(
  async () => (await import('@/app/routes/not-found-route')).NotFoundRoute,
);
