import { copy } from '@/app/copy';
import { PartNotLoadedError } from '@/lib/missing-chunk';
import { Button } from '@/ui/button';

export interface BrokenProps {
  error?: unknown;
  /** Loads the failed part (a lazily loaded component) again. */
  retry?: () => void;
}

/** Shown in place of a page that failed. Its button retries a failed load; after any other error it reloads the app. */
export const Broken = ({ error, retry }: BrokenProps) => (
  <main role="alert" className="mx-auto grid min-h-dvh w-full max-w-md content-center px-6 py-12">
    <h1 className="text-2xl font-bold">{copy.broken.title}</h1>
    <p className="mt-2 text-md text-muted-foreground">{copy.broken.lead}</p>
    <Button
      size="lg"
      className="mt-8 w-fit"
      onClick={retry && error instanceof PartNotLoadedError ? retry : () => location.reload()}
    >
      {copy.broken.reload}
    </Button>
  </main>
);
