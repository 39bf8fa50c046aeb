import { copy } from '@/app/copy';
import { Button } from '@/ui/button';

/** What stands where a part of the page failed. */
export const Broken = () => (
  <main role="alert" className="mx-auto grid min-h-dvh w-full max-w-md content-center px-6 py-12">
    <h1 className="text-2xl font-bold">{copy.broken.title}</h1>
    <p className="mt-2 text-md text-muted-foreground">{copy.broken.lead}</p>
    <Button size="lg" className="mt-8 w-fit" onClick={() => location.reload()}>
      {copy.broken.reload}
    </Button>
  </main>
);
